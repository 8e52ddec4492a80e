"""How values look that are often guessed wrong, as hints for messages about their types."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lve.documents.places import JsonPath
from lve.escape import excerpt

_SHAPES: Mapping[str, str] = {
    "check": "one check is `{contains: Paris}`; several stand in `checks`",
    "checks": "write `[{contains: Paris}]`",
    "examples": "write `[{response: Paris, verdict: passed}]`",
    "examples.*": "write `{response: Paris, verdict: passed}`",
    "model": "several models stand in `models`",
    "models": "write `[openai/NAME]`; one model stands in `model`",
    "prompt_parameters": "write `[name]`",
    "tags": "write `[{name: severity, value: high}]`",
    "tags.*": "write `{name: severity, value: high}`",
    "default_model_args": "write `{temperature: 0.5}`",
    "expect": "for a share of passes write `{pass_rate: 0.9}`",
    "skip": "write why: `skip: the server is gone`",
    "dataset.*": "each row is an object: `{parameter: value}`",
    "matrix": "write `{parameter: [one, other]}`",
    "matrix.*": "write the values as a list: `[one, other]`",
    "roles": "write `[judge]`",
}
"""Path -> how its value looks; `*` is any item or key."""
_NUMBER = re.compile(r"([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)( ?[a-z%]{0,8})")


def hint_of_shape(path: JsonPath, value: object) -> str | None:
    """Return how a value looks that is no such value; None where that is plain.

    Args:
        path: of the value, in a test document.
        value: as it is written.
    """
    if path == ("model",) and not isinstance(value, list):
        return None
    if isinstance(value, dict) and len(value) == 1 and None in value.values():
        return None  # `{name}` without quotes: that is the mistake
    return _SHAPES.get(".".join([*map(str, path[:1]), *["*"] * len(path[1:])]))


def as_number(value: object) -> str | None:
    """Return how to write a text as a number, if it reads as one; else None."""
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    number, unit = found.groups()
    return f"write {excerpt(number)}, without {'its unit' if unit else 'quotes'}"
