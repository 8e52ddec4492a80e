"""Notation around numbers that has no meaning."""

from __future__ import annotations

import pytest

from lve.checkers.extract.numerals.number_notation import (
    cleaned,
    has_list_mark,
    without_list_mark,
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("9{,}500", "9,500"),
        (r"9,\!500", "9,500"),
        (r"9\,500", "9 500"),
        (r"12\text{ cm}^2", "12  cm^2"),
        (r"12 \mathrm{m}", "12  m "),
        (r"42^\circ", "42°"),
        (r"42^{\circ}", "42°"),
        (r"x \approx 3", "x ≈ 3"),
        (r"3 \pm 1", "3 ± 1"),
        (r"5\%", "5%"),
        (r"\$5", "$5"),
        ("$x = {-7}$", " x = -7 "),
        ("$5 and $7", "$5 and $7"),
        ("20$", "20$"),
        ("in 1492[^1].", "in 1492."),
        ("3 degrees below zero", "minus 3 degrees"),
        ("far below zero", "far below zero"),
        ("five: 1) red, 2) green", "five: red, green"),
        ("It costs 1) or so", "It costs 1) or so"),
    ],
)
def test_what_stays(text: str, plain: str) -> None:
    assert cleaned(text).split() == plain.split()


@pytest.mark.parametrize("text", ["2. red", "- 2) red", "  12. red"])
def test_the_number_of_a_list_item_is_removed(text: str) -> None:
    assert has_list_mark(text)
    assert without_list_mark(text) == "red"


@pytest.mark.parametrize("text", ["2.5 is it", "2 of them", "red 2. blue", "2."])
def test_another_number_stays(text: str) -> None:
    assert not has_list_mark(text)
