"""Edits of a document's text, at the places of its keys and values: all else stays as written."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Any

from lve.named_tuples import NamedTuple

Pair = tuple[Any, Any]
"""The nodes of a key and of its value, as PyYAML composes them. JSON is YAML, too."""
_PLAIN = re.compile(r"[A-Za-z_][\w-]*\Z")
_RESERVED = {"true", "false", "null", "yes", "no", "on", "off"}


class Edit(NamedTuple):
    """A part of a text and what takes its place."""

    start: int
    """Offset in characters."""
    end: int
    text: str


class CannotEditError(ValueError):
    """A part of the document is written in a way that can't be rewritten without loss."""


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits that don't overlap.

    Raises:
        CannotEditError: two of them overlap.
    """
    parts, at = [], 0
    for edit in sorted(edits):
        if edit.start < at:
            raise CannotEditError("two edits of the same part")
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join((*parts, text[at:]))


class Source:
    """The text of a document, and how keys are written in it."""

    def __init__(self, text: str, *, is_json: bool) -> None:
        self.text = text
        self._is_json = is_json

    def key(self, name: str) -> str:
        """Return a key as it is written in this document."""
        is_plain = _PLAIN.match(name) and name.lower() not in _RESERVED
        return name if is_plain and not self._is_json else json.dumps(name, ensure_ascii=False)

    def renamed(self, pair: Pair, name: str) -> Edit:
        """Return the edit that gives a value another key."""
        key, _ = pair
        return Edit(start(key), end(key), self.key(name))

    def without(self, mapping: Any, gone: Collection[int]) -> list[Edit]:
        """Return the edits that take pairs out of a mapping.

        Args:
            mapping: its node.
            gone: indexes of the pairs that go.

        Raises:
            CannotEditError: none would be left, or a comment would go, too.
        """
        pairs = pairs_of(mapping)
        kept = [index for index in range(len(pairs)) if index not in gone]
        if not kept:
            raise CannotEditError("no key would be left")
        lines = {} if is_flow(mapping) else {n: self._lines_of(pairs[n]) for n in gone}
        edits = [edit for edit in lines.values() if edit is not None]
        others = [n for n in gone if lines.get(n) is None]
        for before, after in zip([-1, *kept], [*kept, len(pairs)], strict=True):
            run = [n for n in others if before < n < after]
            if run and after < len(pairs):
                edits.append(self.cut(start(pairs[min(run)][0]), start(pairs[after][0])))
            elif run:
                edits.append(self.cut(end(pairs[before][1]), end(pairs[max(run)][1])))
        return edits

    def _lines_of(self, pair: Pair) -> Edit | None:
        """Return the edit that removes the lines of a pair; None if anything else is there."""
        begin, stop = start(pair[0]), end(pair[1])
        first, last = self.text.rfind("\n", 0, begin) + 1, self.text.find("\n", stop)
        if last < 0 or self.text[first:begin].strip() or self.text[stop:last].strip():
            return None
        return Edit(first, last + 1, "")

    def cut(self, begin: int, stop: int, text: str = "") -> Edit:
        """Return the edit that replaces a part without comments.

        Raises:
            CannotEditError: the part has a comment.
        """
        if not self._is_json and re.search(r"(?m)(?:^|\s)#", self.text[begin:stop]):
            raise CannotEditError("a comment stands there")
        return Edit(begin, stop, text)


def start(node: Any) -> int:
    """Return the offset of the first character of a node."""
    offset: int = node.start_mark.index
    return offset


def end(node: Any) -> int:
    """Return the offset behind a node."""
    offset: int = node.end_mark.index
    return offset


def is_flow(node: Any) -> bool:
    """Return whether a mapping or list is written in braces or brackets."""
    return bool(node.flow_style)


def pairs_of(node: Any) -> list[Pair]:
    """Return the pairs of a mapping; empty for any other node."""
    return list(node.value) if type(node).__name__ == "MappingNode" else []


def items_of(node: Any) -> list[Any]:
    """Return the items of a list; empty for any other node."""
    return list(node.value) if type(node).__name__ == "SequenceNode" else []


def text_of(node: Any) -> str | None:
    """Return the text of a scalar as it is written; None for a mapping or list."""
    return str(node.value) if type(node).__name__ == "ScalarNode" else None


def named(pairs: list[Pair]) -> dict[str, int]:
    """Return key -> index of its pair."""
    return {str(key.value): index for index, (key, _) in enumerate(pairs)}
