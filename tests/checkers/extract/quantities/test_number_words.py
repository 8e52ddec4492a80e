"""Numbers in the words of other languages than English."""

from __future__ import annotations

import time

import pytest

from lve.checkers.extract.numerals.final_number import final_numbers
from lve.checkers.extract.quantities.number_words import number_words, spelled_in, with_digits


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("de", "zweiundvierzig", 42),
        ("de", "dreihundertfünfzig", 350),
        ("de", "zwölftausendvierhundert", 12_400),
        ("de", "zwei Millionen", 2_000_000),
        ("fr", "quatre-vingt-dix-sept", 97),
        ("fr", "soixante et onze", 71),
        ("fr", "deux cents", 200),
        ("fr", "mille neuf cent quatre-vingt", 1980),
        ("es", "treinta y cinco", 35),
        ("es", "mil millones", 10**9),
        ("es", "veintiún mil", 21_000),
        ("it", "ventotto", 28),
        ("it", "duemilatrecento", 2300),
        ("pt", "cento e vinte e um", 121),
        ("pt", "dezasseis", 16),
        ("ru", "тридцать пять", 35),
        ("ru", "двумя тысячами", 2000),
        ("nl", "tweeënveertig", 42),
        ("pl", "trzysta pięćdziesiąt dwa", 352),
        ("sv", "trettio", 30),
        ("tr", "kırk iki", 42),
        ("da", "syvogtyve", 27),
        ("cs", "sto dvacet tři", 123),
        ("uk", "сорок два", 42),
    ],
)
def test_a_number_in_words(language: str, text: str, value: int) -> None:
    assert list(spelled_in(text, number_words()[language])) == [(0, len(text), value)]


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("de", "anderthalb", 1.5),
        ("de", "zweieinhalb", 2.5),
        ("de", "eineinhalb", 1.5),
        ("fr", "deux et demi", 2.5),
        ("es", "dos millones y medio", 2_500_000),
        ("it", "due e mezzo", 2.5),
        ("pt", "dois e meio", 2.5),
        ("ru", "две с половиной тысячи", 2500),
        ("nl", "anderhalf", 1.5),
        ("pl", "pięć i pół", 5.5),
    ],
)
def test_a_number_and_a_half(language: str, text: str, value: float) -> None:
    assert list(spelled_in(text, number_words()[language])) == [(0, len(text), value)]


@pytest.mark.parametrize(
    "text", ["la media", "ein halber", "demi", "medio y medio", "half", "mezzo e mezzo"]
)
def test_a_half_alone_is_none(text: str) -> None:
    assert with_digits(text) is None


def test_cents_are_no_french_hundred() -> None:
    assert with_digits("It costs 5 dollars and 20 cents.") is None
    assert with_digits("deux cents") == "200"


@pytest.mark.parametrize(
    ("language", "text", "values"),
    [
        ("es", "dos tres", [2, 3]),
        ("de", "fünf und Zucker", [5]),
        ("de", "fünf, sechs", [5, 6]),
        ("fr", "un chat et une souris", []),
        ("de", "zweitausend dreitausend", [2000, 3000]),
        ("fr", "des millions de gens", []),
        ("de", "und", []),
    ],
)
def test_several_numbers_and_none(language: str, text: str, values: list[int]) -> None:
    spans = spelled_in(text, number_words()[language])
    assert [value for _, _, value in spans] == values


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("Die Antwort lautet zweiundvierzig.", "Die Antwort lautet 42."),
        ("In totale sono ventotto studenti.", "In totale sono 28 studenti."),
        ("Sono tre virgola cinque metri.", "Sono 3.5 metri."),
        ("Drei Äpfel", "3 Äpfel"),
        ("Once", "11"),
        ("Once upon a time", None),
        ("Go on, it is up to you.", None),
        ("Not a word.", None),
    ],
)
def test_a_text_with_digits(text: str, digits: str | None) -> None:
    assert with_digits(text) == digits


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Il a vingt et un ans.", [21]),
        ("São dezesseis no total.", [16]),
        ("<answer>zweiundvierzig</answer>", [42]),
        ("\\boxed{\\text{quince}}", [15]),
        ("Minus fünf Grad.", [-5]),
        ("In 3 Kisten sind je 5 Stifte. Das sind also fünfzehn.", [15]),
        ("Il a un chat.", []),
        ("There are 3 boxes. Nobody knows more.", [3]),
    ],
)
def test_the_number_of_an_answer(text: str, numbers: list[int]) -> None:
    assert final_numbers(text) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "zweihundertdreiundzwanzigtausend, " * 20_000,
        "hundert" * 20_000,
        f"{'hunderttausend' * 200}x",
        "fünf und " * 20_000,
    ],
)
def test_a_large_text_of_words_is_read_in_time(text: str) -> None:
    began = time.process_time()
    final_numbers(text)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("text", ["null", "NULL", "null.", '"null"', "null, void"])
def test_what_json_has_for_nothing_is_no_number(text: str) -> None:
    assert with_digits(text) is None


def test_it_is_one_in_a_german_sentence() -> None:
    assert with_digits("Es sind null Äpfel.") == "Es sind 0 Äpfel."
