"""The units of measure and currencies by name, as data."""

from __future__ import annotations

from pathlib import Path

from lve.named_tuples import NamedTuple


class UnitRow(NamedTuple):
    """Units of the same size, with their multiples."""

    dimension: str
    """What they measure, as powers of base dimensions: `M L2 T-2`."""
    size: str
    """Their size in base units (kg, m, s, A, K, mol, byte, radian)."""
    names: str
    """Symbols and words. Words get a plural `s`."""
    symbols: str = ""
    """Symbols that take the prefixes of `prefixes`."""
    words: str = ""
    """Words that take the prefixes in full: `kilo`."""
    prefixes: str = ""
    """Symbols of prefixes."""


PREFIXES = {
    "T": ("tera", "1e12"), "G": ("giga", "1e9"), "M": ("mega", "1e6"), "k": ("kilo", "1e3"),
    "h": ("hecto", "100"), "d": ("deci", "0.1"), "c": ("centi", "0.01"), "m": ("milli", "1e-3"),
    "µ": ("micro", "1e-6"), "μ": ("micro", "1e-6"), "u": ("micro", "1e-6"),
    "n": ("nano", "1e-9"), "p": ("pico", "1e-12"), "f": ("femto", "1e-15"),
    "Ki": ("kibi", "1024"), "Mi": ("mebi", "1048576"), "Gi": ("gibi", "1073741824"),
    "Ti": ("tebi", "1099511627776"),
}  # fmt: skip
UNIT_ROWS = tuple(
    UnitRow(*line.split("\t"))
    for line in Path(__file__).with_name("units.tsv").read_text(encoding="utf-8").splitlines()
)
"""A unit in each line of `units.tsv`, the fields of `UnitRow` between tabs."""
DEGREES = {
    "°C ℃ C celsius centigrade degree_celsius degrees_celsius degree_centigrade grad_celsius"
    " degrees_c degree_c ° degree degrees deg 度 摄氏度 градус": ("1", "273.15"),
    "°F ℉ F fahrenheit degree_fahrenheit degrees_fahrenheit grad_fahrenheit degrees_f degree_f °"
    " degree degrees deg 华氏度": ("5/9", "45967/180"),
    "°R rankine": ("5/9", "0"),
}
"""Names -> factor and offset to kelvin."""
CODES, *_NAMED = Path(__file__).with_name("currencies.tsv").read_text(encoding="utf-8").splitlines()
"""The currencies of ISO 4217, in the first line of `currencies.tsv`; after it codes and names."""
CURRENCIES = {names: codes for codes, names in (line.split("\t") for line in _NAMED)}
"""Names -> the currencies that they can mean. `cents` are of any currency, `GBp` of the pound."""
