"""What is installed, read once.

Each start of pytest reads the entry points of all packages twice, to find its plugins: a third of
a run inside a test.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Any


def read_once(set_attribute: Callable[[type, str, Any], None] = setattr) -> None:
    """Have this process keep what it reads of a package, by the package's path."""
    for name in ("entry_points", "files", "metadata"):
        set_attribute(PathDistribution, name, property(_kept(getattr(PathDistribution, name).fget)))


def _kept(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    known: dict[Path, Any] = {}

    def get(package: Any) -> Any:
        if package._path not in known:
            known[package._path] = read(package)
        return known[package._path]

    return get
