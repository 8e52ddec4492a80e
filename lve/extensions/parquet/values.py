"""Turns the columns of a Parquet file into JSON values, and back into Python's values.

A process that decodes a file sends JSON, because reading it is safe whatever the process has
become. JSON has no dates, times, decimal numbers, bytes and NaN; they are texts, and a column's
kind says what they mean.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

Kind = str | list[Any] | None
"""None for JSON values; the name of another kind; `["list", kind]`; `["struct", {name: kind}]`."""
_DECIMAL = re.compile(r"-?\d{1,80}(?:\.\d{1,80})?(?:E[+-]?\d{1,2})?")
_NOT_FINITE = ("nan", "inf", "-inf")
_NANOSECONDS = re.compile(r"\.\d{7,}")
FEW_ROWS = 10_000_000
"""Any file may have this many rows."""
ROWS_PER_BYTE = 10
"""Further rows allowed per byte of the file: a few kilobytes can hold a billion empty rows."""


def most_rows(size: int) -> int:
    """Return how many rows a file of `size` bytes may have."""
    return FEW_ROWS + ROWS_PER_BYTE * size


def kind_of(column: Any) -> Kind:
    """Return the kind of an Arrow array, which has no dictionaries and no maps."""
    from pyarrow import types

    kind = column.type
    if types.is_struct(kind):
        inner = zip(kind.names, column.flatten(), strict=True)
        kinds = {name: kind_of(array) for name, array in inner}
        return ["struct", kinds] if any(kinds.values()) else None
    if hasattr(kind, "value_type"):
        deeper = kind_of(column.flatten())
        return ["list", deeper] if deeper else None
    if types.is_floating(kind):
        return None if _is_finite(column) else "float"
    return next((name for name, fits in _kinds().items() if fits(kind)), None)


def _is_finite(column: object) -> bool:
    from pyarrow import compute

    return compute.all(compute.is_finite(column)).as_py() is not False


def _kinds() -> Mapping[str, Callable[[object], bool]]:
    from pyarrow import types

    return {
        "date": types.is_date,
        "datetime": types.is_timestamp,
        "time": types.is_time,
        "timedelta": types.is_duration,
        "decimal": types.is_decimal,
        "bytes": lambda kind: (
            types.is_binary(kind)
            or types.is_large_binary(kind)
            or types.is_binary_view(kind)
            or types.is_fixed_size_binary(kind)
        ),
    }


def encoded(value: Any, kind: Kind) -> object:
    """Return a value of a column as JSON value."""
    return _converted(value, kind, _ENCODERS)


def decoded(value: Any, kind: Kind) -> Any:
    """Return the value that `encoded` made a JSON value. Both arguments are untrusted.

    Raises:
        ValueError, TypeError, LookupError, AttributeError, ArithmeticError: they don't fit.
    """
    return _converted(value, kind, _DECODERS)


def _converted(value: Any, kind: Kind, by_kind: Mapping[str, Callable[[Any], Any]]) -> Any:
    if value is None or kind is None:
        return value
    if isinstance(kind, list):
        if kind[0] == "list":
            return [_converted(member, kind[1], by_kind) for member in value]
        return {
            name: _converted(member, kind[1].get(name), by_kind) for name, member in value.items()
        }
    return by_kind[kind](value)


def _encoded_timedelta(value: timedelta) -> list[int]:
    return [value.days, value.seconds, value.microseconds]


def _decoded_datetime(text: str) -> datetime | str:
    # Python would cut off nanoseconds.
    return text if _NANOSECONDS.search(text) else datetime.fromisoformat(text)


def _decoded_decimal(text: str) -> Decimal:
    if not _DECIMAL.fullmatch(text):  # a huge exponent would become gigabytes of zeros
        raise ValueError("no decimal number")
    return Decimal(text)


def plain_value(value: object) -> object:
    """Return a value of a rare type as JSON value: numpy's numbers as numbers, others as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _encoded_float(value: float) -> float | str:
    return value if value - value == 0 else str(float(value))


def _decoded_float(value: object) -> object:
    return float(str(value)) if value in _NOT_FINITE else value


_ENCODERS: Mapping[str, Callable[[Any], Any]] = {
    "date": date.isoformat,
    "datetime": lambda value: value.isoformat(sep=" "),
    "time": time.isoformat,
    "timedelta": _encoded_timedelta,
    "decimal": str,
    "bytes": lambda value: b64encode(value).decode("ascii"),
    "float": _encoded_float,
}
_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "date": date.fromisoformat,
    "datetime": _decoded_datetime,
    "time": time.fromisoformat,
    "timedelta": lambda value: timedelta(*value),
    "decimal": _decoded_decimal,
    "bytes": lambda value: b64decode(value, validate=True),
    "float": _decoded_float,
}
