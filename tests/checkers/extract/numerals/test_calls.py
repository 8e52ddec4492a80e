"""What number answers settle on whose sentences differ in one thing: which number stands where, on
both sides of each limit, beside which words (cases/recorded_calls/numerals.json)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

from support.recorded_calls import Calls, changed, record, texts

from lve.checkers.extract.numerals.final_number import final_quantities, final_range, number_place
from lve.checkers.extract.quantities.number_words import with_digits
from lve.checkers.extract.quantities.quantity import Quantity, quantities_in
from lve.checkers.extract.quantities.spelled_numbers import spelled_value
from lve.checkers.extract.quantities.units import units_named

TEXTS = texts("numerals")
PAIRS = [tuple(pair.split(" | ")) for pair in TEXTS["pairs"]]
TRIPLES = [tuple(triple.split()) for triple in TEXTS["triples"]]


def shown(quantity: Quantity) -> str:
    """Return a quantity in few words: its values, the factors of its units, and its place."""
    values = "/".join(map(str, (*quantity.values, *quantity.others)))
    units = "" if quantity.units is None else f" {'/'.join(str(u.factor) for u in quantity.units)}"
    return f"{values}{units}{f' @{quantity.place}' if quantity.place else ''}"


def settled(text: str) -> str:
    return " ; ".join(map(shown, final_quantities(text)))


def of_metres(text: str) -> str:
    return " ; ".join(map(shown, final_quantities(text, units_named("m"))))


def beside(text: str) -> str:
    """Return where the number stands, and the range that an answer gives."""
    limits = final_range(text)
    return f"{number_place(text)} {'..'.join(map(str, limits)) if limits else ''}"


def read(text: str) -> str:
    """Return the quantities of a text where `,` may be either, is the decimal point, and isn't."""
    kinds = (quantities_in(text, comma_is_decimal=comma) for comma in (None, True, False))
    return " | ".join(", ".join(map(shown, quantities)) for quantities in kinds)


def spelled(text: str) -> str:
    return str(spelled_value(text))


def digits(text: str) -> str:
    return str(with_digits(text))


def filled(function: Callable[[str], str], frames: str, rows: Iterable[tuple[str, ...]]) -> Calls:
    """Return what a function returns for each frame of a list, filled with each row (again, where
    it has more places): a result per row."""
    rows = list(rows)
    return {
        f"{function.__name__} of {frames}: {frame!r}": ", ".join(
            f"[{function(frame.format(*row * 3))}]" for row in rows
        )
        for frame in TEXTS[frames]
    }


def all_calls() -> Calls:
    two = [*itertools.product(TEXTS["words"], repeat=2)]
    return {
        **filled(settled, "frames", ones("numbers")),
        **filled(read, "notations", ones("digits")),
        **filled(settled, "frames_of_two", PAIRS),
        **filled(settled, "frames_of_three", TRIPLES),
        **filled(settled, "openings", ones("sentences")),
        **filled(of_metres, "frames_of_two", PAIRS[::6]),
        **filled(beside, "openings", ones("sentences")[::3]),
        **filled(spelled, "frames_of_words", two),
        **filled(spelled, "words_before", ones("tails")),
        **filled(digits, "languages", ones("around")),
    }


def ones(name: str) -> list[tuple[str, ...]]:
    return [(text,) for text in TEXTS[name]]


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("numerals", all_calls()) == {}


if __name__ == "__main__":
    record("numerals", all_calls())
