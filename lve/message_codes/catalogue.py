"""Reads the catalogue of message codes, for `lve explain` and the pages in docs/. An error only has
its code."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lve.named_tuples import NamedTuple

FILE = Path(__file__).parent / "catalogue.yaml"


class CodeEntry(NamedTuple):
    """The entry of a code in the catalogue."""

    code: str
    """Lower-case letters and `_`. Never renamed, and never given another meaning."""
    cause: str
    """Why the message is given, in one or two sentences of Markdown."""
    remedy: str
    """What the user can do about it, in the same form."""
    group: str
    """The title of its group."""
    is_kind: bool
    """Whether it is also the kind of an error in results (docs/error-kinds.md)."""


class Group(NamedTuple):
    """Codes of one area, in the order of docs/messages.md."""

    title: str
    about: str | None
    """What the codes have in common, as a sentence of Markdown."""
    codes: tuple[CodeEntry, ...]


@cache
def groups() -> tuple[Group, ...]:
    """Return the catalogue by groups."""
    import yaml  # late: it is slow to import

    written = yaml.load(
        FILE.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    return tuple(
        Group(
            group["title"],
            group.get("about"),
            tuple(
                CodeEntry(
                    code,
                    code_data["cause"],
                    code_data["remedy"],
                    group["title"],
                    code_data.get("kind", False),
                )
                for code, code_data in group["codes"].items()
            ),
        )
        for group in written["groups"]
    )


def entries() -> dict[str, CodeEntry]:
    """Return code -> its entry."""
    return {entry.code: entry for group in groups() for entry in group.codes}
