"""Reads units of measure and currencies: `km`, `kg·m^2/s`, `square feet`, `US dollars`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product

from lve.checkers.extract.quantities.unit_table import (
    CODES,
    CURRENCIES,
    DEGREES,
    PREFIXES,
    UNIT_ROWS,
    UnitRow,
)
from lve.checkers.extract.quantities.word_lists import word_list
from lve.checkers.shape.characters import unified
from lve.checkers.shape.patterns import pattern
from lve.named_tuples import NamedTuple

Dimension = tuple[tuple[str, int], ...]
"""Base dimensions with their exponents, sorted: length per time is `(("L", 1), ("T", -1))`."""


class Unit(NamedTuple):
    """A unit of measure."""

    dimension: Dimension
    factor: Fraction
    """Its size in base units."""
    offset: Fraction = Fraction(0)
    """Its zero point in base units, for temperatures."""


Units = tuple[Unit, ...]
"""What a unit's name can mean: `pound` is a mass and a currency. Empty if it is unknown."""
_ATOM = re.compile(pattern("unit_atom"))
_LINK = re.compile(pattern("unit_link"))
_HAN = re.compile("[一-鿿ぁ-ヿ가-힣]")
_CURRENCIES = frozenset(CODES.split())
_MAX_ATOMS = 6
"""The most units of a product."""
_LONGEST_HAN = 8
_FUNCTION_WORDS = word_list("function_words")
"""Words after a number that are no unit, nor something that is counted."""
_INCH_FOLLOWS = re.compile(r"\s*(?:[.,;:!?)\n]|$|tall|long|wide|high|deep|thick|by|[x×*^(])")


def _words(names: str) -> Iterator[str]:
    for name in names.split():
        yield name.replace("_", " ")


def _dimension(text: str) -> Dimension:
    powers = re.findall(r"([A-Za-z%]+)(-?\d*)", text)
    return tuple(sorted((base, int(power or 1)) for base, power in powers))


def _of_row(row: UnitRow) -> Iterator[tuple[str, Unit]]:
    unit = Unit(_dimension(row.dimension), Fraction(row.size))
    for name in _words(row.names):
        yield name, unit
        if len(name) > 2 and name[-1] not in "s." and name.isascii():
            yield f"{name}s", unit
    for symbol in ("", *row.prefixes.split()):
        word, size = PREFIXES.get(symbol, ("", "1"))
        larger = unit._replace(factor=unit.factor * Fraction(size))
        for name in row.symbols.split():
            yield symbol + name, larger
        for name in _words(row.words):
            yield word + name, larger
            yield f"{word}{name}s", larger


def _of_currencies() -> Iterator[tuple[str, Unit]]:
    for code in CODES.split():
        yield code, Unit(((code, 1),), Fraction(1))
    for names, codes in CURRENCIES.items():
        for name, code in product(_words(names), codes.split()):
            unit = Unit(((code, 1),), Fraction(1))
            yield name, Unit((("GBP", 1),), Fraction(1, 100)) if code == "GBp" else unit
            if len(name) > 3 and name.isascii() and not name.endswith(("s", ".")):
                yield f"{name}s", unit


def _of_degrees() -> Iterator[tuple[str, Unit]]:
    for names, (factor, offset) in DEGREES.items():
        for name in _words(names):
            yield name, Unit((("K", 1),), Fraction(factor), Fraction(offset))


@cache
def units_by_name() -> dict[str, Units]:
    """Return name -> what it can mean, the usual meaning first."""
    pairs = [pair for row in UNIT_ROWS for pair in _of_row(row)]
    return _gathered([*pairs, *_of_currencies(), *_of_degrees()])


@cache
def _in_any_case() -> dict[str, Units]:
    """Return lower-case name -> what it means if that doesn't depend on case."""
    return _gathered((name.lower(), u) for name, units in units_by_name().items() for u in units)


def _gathered(pairs: Iterable[tuple[str, Unit]]) -> dict[str, Units]:
    table: dict[str, list[Unit]] = {}
    for name, unit in pairs:
        listed = table.setdefault(name, [])
        if unit not in listed:
            listed.append(unit)
    return {name: tuple(units) for name, units in table.items()}


@lru_cache(maxsize=4096)
def meanings_of(name: str) -> Units:
    """Return what one unit's name can mean; empty if it is unknown. Case counts where it makes a
    difference: `mW`, `MW`."""
    name = name.replace("° ", "°")
    exact = units_by_name().get(name)
    if exact is not None:
        return exact
    lower = _in_any_case().get(name.lower(), ())
    if len({unit.dimension for unit in lower}) == len(lower) or len(name) > 3:
        return lower
    return ()


