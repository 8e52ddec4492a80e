"""Applies what follows the digits of a number: a denominator, a power, a magnitude, a base."""

from __future__ import annotations

import re
from fractions import Fraction

from lve.checkers.extract.quantities.digit_groups import Values, whole
from lve.checkers.extract.quantities.quantity_patterns import MAGNITUDES
from lve.checkers.judging_limits import MAX_DIGITS


def with_tail(values: Values, tail: re.Match[str]) -> Values:
    """Return the values after applying what follows the digits: a denominator, power or
    magnitude."""
    if tail["slash"]:
        if not int(tail["denominator"]):
            return ()
        values = tuple(value / int(tail["denominator"]) for value in values)
    exponent = tail["exponent_e"] or tail["exponent"]
    if exponent is not None:
        if abs(int(exponent)) > MAX_DIGITS:
            return ()
        values = tuple(value * Fraction(10) ** int(exponent) for value in values)
    elif tail["power"] is not None:
        values = tuple(_power(value, int(tail["power"])) for value in values)
    size = tail["magnitude"] or tail["letter"]
    return tuple(value * MAGNITUDES[size.lower()] for value in values) if size else values


def with_base(number: re.Match[str]) -> tuple[Values, Values]:
    """Return the value of `0b1100` or `1100_2`, and that of its figures: 12 and 1100."""
    figures, base = number["bits"] or number["figures"], int(number["base"] or 2)
    is_number = all(int(figure, 16) < base for figure in figures)
    values = (Fraction(int(figures, base)),) if is_number else ()
    return values, whole(figures) if figures.isdecimal() else ()


def _power(base: Fraction, exponent: int) -> Fraction:
    if abs(exponent) > MAX_DIGITS or base.numerator.bit_length() * abs(exponent) > 4000:
        return base
    return base**exponent if base or exponent > 0 else base
