"""A configuration of promptfoo as its importer sees it, without its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lve.documents.read import DocumentPosition
from lve.extensions.importing.promptfoo.source import Source


def source_in(folder: Path, root: Any = None) -> tuple[Source, DocumentPosition]:
    """Return a configuration in a folder, and a position in it."""
    return Source(root, folder), DocumentPosition(folder / "c.yaml", ("x",))
