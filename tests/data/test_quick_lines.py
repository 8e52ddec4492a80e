"""A line that is decoded quickly has the value that the strict decoder gives it."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lve.data.problems import _quickly_decoded
from lve.documents.json_text import decode_json

TEXTS = st.text() | st.sampled_from(['", "', '": ', "}, {", "\\", "\u2028", "\x7f"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=8,
)
ODD = (
    '{"a": 1, "a": 2}',
    '{"a":1,"a":1}',
    '{"x": {"a": 1, "a": 1}}',
    '{"a": "\\u003a", "a": 1}',
    '{"a": "x", "\\u0061": "x"}',
    '{"a": 123456789012345678901}',
    '{"a": 18446744073709551616}',
    '{"a": 1.0000000000000000001}',
    '{"a": 1e999}',
    '{"a": NaN}',
    '{"a": -0}',
    '{"a": "\\ud800"}',
    "[" * 101 + "]" * 101,
    '{"a": "b',
)


@given(VALUES, st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : ")]), st.booleans())
@example([-0.0, 10**18, 10**19, ":", 1e22], (", ", ": "), True)
@example({"a": [{"b": 1}, {"c": ', "'}]}, (", ", ": "), True)
def test_a_quick_value_is_the_strict_one(
    value: object, separators: tuple[str, str], is_ascii: bool
) -> None:
    line = json.dumps(value, separators=separators, ensure_ascii=is_ascii) + "\n"
    quick = _quickly_decoded(line)
    assert quick is None or repr(quick) == repr(decode_json(line))


@pytest.mark.parametrize("line", ODD)
def test_an_odd_line_is_left_to_the_strict_decoder(line: str) -> None:
    assert _quickly_decoded(line) is None
    with suppress(ValueError):
        decode_json(line)


def test_usual_lines_are_decoded_quickly() -> None:
    for line in ('{"a": "b, c: d", "n": 1.5, "l": [{"a": 1}, {"b": null}]}\n', '{"a":["x","y"]}'):
        assert _quickly_decoded(line) == json.loads(line)
