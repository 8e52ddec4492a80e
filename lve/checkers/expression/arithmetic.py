"""Numbers in expressions: reading them and computing with them. Large ones cost units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lve.checkers.expression.meter import MAX_INT_BITS, Meter

Metered = Callable[..., Any]
"""A function that takes the meter first."""

NUMBERS = frozenset({int, float, bool})
DIGITS_COST = 24
"""Units for writing a float in an unusual way, such as `1e308` with 300 digits."""
_MATH_COST = 3

_SMALL = 1 << 60
"""Numbers below it cost nothing."""
_MAX_DIGITS = 400
_FREE_DIGITS = 16
"""Reading a number of fewer characters costs nothing: most answers are such numbers."""
_MAX_NUMBER_TEXT = 2000
"""Longest text that is read as a number, in characters."""


def int_(meter: Meter, value: Any = 0, /, *args: Any, **options: Any) -> int:
    if type(value) is str and len(value) < _FREE_DIGITS:
        if not args and not options:
            return int(value)  # nearly always, and with so few digits it is small
    else:
        _read_number(meter, value, "int")
    result = int(value, *args, **options)
    if not -_SMALL < result < _SMALL:
        meter.made(result)
    return result


def float_(meter: Meter, value: Any = 0.0) -> float:
    if not (type(value) is str and len(value) < _FREE_DIGITS):
        _read_number(meter, value, "float")
    return float(value)


def _read_number(meter: Meter, value: object, name: str) -> None:
    """Charge for reading a number: the time grows with the square of its digits."""
    if type(value) is str:
        if len(value) > _MAX_NUMBER_TEXT:
            raise ValueError(f"{name}() of a text of {len(value):,} characters")
        meter.charge(len(value) >> 4)
    elif type(value) not in NUMBERS and getattr(value, "adjusted", int)() > _MAX_DIGITS:
        raise ValueError(f"{name}() of a number of more than {_MAX_DIGITS} digits")


def round_(meter: Meter, number: Any, ndigits: int | None = None) -> Any:
    if ndigits is not None:
        if abs(ndigits) > _MAX_DIGITS:
            raise ValueError(f"round() to {ndigits} digits")
        if abs(ndigits) > 15 or not -1e15 < number < 1e15:
            meter.charge(DIGITS_COST)
    return round(number, ndigits)


def divmod_(meter: Meter, a: object, b: object) -> Any:
    meter.charge(2)
    return divmod(meter.read(a), meter.read(b))


def power(meter: Meter, base: Any, exponent: Any) -> Any:
    """`base ** exponent`, charged before it is computed."""
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        bits = base.bit_length()
        meter.int_size(bits * min(exponent, MAX_INT_BITS) if bits > 1 else bits)
        if bits > 1 and exponent > MAX_INT_BITS:
            meter.int_size(exponent)
    return meter.made(base**exponent)


def of_numbers(function: Callable[..., Any]) -> Metered:
    """Return a metered function of numbers. Only large ones cost much."""

    def compute(meter: Meter, *args: Any, **options: Any) -> Any:
        meter.charge(_MATH_COST)
        for number in args:
            if type(number) is int:
                meter.read(number)
            elif type(number) not in NUMBERS:
                raise TypeError(f"a number is wanted, not {type(number).__name__}")
        return function(*args, **options)

    return compute


MATH = (
    *("ceil", "cos", "degrees", "exp", "fabs", "floor", "fmod", "gcd", "hypot", "isclose"),
    *("isfinite", "isinf", "isnan", "isqrt", "log", "log10", "log2", "radians", "sin", "sqrt"),
    *("tan", "trunc"),
)
