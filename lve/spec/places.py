"""Places in a text: JSON paths, lines and columns, and what is wrong there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

JsonPath = tuple[str | int, ...]
"""Keys and indexes from the top of a document to a value."""

MAX_NESTING = 100
"""Lists and objects inside each other. Far above any honest document, far below what makes
recursive code (ours, jsonschema's) run out of stack."""

_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*\Z")


def spell_path(path: JsonPath) -> str:
    """Return a path as people write it: `$.prompt[2].role`, `$.files["a b"]`."""
    return "$" + "".join(_spell_step(step) for step in path)


def _spell_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.match(step) else f'["{step}"]'


@dataclass(slots=True)
class Places:
    """Line and column, both from 1, of every value and every key of a document."""

    values: dict[JsonPath, tuple[int, int]] = field(default_factory=dict)
    keys: dict[JsonPath, tuple[int, int]] = field(default_factory=dict)

    def of(self, path: JsonPath, *, key: bool = False) -> tuple[int, int] | None:
        """Return where a value stands (or its key), or else the nearest value around it."""
        if key and path in self.keys:
            return self.keys[path]
        for end in range(len(path), -1, -1):
            if path[:end] in self.values:
                return self.values[path[:end]]
        return None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong in a text that is not tied to a file yet."""

    message: str
    line: int
    column: int
    path: JsonPath | None = None
    hint: str | None = None


class TextError(ValueError):
    """A text is not a usable JSON or YAML document.

    Attributes:
        findings: what is wrong, in the order of the text.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(finding.message for finding in self.findings))


class LineIndex:
    """Turns offsets into a text into lines and columns. Only a line feed ends a line, so that the
    numbers agree with editors for CRLF files too."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of an offset."""
        from bisect import bisect_right

        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
