"""How the releases of ragas 0.1 render a prompt object: four styles in 23 releases."""

from __future__ import annotations

import re

from lve.data_classes import dataclass

FIRST, LAST = "0.1.0", "0.1.22"
_RELEASE = re.compile(r"0\.1\.(\d|1\d|2[0-2])")


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How a release renders a prompt object."""

    asks_for_json: bool = False
    """Whether the instruction ends with a request for JSON."""
    headings: bool = False
    """Whether examples and task have headings, JSON examples are fenced, and
    `output_format_instruction` follows the instruction."""
    quotes: bool = False
    """Whether `format` inserts texts as JSON strings."""


_STYLES = (
    (14, TextStyle(headings=True, quotes=True)),
    (6, TextStyle(headings=True)),
    (1, TextStyle(asks_for_json=True)),
    (0, TextStyle()),
)
"""Patch number of the first release with a style, and the style; the latest first."""


def style_of(version: object) -> TextStyle | None:
    """Return the style of a release such as `0.1.7`; None if it isn't a release of ragas 0.1."""
    release = _RELEASE.fullmatch(version) if isinstance(version, str) else None
    if release is None:
        return None
    return next(style for since, style in _STYLES if int(release[1]) >= since)
