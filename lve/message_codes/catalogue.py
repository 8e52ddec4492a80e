"""Reads the catalogue of codes. Only `lve explain` and the pages of docs/ do: an error knows no
more than its code."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "catalogue.yaml"


class Explained(NamedTuple):
    """What a code means."""

    code: str
    """Small letters and `_`. Never renamed, and never given another meaning."""
    cause: str
    """Why the message is given, in one or two sentences of Markdown."""
    remedy: str
    """What to do about it, in the same form."""
    group: str
    """The heading that it stands under."""
    is_kind: bool
    """Whether it is also the kind of an error in results (docs/error-kinds.md)."""


class Group(NamedTuple):
    """Codes of one area, in the order of docs/messages.md."""

    title: str
    about: str | None
    """What all of them have in common, as a sentence of Markdown."""
    codes: tuple[Explained, ...]


@cache
def groups() -> tuple[Group, ...]:
    """Return all codes that messages have, by area."""
    import yaml  # late: it is slow to load

    written = yaml.load(
        FILE.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    return tuple(
        Group(
            group["title"],
            group.get("about"),
            tuple(
                Explained(code, one["cause"], one["remedy"], group["title"], one.get("kind", False))
                for code, one in group["codes"].items()
            ),
        )
        for group in written["groups"]
    )


def explained() -> dict[str, Explained]:
    """Return what each code means."""
    return {one.code: one for group in groups() for one in group.codes}
