"""JSON with the mistakes that models make; tests/cases/verdicts/json.json has answers."""

from __future__ import annotations

from typing import Any

import pytest

from lve.checkers.extract.loose_json import json_values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ("{a: 'x', \"b\": [1, 2,], }", [{"a": "x", "b": [1, 2]}]),
        ('{"a": 1_000, "b": 2,850, "c": +.5}', [{"a": 1000, "b": 2850, "c": 0.5}]),
        ('{"a": True, "b": None} and [false]', [{"a": True, "b": None}, [False]]),
        ('{"a": "say "hi", you"}', [{"a": 'say "hi", you'}]),
        ('{"a": 1 // one\n, # two\n "b": /* x */ 2}', [{"a": 1, "b": 2}]),
        ("{“a”: ‘b’}", [{"a": "b"}]),
        ('{"a": "\\u00e9\\n"}', [{"a": "é\n"}]),
        ("x {a 1} {b: 2}", [{"b": 2}]),
        ("{1: 2}", [{"1": 2}]),
        ('"text"', ["text"]),
        ("text", []),
        ("{" * 1000, []),
        ("[" * 1000 + "]" * 1000, []),
    ],
)
def test_values(text: str, values: list[Any]) -> None:
    assert json_values(text) == values


def test_python_and_json_agree_on_plain_json() -> None:
    assert json_values(' {"a": [1.5e3, "\\"", {}]} ') == [{"a": [1500.0, '"', {}]}]
