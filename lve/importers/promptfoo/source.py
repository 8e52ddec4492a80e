"""The files of a configuration, and what can't be said in lve's format."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lve.documents.read import DocumentPosition, read_document, read_text
from lve.errors import SpecError, UsageError

FILE = "file://"
MAX_BYTES = 1_000_000
"""Largest file that is read."""
MAX_STEPS = 500_000
"""Most assertions and values of variables that are looked at, and hundreds of bytes of files that
are read. References and defaults multiply them."""
BYTES_OF_A_STEP = 100


class UnsayableError(ValueError):
    """A part of a configuration that has no counterpart; the message says which and why."""


@dataclass(slots=True)
class Source:
    """A configuration and the folder around it: no file outside of it is read."""

    root: Any
    """The whole configuration, for its references."""
    folder: Path
    _left_out: dict[tuple[DocumentPosition | None, str], None] = field(default_factory=dict)
    _steps: int = 0

    @property
    def left_out(self) -> list[str]:
        """What is left out, in order, each once."""
        return [
            why
            if position is None
            else str(replace(position.problem(why, code="importer"), severity="warning"))
            for position, why in self._left_out
        ]

    def step(self, count: int = 1) -> None:
        """Count what is looked at.

        Raises:
            UsageError: it is too much.
        """
        self._steps += count
        if self._steps > MAX_STEPS:
            raise UsageError(
                "the configuration, with all that it refers to, is too large: split it",
                code="over_limit",
            )

    def leave_out(self, position: DocumentPosition, why: str) -> None:
        """Remember that something is left out."""
        self._left_out[position, why] = None

    def note(self, what: str) -> None:
        """Remember that something is left out, wherever it stands."""
        self._left_out[None, f"left out: {what}"] = None

    def text(self, name: str) -> str:
        """Return the text of a file, named with or without `file://`.

        Raises:
            UnsayableError: it can't be read.
        """
        path = self.path(name)
        try:
            text = read_text(path, folder=self.folder, max_bytes=MAX_BYTES, hint="make it smaller")
        except SpecError as error:
            raise UnsayableError(f"left out: {error}") from None
        self.step(1 + len(text) // BYTES_OF_A_STEP)
        return text

    def data(self, name: str) -> Any:
        """Return the value of a JSON or YAML file, named with or without `file://`.

        Raises:
            UnsayableError: it can't be read.
        """
        try:
            document = read_document(self.path(name), self.folder)
        except SpecError as error:
            self.step(MAX_BYTES // BYTES_OF_A_STEP)  # whatever it took
            raise UnsayableError(f"left out: {error}") from None
        self.step(1 + len(document.text) // BYTES_OF_A_STEP)
        return document.data

    def path(self, name: str) -> Path:
        """Return the path of a file that a configuration names."""
        return self.folder / name.removeprefix(FILE)

    def resolved(self, value: Any) -> Any:
        """Return what a reference (`$ref: '#/assertionTemplates/x'`) stands for, or the value.

        Raises:
            UnsayableError: it stands for nothing.
        """
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not isinstance(reference, str):
            return value
        found = self.root
        for step in reference.removeprefix("#/").split("/"):
            if not isinstance(found, dict) or step not in found:
                raise UnsayableError(f"left out: there is no {reference}")
            found = found[step]
        return found