@lru_cache(maxsize=256)
def units_named(text: str) -> Units:
    """Return what a unit of a test, such as `km/h`, can mean; empty if it is unknown."""
    text = unified(text).strip()
    if whole := meanings_of(text):
        return whole[:1] if text.lower().startswith(("$", "dollar")) else whole
    units, end = read_units(text, 0)
    return units if units and end == len(text) else ()


def read_units(text: str, place: int) -> tuple[Units | None, int]:
    """Return what the unit at a place of a text means and where it ends. The meaning is empty for
    an unknown unit or something that is counted, and None if there is no unit."""
    units, end = _atom(text, place)
    if not units:
        return units, end
    for _ in range(_MAX_ATOMS):
        link = _LINK.match(text, end)
        if link is None:
            return units, end
        is_ratio = bool(link["over"] or link["per"])
        factor, after = _atom(text, link.end())
        is_power = "^" in text[link.end() : after] or text[after : after + 1] == "/"
        if not is_ratio and (not factor or (link[0] == " " and not is_power)):
            return units, end
        times = int(link["times"] or 1)
        if is_ratio and not (factor and times):  # "5 km / 0 h" is nothing
            return (units, end) if factor is None and not link["times"] else ((), after)
        price = units if is_ratio and all(_is_money(unit) for unit in units) else ()
        units = _times(units, factor or (), -1 if is_ratio else 1)
        if times > 1:
            units = tuple(u._replace(factor=u.factor / times) for u in units)
        units += price  # "12 € / month" is an amount of money, too
        end = after
    return units, end


def _times(left: Units, right: Units, sign: int) -> Units:
    return tuple(
        Unit(_sum(a.dimension, b.dimension, sign), a.factor * b.factor**sign)
        for a, b in product(left[:3], right[:3])
    )


def _sum(left: Dimension, right: Dimension, sign: int) -> Dimension:
    powers = dict(left)
    for base, power in right:
        powers[base] = powers.get(base, 0) + sign * power
    return tuple(sorted((base, power) for base, power in powers.items() if power))


def _atom(text: str, place: int) -> tuple[Units | None, int]:
    """Read one unit with its power."""
    if _HAN.match(text, place):
        return _han(text, place)
    match = _ATOM.match(text, place)
    if match is None:
        return None, place
    units, end = _looked_up(match)
    if units is None:
        return None, place
    power = _power(match) if end == match.end() else 1
    if power != 1:
        units = tuple(
            Unit(tuple((base, p * power) for base, p in u.dimension), u.factor**power)
            for u in units
        )
    return units, end


def _looked_up(match: re.Match[str]) -> tuple[Units | None, int]:
    name, text = match["name"], match.string
    is_over = text[match.start() - 1 : match.start()] == "/"  # `м/с`
    if name.lower() in _FUNCTION_WORDS and not match["area"] and not is_over:
        is_inch = name == "in" and _INCH_FOLLOWS.match(text, match.end("name"))
        if not is_inch and not (name == "in" and (match["power"] or match["digit"])):
            return None, match.start()
    units = meanings_of(name)
    if units:
        return units, match.end()
    if "-" in name or " " in name:  # `km-long`, `degrees warmer`
        first = re.split(r"[- ]", name, maxsplit=1)[0]
        return meanings_of(first), match.start("name") + len(first)
    return (), match.end()


def _power(match: re.Match[str]) -> int:
    if match["area"]:
        return 3 if match["area"][0] in "cCkK" else 2
    if match["word"]:
        return 3 if match["word"].startswith(("cub", "cúb")) else 2
    return int(match["power"] or match["digit"] or 1)


def _han(text: str, place: int) -> tuple[Units, int]:
    """Read a Chinese, Japanese or Korean unit: the longest name."""
    for length in range(_LONGEST_HAN, 0, -1):
        name = text[place : place + length]
        units = units_by_name().get(name)
        if units:
            return units, place + len(name)
    return (), place


def converted(value: Fraction, units: Units, target: Units) -> Fraction | None:
    """Return a value in another unit; None if the two measure different things.

    Args:
        value: in one of `units`.
        units: what the value's unit can mean.
        target: what the other unit can mean, the usual meaning first.
    """
    for wanted, unit in product(target, units):
        if wanted.dimension == unit.dimension:
            base = value * unit.factor + unit.offset
            return (base - wanted.offset) / wanted.factor
        if is_cents_of(unit, wanted):
            return value / 100
    return None


def is_cents_of(unit: Unit, wanted: Unit) -> bool:
    """Return whether a unit is the hundredth of any decimal currency, and the other a currency."""
    is_cent = unit.dimension == (("cents", 1),)
    return is_cent and _is_money(wanted)


def _is_money(unit: Unit) -> bool:
    return len(unit.dimension) == 1 and unit.dimension[0][0] in _CURRENCIES
