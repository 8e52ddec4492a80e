"""Any data and templates give a prompt or an error of one line."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from lve.errors import TemplateError
from lve.extensions.opencompass.by_name import make_retriever, make_template
from lve.extensions.opencompass.data.tables import Reader
from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.extensions.opencompass.retrievers.retriever import Examples
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.opencompass.rows.row_writer import label_prompts

WORDS = st.sampled_from(
    ["", "{q}", "{a}", "</E>", "{", "}", "{{q}}", "{q.__class__}", "{0}", "\x1b[2J", "\x00", "x",
     "{idx}", "HUMAN", "BOT", "SYSTEM", "begin", "round", "end", "role", "prompt",
     "<AIS_TEXT_START>"]
)  # fmt: skip
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=3)), max_size=4).map("".join)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)
ROLES = st.sampled_from(["HUMAN", "BOT", "SYSTEM"])
MESSAGES = st.fixed_dictionaries(
    {"role": ROLES, "prompt": TEXTS}, optional={"fallback_role": ROLES, "generate": st.booleans()}
)
ODD_MESSAGES = st.fixed_dictionaries(
    {}, optional={"role": st.one_of(ROLES, VALUES), "prompt": VALUES, "prompt_mm": VALUES}
)
# Mostly sound: otherwise nearly everything is refused before it gets interesting.
ITEMS = st.one_of(MESSAGES, MESSAGES, MESSAGES, TEXTS, ODD_MESSAGES, VALUES)
DIALOGUES = st.fixed_dictionaries(
    {"round": st.lists(ITEMS, max_size=3)},
    optional={"begin": st.one_of(TEXTS, st.lists(ITEMS, max_size=2)), "end": st.lists(ITEMS)},
)
LABELS = st.fixed_dictionaries({"x": st.one_of(TEXTS, DIALOGUES), "y": TEXTS})
TEMPLATES = st.one_of(TEXTS, DIALOGUES, DIALOGUES, LABELS, VALUES)
META_ITEMS = st.fixed_dictionaries(
    {"role": ROLES},
    optional={
        "api_role": ROLES,
        "begin": st.one_of(TEXTS, TEXTS, VALUES),
        "end": TEXTS,
        "prompt": st.one_of(TEXTS, TEXTS, VALUES),
        "generate": st.booleans(),
    },
)
METAS = st.one_of(
    st.sampled_from([None, "api", "chatml", "llama3"]),
    st.fixed_dictionaries(
        {"round": st.lists(st.one_of(META_ITEMS, META_ITEMS, TEXTS), max_size=3)},
        optional={"begin": st.one_of(TEXTS, VALUES), "reserved_roles": st.lists(META_ITEMS)},
    ),
    VALUES,
)
ROWS = st.lists(
    st.fixed_dictionaries({"q": VALUES, "a": VALUES}, optional={"content": TEXTS}), max_size=3
)
KINDS = st.sampled_from(
    ["PromptTemplate", "MultiTurnPromptTemplate", "MMPromptTemplate", "RawPromptTemplate"]
)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.data(), KINDS, TEMPLATES, TEMPLATES, METAS, ROWS,
    st.sampled_from(["lm", "api"]), st.sampled_from(["opencompass", "aisbench"]),
)  # fmt: skip
def test_nothing_crashes(
    data: st.DataObject, kind: str, ice: Any, prompt: Any, meta: Any, rows: Any, model: Any,
    dialect: str,
) -> None:  # fmt: skip
    key = "messages" if kind == "RawPromptTemplate" else "template"
    token = data.draw(st.sampled_from([None, None, "</E>"]))
    fixed = data.draw(st.one_of(st.just([]), st.lists(st.integers(0, 1), max_size=2), VALUES))
    with suppress(TemplateError):
        run(
            ice={"type": "PromptTemplate", "template": ice} if token else None,
            prompt={"type": kind, key: prompt, **({"ice_token": token} if token else {})},
            retriever={"type": "FixKRetriever", "fix_id_list": fixed},
            meta=meta,
            rows=rows,
            model=model,
            dialect=dialect,
        )


def run(
    *, ice: Any, prompt: Any, retriever: Any, meta: Any, rows: Any, model: Any, dialect: str
) -> None:
    """Render all rows as a generation and for two labels."""
    reader = Reader.from_config({"input_columns": ["q"], "output_column": "a"})
    train, test = reader.tables(rows, name="demo", dialect=dialect)
    made = make_retriever(retriever, dialect=dialect)
    select = made.prepare(Examples(train, reader, dialect))
    context = PromptWriter(train, make_template(ice), make_template(prompt), made, "a")
    form = ModelFormat(model, meta, dialect)
    for n in range(len(test)):
        row = test[n]
        positions = select(n, row)
        form.messages(form.parse(context.prompt(row, context.ice(positions)), "gen", row))
        for each in label_prompts(context, row, positions, ["x", "y"], model=form):
            form.parse(each, "ppl", row)


@pytest.mark.parametrize(
    "cell",
    [
        "x" * 10_000_000,
        float("nan"),
        10**5000,
        json.loads("[" * 500 + "]" * 500),
        {"deep": [{"er": None}]},
        "{q}{a}{q.__init__.__globals__}",
        "\x1b]0;title\x07\x00\u202e",
    ],
    ids=["10 MB", "NaN", "5000 digits", "deep", "nested", "fields", "control characters"],
)  # fmt: skip
def test_a_hostile_cell_is_text_or_refused(cell: Any) -> None:
    with suppress(TemplateError):
        run(
            ice={"type": "PromptTemplate", "template": "{q}"},
            prompt={"type": "PromptTemplate", "template": "</E>{q}|{a}", "ice_token": "</E>"},
            retriever={"type": "FixKRetriever", "fix_id_list": [0]},
            meta=None,
            rows=[{"q": cell, "a": "A"}],
            model="lm",
            dialect="opencompass",
        )
