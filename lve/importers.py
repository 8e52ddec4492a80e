"""The values that an importer of another tool's tests returns, also one of a plugin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.data_classes import dataclass, field


@dataclass(frozen=True, slots=True)
class ImportedTest:
    """A test made by an importer."""

    folder: str
    """Its folder, relative to the one that the user names: `capitals`, `europe/capitals`. Names of
    letters, digits, `.`, `_` and `-`, with `/` between folders."""
    document: Mapping[str, Any]
    """The test document."""
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    """Name -> content of the files beside the document, such as `rows.jsonl`."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import."""

    tests: Sequence[ImportedTest]
    left_out: Sequence[str] = ()
    """A sentence for each part of the source that the tests don't have."""
    notes: Sequence[str] = ()
    """What the user should know or still do, though nothing is left out."""
