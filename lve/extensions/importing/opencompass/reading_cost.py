"""Counts what reading a configuration costs, and what it may not be: code, or without an end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lve.data_classes import dataclass

MAX_STEPS = 3_000_000
"""The most expressions, statements, passes of loops and values that one configuration takes."""
MAX_CHARACTERS = 64_000_000
"""The most characters of all texts that it puts together."""
MAX_DEPTH = 120
"""How deep expressions, calls and values are nested at most."""
MAX_BITS = 4_096
"""The longest whole number, in bits."""
SCALARS = (str, int, float, bool, type(None))


class NotDataError(ValueError):
    """A part of a configuration can't be read as data. The message says which and why."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line
        """The line in its file; 0 until it is known."""
        self.file = ""
        """The file; empty until it is known."""


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A class, function or module that a configuration names: it is never loaded."""

    module: str
    name: str

    @property
    def path(self) -> str:
        """With its module: `opencompass.datasets.gsm8k.GSM8KDataset`."""
        return f"{self.module}.{self.name}" if self.module else self.name


@dataclass(slots=True)
class Work:
    """What reading a configuration has cost."""

    steps: int = 0
    characters: int = 0
    depth: int = 0

    def step(self, count: int = 1) -> None:
        """Count work.

        Raises:
            NotDataError: it is too much.
        """
        self.steps += count
        if self.steps > MAX_STEPS:
            raise NotDataError(f"it takes more than {MAX_STEPS:,} steps")

    def text(self, length: int) -> None:
        """Count a text before it is put together.

        Raises:
            NotDataError: it is too much.
        """
        self.characters += max(length, 0)
        if self.characters > MAX_CHARACTERS:
            raise NotDataError(f"its texts have more than {MAX_CHARACTERS:,} characters")

    def enter(self) -> None:
        """Go a level deeper; `leave` ends it.

        Raises:
            NotDataError: it is too deep.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotDataError(f"it is nested more than {MAX_DEPTH} levels deep")

    def leave(self) -> None:
        """End a level."""
        self.depth -= 1

    def items(self, values: object) -> Iterator[object]:
        """Yield the items of a value, counting each.

        Raises:
            NotDataError: it has none, or too many.
        """
        if not isinstance(values, Iterable):
            raise NotDataError(f"{kind_of(values)} has no items")
        for value in values:
            self.step()
            yield value

    def number(self, value: object) -> object:
        """Return a value.

        Raises:
            NotDataError: it is a number that is too long.
        """
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise NotDataError("a number is too long")
        return value

    def key(self, value: Any) -> Any:
        """Return a value that may be a key or in a set.

        Raises:
            NotDataError: it is more than a text, a number, a name or a flat tuple of these.
        """
        parts = value if isinstance(value, tuple) else (value,)
        self.step(len(parts))
        if not all(isinstance(part, (*SCALARS, ImportedName)) for part in parts):
            raise NotDataError(f"{kind_of(value)} can't be a key")
        return value

    def copied(self, value: object) -> object:
        """Return a value whose lists and objects are its own.

        Raises:
            NotDataError: it is too large or too deep.
        """
        self.step()
        if not isinstance(value, list | tuple | set | dict):
            return value
        self.enter()
        try:
            if isinstance(value, dict):
                return {key: self.copied(item) for key, item in value.items()}
            return type(value)([self.copied(item) for item in value])
        finally:
            self.leave()

    def equal(self, left: object, right: object) -> bool:
        """Return whether two values are equal, of which each is counted."""
        nested = (list, tuple, set, dict)
        if isinstance(left, nested) and isinstance(right, nested):
            return bool(self.copied(left) == self.copied(right))
        return bool(left == right)

    def plain(self, value: object) -> object:
        """Return a value as JSON has it: names as texts with their module, tuples as lists.

        Raises:
            NotDataError: it is too large, too deep, or has what JSON hasn't.
        """
        self.step()
        if isinstance(value, str):
            self.text(len(value))
        if isinstance(value, SCALARS):
            return value
        if isinstance(value, ImportedName):
            return value.path
        self.enter()
        try:
            if isinstance(value, Mapping):
                return {self._key(key): self.plain(item) for key, item in value.items()}
            if isinstance(value, list | tuple | set | range):
                return [self.plain(item) for item in value]
        finally:
            self.leave()
        raise NotDataError(f"{kind_of(value)} is no data")

    def _key(self, key: object) -> str:
        return key.path if isinstance(key, ImportedName) else str(key)


def kind_of(value: object) -> str:
    """Return the kind of a value, in words for messages."""
    return value.path if isinstance(value, ImportedName) else f"a {type(value).__name__}"
