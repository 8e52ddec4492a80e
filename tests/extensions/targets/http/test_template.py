"""Templates of requests."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import SettingsError
from lve.extensions.targets.http.request_writer import Template

VALUES = {
    "prompt": 'say "hi"',
    "messages": [{"role": "user", "content": "hi"}],
    "session": None,
    "args": {"top_k": 3, "stop": ["a"]},
}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{prompt}", 'say "hi"'),
        ("Q: {prompt}!", 'Q: say "hi"!'),
        ({"q": "{prompt}", "n": 1}, {"q": 'say "hi"', "n": 1}),
        ({"m": "{messages}"}, {"m": VALUES["messages"]}),
        ({"m": "see {messages}"}, {"m": 'see [{"role": "user", "content": "hi"}]'}),
        ({"k": "{args.top_k}", "t": "{args.temperature}"}, {"k": 3}),
        ({"s": "{session}", "list": ["{session}", "x"]}, {"list": ["x"]}),
        ({"a": "{args}"}, {"a": VALUES["args"]}),
        ("{{prompt}}", "{prompt}"),
        ("{not a name}", "{not a name}"),
        ({"{prompt}": 1}, {'say "hi"': 1}),
    ],
)
def test_names_are_replaced_by_values(template: Any, filled: Any) -> None:
    assert Template(template, "here").filled(VALUES) == filled


@given(st.text())
def test_a_prompt_never_becomes_a_part_of_the_json(prompt: str) -> None:
    template = Template({"a": ["{prompt}", "x{prompt}"]}, "here")
    assert template.filled({"prompt": prompt}) == {"a": [prompt, f"x{prompt}"]}


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ({"q": "{promt}"}, r"there are \{prompt\}, \{messages\}"),
        ("{question.x}", r"there are \{prompt\}"),
        ("{prompt.x}", "is no name"),
    ],
)
def test_an_unknown_name_is_refused_where_it_is(template: Any, why: str) -> None:
    with pytest.raises(SettingsError, match=rf"here: .*{why}"):
        Template(template, "here")


def test_a_text_is_changed_before_it_is_put_in() -> None:
    template = Template("/{prompt}/{{x}}", "here")
    assert template.filled_text({"prompt": "ab"}, str.upper) == "/AB/{x}"
