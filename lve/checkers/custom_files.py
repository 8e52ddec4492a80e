"""Where a test's own checkers may stand. Apart from `custom`, which few tests need and which takes
15 ms to import."""

from __future__ import annotations

from pathlib import Path

from lve.conventions import CHECKER_FOLDER
from lve.spec.model import Spec


def checker_files(spec: Spec) -> list[Path]:
    """Return the files in which a test's checker may stand, its own first."""
    own = _python_files(spec.folder / CHECKER_FOLDER)
    shared = sorted((spec.root / "checkers").glob("*/checker.py"))
    return [file for file in (*own, *shared) if file.is_file()]


def _python_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("checker*.py")) if folder.is_dir() else []
