"""The patterns of quantities: what is tried first must let everything through that fits."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest

from lve.checkers.extract.numerals.final_number import final_numbers
from lve.checkers.extract.quantities import quantity_patterns as patterns
from lve.checkers.extract.quantities.quantity import quantities_in
from lve.checkers.extract.quantities.quantity_patterns import MAGNITUDES, TOKEN
from lve.checkers.extract.quantities.spelled_numbers import FIRST_WORDS

MONTHS = ("January", "feb", "März", "mai", "junio", "Août", "ottobre", "déc.", "Dezember", "sept")


@pytest.mark.parametrize("word", [word for word in MAGNITUDES if word.rstrip("n") not in "kmbt"])
def test_each_magnitude_is_read(word: str) -> None:
    assert quantities_in(f"3 {word}")[0].values[0] == 3 * MAGNITUDES[word]


@pytest.mark.parametrize("word", [w for w in FIRST_WORDS if w[:2] not in ("a ", "a-", "an")])
def test_each_word_of_a_number_is_where_one_may_begin(word: str) -> None:
    rest = {"minus": " 3", "negative": " 3", "half": " a million", "quarter": " a million"}
    for text in (f"It is {word}{rest.get(word, '')}", f"{word.title()}{rest.get(word, '')}"):
        assert TOKEN.search(text) is not None


@pytest.mark.parametrize("month", MONTHS)
def test_a_date_may_begin_with_its_month(month: str) -> None:
    quantity = quantities_in(f"in {month} 2021 or so")[0]
    assert (quantity.is_date, quantity.values) == (True, (2021,))


@pytest.mark.parametrize("money", ["US$5", "R$5", "CHF 5", "Rs 5", "kr 5", "EUR5", "A$5", "\\$5"])
def test_letters_before_a_number_are_money(money: str) -> None:
    quantity = quantities_in(f"about {money} each")[0]
    assert quantity.values == (5,)
    assert quantity.start <= len("about \\")
    assert quantity.units


@pytest.mark.parametrize(
    "text",
    [
        *("between 3 and 5", "3 to 5", "3-5", "Zwischen 3 und 5", "3 bis 5", "ENTRE 3 y 5"),
        *("more than 3", "It isn't 3", "It is not 3", "nicht 3", "rather than 3", "n'est pas 3"),
    ],
)
def test_ranges_and_denials_state_no_number(text: str) -> None:
    assert final_numbers(text) == []


def test_a_text_without_numbers_takes_little_time() -> None:
    began = time.process_time()
    assert quantities_in("and then they went on to say nothing more. " * 1_000) == []
    assert time.process_time() - began < 1


def test_half_and_a_power_still_belong_to_the_number() -> None:
    assert quantities_in("2 1/2 million")[0].values == (Fraction(2_500_000),)
    assert quantities_in("x^2") == quantities_in("√16") == quantities_in("\\sqrt{16}") == []


STATEMENTS = [
    row["answer"]
    for file in sorted((Path(__file__).parents[3] / "conformance/vectors/verdicts").glob("*.json"))
    for row in json.loads(file.read_text(encoding="utf-8"))
]


def test_the_short_way_finds_the_same_tokens() -> None:
    for text in STATEMENTS:
        from_place, place = patterns.tokens(text), 0
        while (token := from_place(place)) is not None:
            wanted = patterns.TOKEN.search(text, place)
            assert wanted is not None, text
            assert token.span() == wanted.span(), text
            place = token.end()
        assert patterns.TOKEN.search(text, place) is None, text


@pytest.mark.parametrize("text", ["five", "USD 5", "Rs. 5", "May 5, 2020", "½", "二", "half of it"])
def test_what_a_quantity_may_begin_with(text: str) -> None:
    assert patterns.has_words(text)
    assert patterns.has_quantity(text)


@pytest.mark.parametrize("text", ["That is the speed of it.", "", "A. B. C.", "$ -- . +"])
def test_most_sentences_have_no_quantity(text: str) -> None:
    assert not patterns.has_quantity(text)
