"""How the releases of ragas 0.1 write a prompt object: four texts in 23 releases."""

from __future__ import annotations

import re
from dataclasses import dataclass

FIRST, LAST = "0.1.0", "0.1.22"
_RELEASE = re.compile(r"0\.1\.(\d|1\d|2[0-2])")


@dataclass(frozen=True, slots=True)
class TextStyle:
    """What a release writes beside instruction, examples and inputs."""

    asks_for_json: bool = False
    """Whether the instruction ends in a request for JSON."""
    headings: bool = False
    """Whether examples and task have headings, JSON examples stand in fences, and
    `output_format_instruction` follows the instruction."""
    quotes: bool = False
    """Whether `format` writes texts as JSON."""


_STYLES = (
    (14, TextStyle(headings=True, quotes=True)),
    (6, TextStyle(headings=True)),
    (1, TextStyle(asks_for_json=True)),
    (0, TextStyle()),
)
"""From which release on, the latest first."""


def style_of(version: object) -> TextStyle | None:
    """Return how a release such as `0.1.7` writes prompts; None if it is no release of 0.1."""
    release = _RELEASE.fullmatch(version) if isinstance(version, str) else None
    if release is None:
        return None
    return next(style for since, style in _STYLES if int(release[1]) >= since)
