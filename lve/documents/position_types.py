"""Positions in a text (JSON paths, lines, columns), findings at them, and limits for texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lve.errors import Problem, Severity
from lve.escape import excerpt
from lve.named_tuples import NamedTuple

JsonPath = tuple[str | int, ...]
"""Keys and indexes from the top of a document to a value."""

MAX_NESTING = 100
"""Maximum nesting of lists and objects: far more than real documents have, and far less than what
makes recursive code (lve's, jsonschema's) overflow the stack."""

MAX_DIGITS = 4300
"""Maximum decimal digits of a whole number. Python refuses to read or print longer ones."""

MAX_BITS = 14_284
"""A whole number of at most this many bits has no more than MAX_DIGITS digits."""

MAX_VALUES = 5_000_000
"""Maximum number of values in one text; each takes up to 100 bytes of memory."""
MAX_PLACED = 100_000
"""Maximum number of values of a document whose positions are found, which takes a second. Real
documents have far fewer."""
_SMALL = 1_000_000  # characters: shorter JSON texts can't have too many values
_OBJECT_VALUES = 2  # an object takes as much memory as two values

SYNTAX = "syntax"
"""Code for a text that isn't JSON, YAML or TOML."""
OVER_LIMIT = "over_limit"
"""Code for a text that exceeds a limit."""
MAX_FINDINGS = 100
"""Maximum number of problems reported for one text."""
TOO_MANY_FINDINGS = f"only the first {MAX_FINDINGS} problems are shown"
TOO_DEEP = f"nested more than {MAX_NESTING} levels deep"
TOO_MANY_DIGITS = "a number with too many digits"
TOO_MANY_VALUES = "too many values for one document"

TYPOGRAPHIC_QUOTES = "“”„‟‘’‚‛«»"
"""Quotes that word processors and chat programs write."""
_CONFLICT = r"(?m)^(?:<{7} |>{7} |\|{7} |={7}\r?$)"
"""Start of the lines that git puts around the two sides of a conflict."""
_PLAIN_KEY = r"[A-Za-z_$][\w$-]*\Z"


class Position(NamedTuple):
    """A position in a file, for messages."""

    file: Path
    line: int | None = None
    column: int | None = None
    path: str | None = None
    """JSON path."""

    def problem(
        self, message: str, hint: str | None = None, severity: Severity = "error", *, code: str
    ) -> Problem:
        """Return a problem at this position."""
        place = self.file, self.line, self.column
        return Problem(message, *place, self.path, hint, severity, code=code)


def spell_path(path: JsonPath) -> str:
    """Return a path as people write it: `$.prompt[2].role`, `$.files["a b"]`."""
    return "$" + "".join(_spell_step(step) for step in path)


def _spell_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{excerpt(step)}" if re.match(_PLAIN_KEY, step) else f'["{excerpt(step)}"]'


Place = tuple[int, int]
"""Line and column, both from 1."""


class Places:
    """The positions of all values and keys of a document.

    Each value is a node, identified by a number; the document itself is node 0. A node only stores
    its parent and the step from there, so that deeply nested values don't take more memory.
    """

    def __init__(self) -> None:
        self._steps: list[tuple[int, str | int] | None] = [None]
        self._nodes: dict[tuple[int, str | int], int] = {}
        self._values: list[Place | None] = [None]
        self._keys: dict[int, Place] = {}
        self._same: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._steps)

    def node(self, around: int, step: str | int) -> int:
        """Return the node of a value; create it if needed.

        Args:
            around: the node of its parent.
            step: its key or index in the parent.
        """
        origin = (around, step)
        node = self._nodes.setdefault(origin, len(self._steps))
        if node == len(self._steps):
            self._steps.append(origin)
            self._values.append(None)
        return node

    def put(self, node: int, place: Place) -> None:
        """Record the position of a value."""
        self._values[node] = place

    def put_key(self, node: int, place: Place) -> None:
        """Record the position of a value's key."""
        self._keys[node] = place

    def put_alias(self, node: int, other: int) -> None:
        """Record that a value is a YAML alias of `other`, which has the positions of its parts."""
        self._same[node] = other
        self._values[node] = self._values[other] or self._values[node]

    def path(self, node: int) -> JsonPath:
        """Return the path of a node."""
        steps: list[str | int] = []
        while (origin := self._steps[node]) is not None:
            node, step = origin
            steps.append(step)
        return tuple(reversed(steps))

    def of(self, path: JsonPath, *, key: bool = False) -> Place | None:
        """Return the position of the value at `path`, or of its key. If there is no such value,
        return the position of the nearest value around it."""
        node, place = 0, self._values[0]
        for number, step in enumerate(path, 1):
            inner = self._nodes.get((self._same.get(node, node), step))
            if inner is None:
                return place
            node, place = inner, self._values[inner] or place
            if key and number == len(path):
                return self._keys.get(node, place)
        return place


class Finding(NamedTuple):
    """A mistake in a text: a `Problem` without a file."""

    message: str
    line: int
    column: int
    path: JsonPath | None = None
    hint: str | None = None
    code: str = SYNTAX
    """As in `LveError`."""


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings in the order of the text."""
    return sorted(findings, key=lambda finding: (finding.line, finding.column))


def merge_conflict(text: str) -> Finding | None:
    """Return a finding about the first merge conflict in a text; None if it has none.

    Only for texts that can't be parsed: others may contain such lines.
    """
    mark = re.search(_CONFLICT, text)
    if mark is None:
        return None
    hint = "keep one side, and remove the lines that git has added: `<<<<<<<`, `=======`, `>>>>>>>`"
    return Finding("a merge conflict", *LineIndex(text).place(mark.start()), hint=hint)


class TextError(ValueError):
    """A text isn't a valid JSON, YAML or TOML document.

    Attributes:
        findings: all problems, in the order of the text.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(finding.message for finding in self.findings))


class LineIndex:
    """Converts offsets in a text to lines and columns.

    Only a line feed ends a line, so that the numbers agree with editors for CRLF files, too. It is
    fast for ascending offsets, because it continues from the last one.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._start = 0
        """Offset of the start of the line."""
        self._at = 0

    def place(self, offset: int) -> Place:
        """Return line and column of an offset, both from 1."""
        if offset < self._start:
            self._line, self._start, self._at = 1, 0, 0
        if offset > self._at:
            feeds = self._text.count("\n", self._at, offset)
            if feeds:
                self._line += feeds
                self._start = self._text.rfind("\n", self._at, offset) + 1
            self._at = offset
        return self._line, offset - self._start + 1


def is_too_large(text: str) -> bool:
    """Return whether parsing a JSON text would take too much memory."""
    if len(text) <= _SMALL:
        return False
    return text.count(",") + text.count("[") + _OBJECT_VALUES * text.count("{") > MAX_VALUES
