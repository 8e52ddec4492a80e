"""The word after a number means what `read_units` says, where it is all there is to read."""

from __future__ import annotations

import pytest

from lve.checkers.extract.quantities.plain_units import plain_unit
from lve.checkers.extract.quantities.units import read_units, units_by_name


@pytest.mark.parametrize("name", sorted(n for n in units_by_name() if n.isascii() and n.islower()))
@pytest.mark.parametrize("after", [".", "", " were left", " squared", " per day", "^2", " in 5"])
def test_a_unit_is_read_as_in_full(name: str, after: str) -> None:
    text = f"12 {name}{after}"
    plain = plain_unit(text, 2)
    if plain is not None:
        units, end = read_units(text, 3)
        assert plain == (units, end if units else 2)


@pytest.mark.parametrize("word", ["months", "km", "apples", "of", "percent"])
def test_most_words_are_plain(word: str) -> None:
    assert plain_unit(f"12 {word}.", 2) is not None


@pytest.mark.parametrize(
    "rest", [" million", " and a half", " in", " square feet", " km/h", " m", "km", " pi", " Kings"]
)
def test_others_need_to_be_read_in_full(rest: str) -> None:
    assert plain_unit(f"12{rest}", 2) is None
