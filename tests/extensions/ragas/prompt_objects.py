"""Prompt objects to test with: any, and one that names a river's mouth."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lve.extensions.ragas.saved_prompt import Prompt

TEXT = st.text(st.characters(), max_size=40)
"""Any Unicode text, lone surrogates included."""
KEY = st.text(st.characters(exclude_characters="{}"), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def prompts(draw: st.DrawFn) -> Prompt:
    keys = draw(st.lists(KEY, min_size=1, max_size=3))
    output_key = draw(KEY.filter(bool))
    output_type = draw(st.sampled_from(["json", "JSON", "str", "Str"]))
    output = TEXT if output_type.lower() == "str" else JSON.filter(lambda v: not isinstance(v, str))
    examples = draw(
        st.lists(
            st.builds(
                lambda values, out: {**values, output_key: out},
                st.fixed_dictionaries(dict.fromkeys(keys, JSON)),
                output,
            ),
            max_size=2,
        )
    )
    return Prompt(
        name="p",
        instruction=draw(TEXT.filter(bool)),
        examples=examples,
        input_keys=keys,
        output_key=output_key,
        output_type=output_type,
    )


def river(**changes: Any) -> Prompt:
    fields = {
        "name": "river",
        "instruction": "Name the mouth of the river.",
        "examples": [{"river": "Danube", "answer": {"mouth": "Black Sea"}}],
        "input_keys": ["river"],
        "output_key": "answer",
    }
    return Prompt(**{**fields, **changes})
