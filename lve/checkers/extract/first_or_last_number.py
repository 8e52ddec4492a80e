"""Finds the first or last number of an answer: sign, decimals, thousands separators, exponents.

The rules:

* A sign belongs to a number if it touches the number and nothing touches the sign: `-3` and `(-3)`
  are minus three, but the hyphen in `2020-3`, `5-3` and `COVID-19` is no sign. `{-}3`, `-\\,3` and
  `= - 3` touch it, too (`lve.checkers.shape.characters.plain_notation`).
* Thousands separators are `,` `'` `’` `_` or a narrow or no-break space, the same throughout, with
  groups of three digits: `1,234,567`. `1,2,3` are three numbers.
* `.` is the decimal point: `1.234,56` is 1.234 followed by 56.
* The power of a unit (`12 m^2`) is no number.
* A whole number can be written as `42.0` or `1e3`. `3.5` is no whole number and is skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Literal, get_args

from lve.checkers.judging_limits import MAX_DIGITS
from lve.escape import quoted

Extract = Literal["int_first", "int_last", "float_first", "float_last"]
EXTRACTS: tuple[str, ...] = get_args(Extract)

_NUMBER = r"""
    (?: (?<![\w.)\]]) (?P<sign> [-+\u2212\uff0d\ufe63] ) [$€£]? )?
    (?: (?P<grouped> \d{1,3} (?: (?P<separator> [,'\u2019_\u00a0\u2009\u202f] ) \d{3} )
                     (?: (?P=separator) \d{3} )* (?!\d) )
      | (?P<plain> \d+ )
      | (?= \.\d ) (?<! [\d.] )
    )
    (?P<fraction> \.\d+ )?
    (?P<exponent> [eE] [+-]? \d+ (?!\w) )?
"""


_UNIT_LENGTH = 30
_UNIT_POWER = re.compile(r"\d[^\d=+()]{0,20}[^\W\d_]\}?\^\{?\Z")
"""A number and its unit, up to the unit's power: `12 m^`."""


def extract_number(text: str, extract: Extract) -> int | float | None:
    """Return the first or last (whole) number of a text.

    Args:
        text: an answer.
        extract: `int_first`, `int_last`, `float_first` or `float_last`.

    Returns:
        The number, or None if the text has none.
    """
    value = _selected(text, extract)
    if value is None:
        return None
    # A float doesn't hold all digits of a long number.
    is_long = value.as_tuple().exponent == 0 and abs(value) >= 2**53
    return int(value) if extract.startswith("int") or is_long else float(value)


def written_number(text: str, extract: Extract) -> str:
    """Return the first or last (whole) number of a text in plain notation: `1234.5` for `1,234.50`.

    Args:
        text: an answer.
        extract: as for `extract_number`.

    Returns:
        All digits of the number, or an empty text if there is none.
    """
    value = _selected(text, extract)
    return "" if value is None else _plain(value)


def plain_reference(value: object) -> object:
    """Return a right answer, or each of a list, in the notation of `written_number` if it is a
    number; otherwise unchanged."""
    if isinstance(value, list):
        return [plain_reference(reference) for reference in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str) or len(value) > MAX_DIGITS:
        return value
    text = value.strip()
    match = _number().fullmatch(text)
    number = next(_decimals(text), None) if match and match[0] else None
    return value if number is None else _plain(number)


@cache
def _number() -> re.Pattern[str]:
    """Compile the pattern on first use, as that takes 4 ms."""
    return re.compile(_NUMBER, re.VERBOSE)


def _decimals(text: str) -> Iterator[Decimal]:
    from lve.checkers.shape.characters import plain_notation  # late: it reads many patterns

    for match in _number().finditer(plain_notation(text.strip())):
        if len(match[0]) > MAX_DIGITS:
            continue
        if _UNIT_POWER.search(match.string, max(0, match.start() - _UNIT_LENGTH), match.start()):
            continue
        digits = re.sub(r"\D", "", match["grouped"] or match["plain"] or "0")
        exponent = match["exponent"] or ""
        if len(exponent) > 5:
            continue
        sign = "-" if match["sign"] and match["sign"] != "+" else ""
        yield Decimal(f"{sign}{digits}{match['fraction'] or ''}{exponent}")


def _selected(text: str, extract: Extract) -> Decimal | None:
    keep = _is_whole if extract.startswith("int") else _fits_float
    numbers = filter(keep, _decimals(text))
    if extract.endswith("first"):
        return next(numbers, None)
    return [None, *numbers][-1]


def _fits_float(value: Decimal) -> bool:
    return math.isfinite(float(value))


def _is_whole(value: Decimal) -> bool:
    return value.adjusted() <= MAX_DIGITS and value == value.to_integral_value()


def _plain(value: Decimal) -> str:
    if not value:
        return "0"
    if abs(value.adjusted()) > MAX_DIGITS:
        return str(value)
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def no_number_reason(text: str, extract: Extract) -> str:
    """Return the reason of a verdict on an answer without a number."""
    kind = "whole number" if extract.startswith("int") else "number"
    return f"found no {kind} in {quoted(text)}"
