"""Best-of-N's noise: which characters are replaced, and by which."""

from __future__ import annotations

import itertools

import pytest

from lve.extensions.attacks.attackers.methods import noisy

PRINTED = "".join(map(chr, range(0x21, 0x7F)))
"""Every visible character of ASCII, in its order."""


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (0.0, f"{PRINTED[1:]}~"),
        (0.499, f"{PRINTED[1:]}~"),
        (0.5, f"!{PRINTED[:-1]}"),
        (0.999, f"!{PRINTED[:-1]}"),
    ],
)
def test_a_character_becomes_a_visible_neighbour(way: float, expected: str) -> None:
    numbers = itertools.cycle([0.0, way])
    assert noisy(PRINTED, lambda: next(numbers)) == expected


@pytest.mark.parametrize("way", [0.0, 0.5])
def test_what_is_no_visible_ascii_stays(way: float) -> None:
    numbers = itertools.cycle([0.0, way])
    assert noisy(" \n\t\x7f\x80é中", lambda: next(numbers)) == " \n\t\x7f\x80é中"


@pytest.mark.parametrize(("number", "expected"), [(0.049, "bb"), (0.05, "aa"), (0.051, "aa")])
def test_one_character_in_twenty_is_replaced(number: float, expected: str) -> None:
    numbers = itertools.cycle([number, 0.0] if number < 0.05 else [number])
    assert noisy("aa", lambda: next(numbers)) == expected
