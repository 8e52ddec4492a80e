"""Which JSON answers are validated in the event loop, and which in a thread."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any

import pytest

from lve.errors import CheckerError
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.answers.schema_meter import Meter, TooManyStepsError

LITTLE = (20_000, 0.1)
"""A tenth of the steps and the seconds that a value may take."""

ROWS = {"items": {"type": "object", "properties": {"id": {"type": "integer", "minimum": 0}}}}
MANY_ROWS = json.dumps([{"id": number} for number in range(2_000)])
LATER = {
    "many values": (ROWS, MANY_ROWS),
    "many characters": (None, json.dumps(["a" * 200_000])),
    "a slow pattern": ({"pattern": "^(a|a)*$"}, json.dumps("a" * 60 + "b")),
}


@pytest.mark.parametrize(("schema", "answer"), LATER.values(), ids=LATER)
def test_what_takes_longer_than_a_moment_is_left(schema: Any, answer: str) -> None:
    with pytest.raises(TooManyStepsError):
        JsonAnswer(schema).read_quickly(answer)


@pytest.mark.parametrize("answer", ["no JSON", "[]", '[{"id": 1}]', '[{"id": -1}]', "{}", "[1]"])
def test_what_is_read_in_a_moment_is_the_same(answer: str) -> None:
    def outcome(read: Any) -> Any:
        try:
            return read(answer)
        except ValueError as error:
            return str(error)

    one = JsonAnswer(ROWS)
    assert outcome(one.read_quickly) == outcome(one.read)


def test_backtracking_in_every_answer_takes_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Meter.__init__, "__defaults__", LITTLE)
    one = JsonAnswer({"properties": {"a": {"pattern": "(a|a)*$"}}})
    slow = json.dumps({"a": "a" * 20_000 + "!"}) * 5
    start = time.process_time()
    for _ in range(300):
        with pytest.raises(TooManyStepsError):
            one.read_quickly(slow)
        with pytest.raises(CheckerError):
            one.read(slow)
    assert time.process_time() - start < 8
    assert one.read_quickly('{"a": "a"}') == {"a": "a"}


def test_one_answer_that_is_read_in_time_is_enough_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Meter.__init__, "__defaults__", LITTLE)
    one = JsonAnswer({"pattern": "(a|a)*$"})
    for answer in ["a" * 20_000 + "!", "a"] * 3:
        with suppress(CheckerError):
            one.read(json.dumps(answer))
    with pytest.raises(CheckerError, match="a pattern takes too long"):
        one.read(json.dumps("a" * 20_000 + "!"))


@pytest.mark.parametrize("before", ['"a"', "no JSON"])
def test_answers_are_given_up_after_exactly_three_that_take_too_long(
    before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Meter.__init__, "__defaults__", LITTLE)
    one = JsonAnswer({"pattern": "(a|a)*$"})
    slow = json.dumps("a" * 20_000 + "!")
    with suppress(CheckerError):
        one.read(slow)
    with suppress(ValueError):
        one.read(before)
    for _ in range(3):
        with pytest.raises(CheckerError, match="a pattern takes too long"):
            one.read(slow)
    with pytest.raises(CheckerError, match="that took too long 3 times in a row"):
        one.read('"a"')
