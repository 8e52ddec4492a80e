"""What the YAML parser tells of a value, a key or an alias."""

from __future__ import annotations

from typing import Protocol


class Mark(Protocol):
    """A position in the text, from 0."""

    line: int
    column: int


class YamlEvent(Protocol):
    """An event of the parser. Each kind has some of these; the package declares no common type."""

    anchor: str | None
    tag: str | None
    value: str
    implicit: tuple[bool, bool]
    """Whether a value has neither quotes nor a tag, as its first item says."""
    start_mark: Mark


def place_of(event: YamlEvent) -> tuple[int, int]:
    """Return the line and the column where an event begins, from 1."""
    return event.start_mark.line + 1, event.start_mark.column + 1
