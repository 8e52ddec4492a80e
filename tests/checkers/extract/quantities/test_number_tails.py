"""What follows the digits of a number changes its value."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.quantities.number_tails import with_tail
from lve.checkers.extract.quantities.quantity_patterns import TAIL


@pytest.mark.parametrize(
    ("tail", "values"),
    [
        ("", (12,)),
        (" / 5", (Fraction(12, 5),)),
        ("/0", ()),
        ("e3", (12_000,)),
        (" x 10^-2", (Fraction(12, 100),)),
        ("e9999", ()),
        ("^2", (144,)),
        (" million", (12_000_000,)),
        ("k", (12_000,)),
        (" ± 3", (12,)),
    ],
)
def test_a_tail_is_applied(tail: str, values: tuple[object, ...]) -> None:
    match = TAIL.match(tail)
    assert match is not None
    assert with_tail((Fraction(12),), match) == values
