"""The formats of JSON Schema (`format: date`) that texts are held to."""

from __future__ import annotations

from functools import cache
from typing import Any

FORMATS = frozenset(
    {
        *("date", "date-time", "time", "duration"),
        *("email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid"),
        *("json-pointer", "relative-json-pointer", "regex"),
    }
)
"""Those of draft 2020-12. A text of any other format is accepted."""


def has_format(text: str, name: str) -> bool:
    """Return whether a text has a format.

    Args:
        text: any text.
        name: of the format; every text has one that isn't in `FORMATS`.
    """
    if name not in FORMATS:
        return True
    try:
        return bool(_validator(name).is_valid(text))
    except UnicodeEncodeError:  # half a surrogate pair
        return False


@cache
def _validator(name: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
