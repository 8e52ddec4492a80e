"""Failures as lists name them: in the order of rows, with what tells a row from others."""

from __future__ import annotations

from typing import Any

import pytest
from support.results import make_result

from lve.verdicts.short_result import ShortResult
from lve.verdicts.tally import Tally


@pytest.mark.parametrize(
    ("args", "row"),
    [
        ({}, "test.yaml row 3"),
        ({"temperature": 0, "name": "Chloé"}, "test.yaml row 3 (name=Chloé)"),
        ({"n": 1.5, "ok": True, "more": "x"}, "test.yaml row 3 (n=1.5, ok=True)"),
        (
            {"list": [1], "map": {}, "none": None, "a": "\x1b[2J\n b"},
            r"test.yaml row 3 (a=\x1b[2J b)",
        ),
        ({"long": "x" * 99}, f"test.yaml row 3 (long={'x' * 34}…)"),
    ],
)
def test_a_row_is_named_by_its_first_values(args: dict[str, Any], row: str) -> None:
    assert ShortResult.of(make_result(source="test.yaml", line=3, args=args)).row == row


def test_a_file_and_a_repeat_are_named_too() -> None:
    short = ShortResult.of(make_result(line=4, repeat=1, args={"name": "Ann"}))
    assert short.row == "instances/x.jsonl:4 (name=Ann) (repeat 2)"
    assert short.place == "instances/x.jsonl:4 (repeat 2)"


def test_a_secret_is_not_shown_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-" + "q7Zr" * 12
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    row = ShortResult.of(make_result(args={"key": secret})).row
    assert "q7Zr" not in row


def test_the_first_failures_are_those_of_the_first_rows() -> None:
    tally = Tally("t", "m")
    lines = (9, 4, 8, 1, 7, 3, 6, 2, 5)
    for line in lines:
        tally.add(make_result(line=line, verdict="failed", args={"n": line}))
    tally.add(make_result(line=1, repeat=1, verdict="error"))
    tally.add(make_result(source="a.csv", line=99, verdict="failed"))
    places = [(short.source, short.line, short.repeat) for short in tally.examples]
    x = "instances/x.jsonl"
    assert places == [("a.csv", 99, 0), (x, 1, 0), (x, 1, 1), (x, 2, 0), (x, 3, 0)]
