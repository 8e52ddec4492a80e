"""What an importer returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ImportedTest:
    """A test that an importer has made."""

    folder: str
    """Where it goes, relative to the folder that the user names: `capitals`, `europe/capitals`.
    Letters, digits, `.`, `_` and `-`; `/` between folders."""
    document: Mapping[str, Any]
    """The test document."""
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    """Name -> content of the files beside the document, such as `rows.jsonl`."""


@dataclass(frozen=True, slots=True)
class Imported:
    """All that an importer has found."""

    tests: Sequence[ImportedTest]
    left_out: Sequence[str] = ()
    """A sentence for each thing that the tests don't say, though their source does."""
