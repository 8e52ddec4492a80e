"""Functions for numbers in expressions. Large numbers cost units of the meter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from lve.checkers.expression.meter import MAX_INT_BITS, Meter
from lve.checkers.judging_limits import MAX_DIGITS

Metered = Callable[..., Any]
"""A function that takes the meter first."""

NUMBERS = frozenset({int, float, bool})
DIGITS_COST = 24
"""Units for writing a float with many digits, such as `1e308`."""
_MATH_COST = 3

_SMALL = 1 << 60
"""Smaller numbers cost nothing."""
_FREE_DIGITS = 16
"""Parsing a text with fewer characters costs nothing. Most answers are that short."""
_MAX_NUMBER_TEXT = 2000
"""The most characters of a text that is parsed as a number."""


def int_(meter: Meter, value: Any = 0, /, *args: object, **options: Any) -> int:
    if not (type(value) is str and len(value) < _FREE_DIGITS):
        _read_number(meter, value, "int")
    result = int(value, *args, **options)
    if not -_SMALL < result < _SMALL:
        meter.made(result)
    return result


def int_of(meter: Meter, value: Any) -> int:
    """Return the same as `int_` with one argument, which most calls have, in less time."""
    if type(value) is str and len(value) < _FREE_DIGITS:
        return int(value)
    return int_(meter, value)


def float_(meter: Meter, value: Any = 0.0) -> float:
    if not (type(value) is str and len(value) < _FREE_DIGITS):
        _read_number(meter, value, "float")
    return float(value)


def _read_number(meter: Meter, value: object, name: str) -> None:
    """Charge for parsing a number, whose time grows with the square of its length.

    Raises:
        ValueError: the number is too long.
    """
    if type(value) is str:
        if len(value) > _MAX_NUMBER_TEXT:
            raise ValueError(f"{name}() of a text of {len(value):,} characters")
        meter.charge(len(value) >> 4)
    elif type(value) not in NUMBERS and getattr(value, "adjusted", int)() > MAX_DIGITS:
        raise ValueError(f"{name}() of a number of more than {MAX_DIGITS} digits")


def round_(meter: Meter, number: Any, ndigits: int | None = None) -> object:
    if ndigits is not None:
        if abs(ndigits) > MAX_DIGITS:
            raise ValueError(f"round() to {ndigits} digits")
        if abs(ndigits) > 15 or not -1e15 < number < 1e15:
            meter.charge(DIGITS_COST)
    return round(number, ndigits)


def divmod_(meter: Meter, a: object, b: object) -> object:
    meter.charge(2)
    return divmod(meter.read(a), meter.read(b))


def power(meter: Meter, base: Any, exponent: Any) -> object:
    """Return `base ** exponent`, charged before it is computed."""
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        bits = base.bit_length()
        meter.int_size(bits * min(exponent, MAX_INT_BITS) if bits > 1 else bits)
    return meter.made(base**exponent)


def pow_(meter: Meter, base: Any, exp: Any, mod: Any = None) -> object:
    """Return what Python's `pow` does."""
    if type(mod) is int:
        words = (mod.bit_length() >> 5) + 4
        meter.charge(int(exp).bit_length() * words * words >> 6)
        return pow(meter.read(base), exp, mod)
    return power(meter, base, exp) if mod is None else pow(base, exp, mod)


def product(meter: Meter, iterable: Iterable[Any], *, start: Any = 1) -> object:
    """Return what `math.prod` does."""
    for number in meter.iterated(iterable):
        start = meter.made(_number(meter, start) * _number(meter, number))
    return start


def common_multiple(meter: Meter, *numbers: Any) -> object:
    """Return what `math.lcm` does."""
    result = 1
    for number in numbers:
        meter.charge(_MATH_COST)
        result = meter.made(math.lcm(result, _number(meter, number)))
    return result


def of_choices(function: Callable[..., object]) -> Metered:
    """Return a metered version of a function that counts choices of k from n. With n a million,
    such a number has a million digits, so the size of the result is charged first."""

    def compute(meter: Meter, n: Any, k: Any = None) -> object:
        factors = n if k is None else min(k, n - k) if function is math.comb else k
        bits = max(0, _number(meter, factors)) * _number(meter, n).bit_length()
        meter.int_size(min(bits, n) if function is math.comb else bits)
        return meter.made(function(n) if k is None else function(n, k))

    return compute


def float_sum(meter: Meter, values: Iterable[Any]) -> float:
    """Return what `math.fsum` does."""
    return math.fsum([_number(meter, value) for value in meter.iterated(values)])


def _number(meter: Meter, value: Any) -> Any:
    if type(value) not in NUMBERS:
        raise TypeError(f"a number is wanted, not {type(value).__name__}")
    return meter.read(value)


def of_numbers(function: Callable[..., object]) -> Metered:
    """Return a metered version of a function of numbers."""

    def compute(meter: Meter, *args: object, **options: object) -> object:
        meter.charge(_MATH_COST)
        for number in args:
            _number(meter, number)
        return function(*args, **options)

    return compute


MATH = (
    *("acos", "asin", "atan", "atan2", "cbrt", "ceil", "copysign", "cos", "cosh", "degrees", "erf"),
    *("exp", "exp2", "expm1", "fabs", "floor", "fmod", "gcd", "hypot", "isclose", "isfinite"),
    *("isinf", "isnan", "isqrt", "log", "log10", "log1p", "log2", "modf", "pow", "radians"),
    *("remainder", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)
