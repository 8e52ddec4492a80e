"""The JSON of requests and responses: written as ASCII, read within limits."""

from __future__ import annotations

import datetime
import json
import math
from typing import Any

import pytest
from hypothesis import given
from support.results import json_values

from lve.errors import PermanentModelError
from lve.messages import Usage
from lve.models.http import json_body as module
from lve.models.http.json_body import (
    MAX_DEPTH,
    decode,
    encode,
    is_finite,
    is_shallow,
    memory_of,
    objects,
)

CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


def nested(levels: int, value: Any = 1) -> Any:
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def of_64_bits(digits: str) -> int | float:
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else float(digits)


@given(json_values)
def test_any_json_is_read(value: Any) -> None:
    text = json.dumps(value)
    assert decode(text.encode()) == json.loads(text, parse_int=of_64_bits)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"[NaN]", [math.nan]),
        (b'"\\ud800"', "\ud800"),
        ('{"a": "é"}'.encode("utf-16"), {"a": "é"}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
    ],
)
def test_what_only_the_standard_library_reads_is_read(body: bytes, value: Any) -> None:
    assert repr(decode(body)) == repr(value)


@pytest.mark.parametrize("body", [b"", b"{", b"ok", b"\xff\xff", b"[" * 100_000])
def test_what_is_no_json_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError, match="not JSON, or nested too deeply"):
        decode(body)


def test_odd_json_is_read_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_STDLIB_BYTES", 10)
    decode(b"[NaN,  1 ]")
    with pytest.raises(ValueError, match="not JSON"):
        decode(b"[NaN,   1 ]")


def test_values_that_would_fill_the_memory_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "UNCHECKED_BYTES", 100)
    monkeypatch.setattr(module, "MAX_VALUES_BYTES", 10_000)
    assert decode(b'"' + b"x" * 20_000 + b'"') == "x" * 20_000
    with pytest.raises(ValueError, match="too many values"):
        decode(b"[" + b"[]," * 200 + b"[]]")
    monkeypatch.setattr(module, "MAX_VALUES_BYTES", 0)
    assert decode(b" " * 98 + b"[]") == []  # so little is read whatever it takes
    with pytest.raises(ValueError, match="too many values"):
        decode(b" " * 99 + b"[]")
    assert memory_of(b'{"a": [1, 2]}') == 232 + 2 * 30 + 24 + 72 + 56


@pytest.mark.parametrize(
    ("levels", "shallow"),
    [(0, True), (MAX_DEPTH - 2, True), (MAX_DEPTH - 1, False), (MAX_DEPTH + 9, False)],
)
def test_depth_has_a_limit(levels: int, shallow: bool) -> None:
    assert is_shallow([nested(levels), 1]) is shallow


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_lacks_is_found_anywhere(odd: float) -> None:
    assert is_finite(nested(20, [1, 2.5, None, "NaN"])) is True
    assert is_finite(odd) is False
    assert is_finite({"b": 1, "a": nested(20, [1, odd])}) is False


def test_objects_of_a_list() -> None:
    assert objects([{"a": 1}, 5, [{"b": 2}], None, {}]) == [{"a": 1}, {}]
    assert objects({"a": {}}) == objects(None) == objects("[{}]") == []


@given(json_values)
def test_a_body_has_what_it_is_given(value: Any) -> None:
    assert json.loads(encode({"a": value})) == {"a": value}


@pytest.mark.parametrize("text", ["null", "ä", "\x7f", 'a "null" b', "\ud800 null"])
def test_a_text_that_looks_like_nothing_is_a_text(text: str) -> None:
    assert json.loads(encode({"a": text, "b": None})) == {"a": text, "b": None}


def test_a_body_with_half_a_surrogate_pair_is_ascii() -> None:
    assert encode({"a": ["ä", "\ud800", 1.5, None]}) == rb'{"a":["\u00e4","\ud800",1.5,null]}'


@pytest.mark.parametrize(
    "value", [math.nan, [{"a": -math.inf}], datetime.date(2026, 1, 2), CIRCLE, Usage(1, 2)]
)
def test_what_json_does_not_have_is_an_error_of_the_request(value: object) -> None:
    with pytest.raises(PermanentModelError, match="a model arg can't be sent as JSON") as caught:
        encode({"temperature": value})
    assert caught.value.kind == "bad_request"
