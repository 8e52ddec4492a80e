"""Reads the files of a configuration, and collects what has no counterpart in lve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from lve.data_classes import dataclass, field
from lve.documents.read import DocumentPosition, read_document, read_text
from lve.errors import SpecError, UsageError
from lve.escape import PlacedWarning
from lve.files.inside import DOCUMENT_BYTES, list_inside, reason_of
from lve.json_types import JsonValue
from lve.named_tuples import NamedTuple

FILE = "file://"
BY_ITSELF = "; with --loaders, promptfoo itself does"
"""Ends a reason that isn't one where promptfoo itself reads the configuration."""
MAX_STEPS = 500_000
"""Maximum work: each assertion, each value of a variable and each 100 bytes of a file count as one
step. (References and defaults can multiply them.)"""
BYTES_OF_A_STEP = 100
MAX_LISTED = 10_000
"""Files of a folder that a pattern is compared with."""


AnswerKind = Literal["text", "json"]


class CallForm(NamedTuple):
    """What assertions get of the answers that call tools."""

    name: str
    """Of the form in `promptfoo_calls`; empty if lve doesn't have it."""
    schemas: Mapping[str, JsonValue]
    """Tool -> JSON Schema of its arguments."""


class UnsupportedError(ValueError):
    """A part of a configuration has no counterpart in lve. The message says which and why."""


@dataclass(slots=True)
class Source:
    """A configuration and its folder. No file outside of the folder is read."""

    root: object
    """The whole configuration, to resolve references."""
    folder: Path
    _left_out: dict[tuple[DocumentPosition, str], None] = field(default_factory=dict)
    _steps: int = 0
    _told: dict[str, None] = field(default_factory=dict)
    answers: AnswerKind = "text"
    """What assertions of programs get as the answer."""
    calls: CallForm | None = None
    """What assertions get where models call tools; None: they have none."""
    scripts: Mapping[str, str] = field(default_factory=dict)
    """File -> what node runs instead of its TypeScript or ES module."""

    @property
    def left_out(self) -> list[str]:
        """Messages about what is left out, in order, without repetitions."""
        return [
            PlacedWarning(replace(position.problem(why, code="importer"), severity="warning"))
            for position, why in self._left_out
        ]

    def step(self, count: int = 1) -> None:
        """Count work against `MAX_STEPS`.

        Raises:
            UsageError: the limit is exceeded.
        """
        self._steps += count
        if self._steps > MAX_STEPS:
            raise UsageError(
                "the configuration, with all that it refers to, is too large: split it",
                code="over_limit",
            )

    def leave_out(self, position: DocumentPosition, why: str) -> None:
        """Remember that the part at a position is left out, and why."""
        self._left_out[position, why] = None

    @property
    def told(self) -> list[str]:
        """What the user should know of what was imported, in order."""
        return list(self._told)

    def tell(self, what: str) -> None:
        """Remember once what the user should know of what was imported."""
        self._told[what] = None

    def text(self, name: str) -> str:
        """Return the text of a file.

        Args:
            name: the file, with or without `file://`.

        Raises:
            UnsupportedError: the file can't be read.
        """
        path = self.path(name)
        try:
            text = read_text(
                path, folder=self.folder, max_bytes=DOCUMENT_BYTES, hint="make it smaller"
            )
        except SpecError as error:
            raise UnsupportedError(f"left out: {error}") from None
        self.step(1 + len(text) // BYTES_OF_A_STEP)
        return text

    def data(self, name: str) -> Any:
        """Return the value of a JSON or YAML file.

        Args:
            name: the file, with or without `file://`.

        Raises:
            UnsupportedError: the file can't be parsed.
        """
        try:
            document = read_document(self.path(name), self.folder)
        except SpecError as error:
            self.step(DOCUMENT_BYTES // BYTES_OF_A_STEP)  # the worst case
            raise UnsupportedError(f"left out: {error}") from None
        self.step(1 + len(document.text) // BYTES_OF_A_STEP)
        return document.data

    def matching(self, pattern: str) -> Iterator[str]:
        """Yield the files of one folder that a pattern such as `file://articles/*.txt` fits, in
        order.

        Raises:
            UnsupportedError: there is none, or the folder isn't one of the configuration.
        """
        folder, _, last = pattern.removeprefix(FILE).rpartition("/")
        if "*" in folder or "**" in last or ".." in Path(folder).parts or folder.startswith("/"):
            raise UnsupportedError("left out: only the last part of a file's name may be a pattern")
        try:
            entries = list_inside(self.folder, folder or ".")
        except OSError as error:
            why = reason_of(error)
            raise UnsupportedError(f"left out: {folder} can't be listed: {why}") from None
        names = [name for name in entries if fnmatchcase(name, last) and not name.startswith(".")]
        if not names or len(entries) > MAX_LISTED:
            raise UnsupportedError("left out: its pattern fits no file, or the folder has too many")
        for name in names:
            self.step()
            yield f"{FILE}{folder}/{name}" if folder else f"{FILE}{name}"

    def path(self, name: str) -> Path:
        """Return the path of a file, named with or without `file://`."""
        return self.folder / name.removeprefix(FILE)

    def resolved(self, value: object) -> object:
        """Return a value; if it is a reference (`$ref: '#/assertionTemplates/x'`), its target.

        Raises:
            UnsupportedError: the target doesn't exist.
        """
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not isinstance(reference, str):
            return value
        target = self.root
        for step in reference.removeprefix("#/").split("/"):
            if not isinstance(target, dict) or step not in target:
                raise UnsupportedError(f"left out: there is no {reference}")
            target = target[step]
        return target
