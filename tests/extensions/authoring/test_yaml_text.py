"""Documents as YAML: what is written is read as the same value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.documents.yaml_text import parse_yaml
from lve.extensions.authoring.new_test import yaml_text

HARD = [
    *("yes", "null", "~", "0o17", "1e3", "01", "1_000", "12:30", "2020-01-01", ".inf", "<<", "="),
    *("", " ", "-", "- a", "a: b", "? x", "#", "a #b", "{x}", "[", "\x85", "\ufeff", "\u2028"),
    *("word " * 60, "line\n\n  two ", " lead\n x", "\n", "a\n", "\x1b[31m", "\t", "'", '"'),
]
TEXTS = st.one_of(
    st.sampled_from(HARD),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.text("0x1e+-._:#{}[]&*!|>'\"%@`, \n\tyesno~", max_size=12),
)
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
    )
    | TEXTS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)


@pytest.mark.parametrize("text", HARD)
def test_a_hard_text_stays_a_text(text: str) -> None:
    value = {"a": text, text: [text, {"b": text}]}
    assert parse_yaml(yaml_text(value)) == value


@given(st.dictionaries(TEXTS, VALUES, max_size=3))
def test_what_is_written_is_read_as_the_same(value: dict[str, Any]) -> None:
    assert parse_yaml(yaml_text(value)) == value


def test_it_is_easy_to_read() -> None:
    value = {
        "description": "Größe",
        "prompt": [{"content": "one\ntwo {x}\n"}],
        "check": {"contains": "Paris"},
        "tags": [{"name": "severity", "value": "low"}],
    }
    assert yaml_text(value) == (
        "description: Größe\n"
        "prompt:\n"
        "  - content: |\n"
        "      one\n"
        "      two {x}\n"
        "check: {contains: Paris}\n"
        "tags:\n"
        "  - {name: severity, value: low}\n"
    )
