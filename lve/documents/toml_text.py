"""Parses TOML texts (`pyproject.toml`) as another notation for JSON values."""

from __future__ import annotations

from math import isfinite

from lve.documents.json_text import is_too_deep
from lve.documents.position_types import (
    MAX_BITS,
    OVER_LIMIT,
    TOO_DEEP,
    TOO_MANY_DIGITS,
    Finding,
    TextError,
)
from lve.json_types import JsonValue

MAX_DOTS = 500
"""Maximum number of dots in one line."""


def parse_toml(text: str) -> dict[str, JsonValue]:
    """Return the value of a TOML text. Dates become texts.

    Raises:
        TextError: the text isn't valid. The error has no position.
    """
    import tomllib  # late: most commands read no TOML

    text = text.removeprefix("\ufeff")  # Windows editors write it
    try:
        # The parser takes quadratic time for dotted keys, and recurses into nested lists.
        if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
            raise ValueError(f"a line with more than {MAX_DOTS} dots")
        value: dict[str, object] = tomllib.loads(text)
        if is_too_deep(value):
            raise ValueError(TOO_DEEP)
    except RecursionError:
        raise TextError([Finding(TOO_DEEP, 1, 1, code=OVER_LIMIT)]) from None
    except ValueError as error:
        raise TextError([Finding(f"not valid TOML: {error}", 1, 1)]) from None
    return {key: _plain(inner) for key, inner in value.items()}


def _plain(value: object) -> JsonValue:
    """Return a value with JSON's types.

    Raises:
        TextError: it has a number that JSON doesn't have (nan, inf) or Python can't print.
    """
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise TextError([Finding(TOO_MANY_DIGITS, 1, 1)])
    if isinstance(value, float) and not isfinite(value):
        raise TextError([Finding(f"`{value}` is not a number in JSON", 1, 1)])
    return value if isinstance(value, str | int | float) else str(value)
