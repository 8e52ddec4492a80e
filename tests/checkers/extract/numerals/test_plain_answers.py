"""An answer in plain prose is read from one sentence, with the same result as by all the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from unittest import mock

import pytest
from checkers.extract.numerals.prose import CUES, prose
from hypothesis import given, settings, strategies
from support.examples import FUZZING, examples

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.numerals import final_number, statement_reader
from lve.checkers.extract.numerals.final_number import final_quantities
from lve.checkers.extract.numerals.plain_answers import plain_quantity
from lve.checkers.extract.quantities.quantity import Quantity
from lve.checkers.library.number import InRange, Number

TESTS = Path(__file__).parents[3]
GENERATED = examples(6_000)
CHECKS = (Number(42), Number("1/2", tolerance=0.5), InRange((1, 10)), InRange((0, 1)))

Read = tuple[tuple[Quantity, ...], list[Verdict]]


def read(text: str) -> Read:
    """Return the quantities of an answer, and the verdicts and reasons of some checks."""
    final_quantities.cache_clear()
    context = CheckContext(())
    return final_quantities(text), [check.check_response(text, context) for check in CHECKS]


def read_by_all_rules(text: str) -> Read:
    """Return the same without the short way through an answer and through a sentence."""
    with (
        mock.patch.object(final_number, "plain_quantity", return_value=None),
        mock.patch.object(statement_reader, "plain_number", return_value=None),
    ):
        return read(text)


def labelled() -> Iterator[str]:
    """Yield the texts in the labelled rows of the project; in all its data where there is time."""
    names = ("cases", "conformance/vectors")
    folders = [TESTS / name / ("" if FUZZING else "verdicts") for name in names]
    for file in sorted(path for folder in folders for path in folder.rglob("*.json*")):
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except ValueError:  # hostile on purpose
            continue
        yield from _texts(document)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


LABELLED = [text for text in dict.fromkeys(labelled()) if any(map(str.isdecimal, text))]


def test_labelled_answers() -> None:
    assert len(LABELLED) > 2_000
    for text in LABELLED:
        assert read(text) == read_by_all_rules(text), text


def test_generated_answers() -> None:
    random = Random(1)
    texts = [prose(random) for _ in range(GENERATED)]
    for text in texts:
        assert read(text) == read_by_all_rules(text), text
    assert sum(plain_quantity(text) is not None for text in texts) > GENERATED / 4


@settings(max_examples=examples(300), deadline=None)
@given(strategies.sampled_from(LABELLED), strategies.data())
def test_changed_answers(text: str, data: strategies.DataObject) -> None:
    words = text.split(" ")
    for _ in range(data.draw(strategies.integers(1, 3))):
        place = data.draw(strategies.integers(0, len(words)))
        change = strategies.sampled_from(("42", "7.5", "$3", "=", ",", "(", ":", "\n", *CUES))
        words[place : place + data.draw(strategies.integers(0, 2))] = [data.draw(change)]
    changed = " ".join(words)
    assert read(changed) == read_by_all_rules(changed)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("First, 17 + 20 = 37. Then 37 + 5 = **42**.\n\nLet me know if you have questions!", 42),
        ("She has 3 boxes, so she sells 3 * 12 = 36 pencils in total. I hope this helps.", 36),
        ("It covers 240 km in 3 hours. Its speed is 240 / 3 = 80 km/h.", 80),
        ("There are 3 boxes of 4. Therefore, the answer is 12.", 12),
        ("After giving 3 away, the girl has $12,500.", 12_500),
    ],
)
def test_plain_prose_is_not_read_by_all_rules(text: str, value: int) -> None:
    quantity = plain_quantity(text)
    assert quantity is not None
    assert quantity.values == (Fraction(value),)


@pytest.mark.parametrize(
    "text",
    [
        "It isn't 42.",
        "There are 3 boxes if she has 42.",
        "There is 1 box, and between 3 and 5 more.",
        "She sells 3 * 4 = 12 pencils. Wait, actually 13.",
        "They meet on 5 May.",
        "She buys 3 of 42.",
        "<answer>12</answer> She has 13 pencils.",
    ],
)
def test_what_else_is(text: str) -> None:
    with mock.patch.object(statement_reader, "quantities_in") as reads:
        reads.return_value = []
        plain_quantity(text)
        final_quantities.cache_clear()
        final_quantities(text)
    assert reads.called
