"""Converts numbers with units of measure to another unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from lve.checkers.extract.conclusion import shortened_body
from lve.checkers.extract.numerals.number_tokens import Number, numbers_in
from lve.checkers.extract.plain_text import without_marks


class Unit(NamedTuple):
    """A unit of measure."""

    dimension: str
    """What it measures: `length`."""
    factor: Fraction
    """Its size in the dimension's base unit."""
    offset: Fraction = Fraction(0)
    """Its zero point in the base unit, for temperatures."""


_TABLE: dict[str, dict[str, str]] = {
    "length": {
        "nm": "1e-9", "nanometer nanometre": "1e-9", "µm um micrometer micrometre": "1e-6",
        "mm millimeter millimetre": "0.001", "cm centimeter centimetre": "0.01",
        "dm decimeter decimetre": "0.1", "m meter metre": "1", "km kilometer kilometre": "1000",
        "inch inches": "0.0254", "ft foot feet": "0.3048", "yd yard": "0.9144",
        "mi mile": "1609.344", "nmi": "1852",
    },
    "mass": {
        "mg milligram": "0.000001", "g gram gramm": "0.001", "kg kilo kilogram kilogramm": "1",
        "t tonne tonnen": "1000", "oz ounce": "0.028349523125", "lb lbs pound": "0.45359237",
    },
    "time": {
        "ms millisecond": "0.001", "s sec second sekunde sekunden": "1",
        "min minute minuten": "60", "h hr hrs hour stunde stunden": "3600",
        "d day tag tage": "86400", "week woche wochen": "604800",
    },
    "area": {
        "mm² mm^2": "0.000001", "cm² cm^2": "0.0001", "m² m^2 sqm": "1", "ha hectare": "10000",
        "km² km^2": "1000000", "acre": "4046.8564224",
    },
    "volume": {
        "ml milliliter millilitre": "0.001", "cl": "0.01", "dl": "0.1", "l liter litre": "1",
        "cm³ cm^3": "0.001", "m³ m^3": "1000", "gal gallon": "3.785411784",
    },
    "speed": {
        "m/s": "1", "km/h kmh kph": "5/18", "mph": "0.44704", "kn knot": "463/900",
    },
    "data": {
        "bit": "1/8", "b byte": "1", "kb kilobyte": "1000", "mb megabyte": "1e6",
        "gb gigabyte": "1e9", "tb terabyte": "1e12", "kib": "1024", "mib": "1048576",
        "gib": "1073741824", "tib": "1099511627776",
    },
    "energy": {
        "j joule": "1", "kj kilojoule": "1000", "mj megajoule": "1e6", "cal calorie": "4.184",
        "kcal kilocalorie": "4184", "wh": "3600", "kwh": "3600000",
    },
    "power": {"w watt": "1", "kw kilowatt": "1000", "mw megawatt": "1e6", "gw gigawatt": "1e9"},
    "pressure": {"pa pascal": "1", "hpa": "100", "kpa": "1000", "bar": "100000", "mbar": "100"},
    "frequency": {"hz hertz": "1", "khz": "1000", "mhz": "1e6", "ghz": "1e9"},
    "money": {"$ usd dollar": "1", "cent cents ¢": "0.01"},
}  # fmt: skip
"""Dimension -> names of a unit -> its size in the base unit. Plurals with `s` are added."""
_DEGREES = {
    "°c celsius": ("1", "273.15"),
    "°f fahrenheit": ("5/9", "45967/180"),
    "k kelvin": ("1", "0"),
}
"""Names -> factor and offset to kelvin."""


def _units() -> Mapping[str, Unit]:
    units = {
        name: Unit(dimension, Fraction(factor))
        for dimension, listed in _TABLE.items()
        for names, factor in listed.items()
        for name in names.split()
    }
    units |= {
        name: Unit("temperature", Fraction(factor), Fraction(offset))
        for names, (factor, offset) in _DEGREES.items()
        for name in names.split()
    }
    return units


UNITS = _units()
_AFTER = re.compile(
    r"(?:\s|\\[,;: ]|\\(?:text|mathrm|operatorname)\{\s*|~|\{|\u00a0|-)*"
    r"(?:degrees? )?(?P<unit>°\s?[cf]\b|(?:square |cubic )?[a-zµ¢$]+(?:/[a-z]+|\^?[23²³])?)",
    re.IGNORECASE,
)
_WORDS = (("square ", "²"), ("cubic ", "³"))


def unit_named(name: str) -> Unit | None:
    """Return the unit of that name; None if it is unknown."""
    plain = name.strip().lower().replace("° ", "°").replace("^", "")
    for word, power in _WORDS:
        if plain.startswith(word):
            plain = _short(plain.removeprefix(word)) + power
    for spelling in (plain, plain.removesuffix("s"), plain.replace("2", "²").replace("3", "³")):
        for spelled in (spelling, spelling.replace("²", "^2").replace("³", "^3")):
            if spelled in UNITS:
                return UNITS[spelled]
    return None


def _short(name: str) -> str:
    shorter = {"meter": "m", "metre": "m", "kilometer": "km", "kilometre": "km"}
    shorter |= {"centimeter": "cm", "centimetre": "cm"}
    return shorter.get(name.removesuffix("s"), name)


def in_unit(text: str, unit: Unit) -> list[str]:
    """Return an answer with all amounts converted to one unit; amounts of other dimensions are
    removed.

    Args:
        text: the answer.
        unit: the unit.

    Returns:
        One text, or two if numbers are ambiguous.
    """
    plain = without_marks(shortened_body(text))
    amounts = [
        (n, *unit_and_end) for n in numbers_in(plain) if (unit_and_end := _unit_after(plain, n))
    ]
    if not amounts:
        return [plain]
    texts = [_rewritten(plain, amounts, unit, reading) for reading in (0, -1)]
    return list(dict.fromkeys(texts))


def _unit_after(text: str, number: Number) -> tuple[Unit, int] | None:
    """Return the unit after a number and the index of its end; None if there is none."""
    match = _AFTER.match(text, number.end)
    unit = unit_named(match["unit"]) if match else None
    return (unit, match.end()) if match and unit else None


def _rewritten(
    text: str, amounts: list[tuple[Number, Unit, int]], target: Unit, reading: int
) -> str:
    parts, place = list[str](), 0
    for number, unit, end in amounts:
        if number.start < place:
            continue
        parts.append(text[place : number.start])
        if unit.dimension == target.dimension:
            base = number.values[reading] * unit.factor + unit.offset
            parts.append(f" {_written((base - target.offset) / target.factor)}")
        place = end
    return "".join([*parts, text[place:]])


def _written(value: Fraction) -> str:
    """Return a number in digits that are unambiguous."""
    if value.denominator == 1 or abs(value) > 10**300:
        return str(round(value))
    return f"{float(value):.12f}".rstrip("0")
