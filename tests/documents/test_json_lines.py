"""JSON lines: the fast writer and the exact one agree."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.results import json_values

from lve.documents.json_lines import (
    fast_json_line,
    fast_json_value,
    fast_written_value,
    json_line,
)

without_floats = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(without_floats)
def test_the_fast_writer_writes_the_same_bytes(value: Any) -> None:
    assert fast_json_line(value) == json_line(value)


@given(json_values)
def test_floats_keep_their_value(value: Any) -> None:
    line = fast_json_line(value)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line) == value


@pytest.mark.parametrize("odd", ["é", "\x7f", "\x85", "\u2028", "日本語", "\U0001f600", "a\x00b"])
def test_lines_hold_printable_ascii_only(odd: str) -> None:
    line = fast_json_line({"text": odd, "other": 'qu"ote\\'})
    assert line == json_line({"text": odd, "other": 'qu"ote\\'})
    assert line.isprintable()


@pytest.mark.parametrize("strange", ["\ud800", 1 << 64, {1: "a"}, [float("1e300")], {"a"}])
def test_what_the_fast_writer_cannot_write_is_written_all_the_same(strange: Any) -> None:
    assert json.loads(fast_json_line([strange])) == json.loads(json_line([strange]))


@pytest.mark.parametrize(
    ("number", "text"), [(float("nan"), "nan"), (float("inf"), "inf"), (float("-inf"), "-inf")]
)
def test_numbers_that_json_does_not_have_become_text(number: float, text: str) -> None:
    assert json.loads(json_line({"a": [number]})) == {"a": [text]}


@given(json_values)
def test_a_value_comes_back(value: Any) -> None:
    line = json_line(value)
    # Where a text is half a surrogate pair, the exact reader reads it.
    assert fast_json_value(line) in (json.loads(line, parse_int=_as_orjson), json.loads(line))


def _as_orjson(digits: str) -> float:
    number = int(digits)
    return number if -(1 << 63) <= number < 1 << 64 else float(number)


def test_half_a_surrogate_pair_can_be_read() -> None:
    assert fast_json_value('"\\ud800"') == "\ud800"
    with pytest.raises(ValueError, match="Expecting"):
        fast_json_value('{"a":')


@pytest.mark.parametrize("value", [{"a": [1, 0.5, None]}, {"a": "ä\x7f\u2028"}, {"a": 2**70}, {}])
def test_a_line_of_ours_is_read_as_it_was_meant(value: object) -> None:
    assert fast_written_value(json_line(value).encode()) == value
    assert fast_written_value(fast_json_line(value).encode()) == value


@pytest.mark.parametrize(
    "line",
    ['{"a":1,"a":1}', '{"a":NaN}', '{"a":1e999}', '{"a":', '{"a":"ä"}', "[" * 300 + "]" * 300],
)
def test_a_line_of_somebody_else_is_read_strictly(line: str) -> None:
    with pytest.raises(ValueError):
        fast_written_value(line.encode())


def test_a_number_of_somebody_else_stays_as_it_is() -> None:
    assert fast_written_value(b'{"a": 1180591620717411303424}') == {"a": 2**70}
