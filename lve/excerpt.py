"""Shortens long values for messages: the beginning of a text, the first of many names."""

from __future__ import annotations

from collections.abc import Collection

SHOWN_CHARACTERS = 60
SHOWN_NAMES = 20


def excerpt(value: object, characters: int = SHOWN_CHARACTERS) -> str:
    """Return a value as text; a longer text is cut and ends in `...`."""
    text = str(value)
    return text if len(text) <= characters else text[: characters - 3] + "..."


def listed(names: Collection[object]) -> str:
    """Return the first names and how many more there are; `none` if there are none."""
    shown = [excerpt(name) for name, _ in zip(names, range(SHOWN_NAMES), strict=False)]
    more = len(names) - len(shown)
    return (", ".join(shown) or "none") + (f" and {more:,} more" if more else "")
