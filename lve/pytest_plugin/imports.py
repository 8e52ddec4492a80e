"""Keeps pytest from rewriting the `assert` statements of lve's own modules.

pytest rewrites all modules of a package that has a plugin. It compiles each of them once more, and
then reads and checks the source of each in every run, for messages of failed assertions in lve that
no user is meant to see.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

import pytest


class LveFinder:
    """Finds lve's modules as Python itself does."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module of lve is; None for all others."""
        return PathFinder.find_spec(name, path, target) if name.startswith("lve.") else None


def leave_unchanged(config: pytest.Config) -> None:
    """Find lve's modules before pytest does, until `config` ends."""
    sys.meta_path.insert(0, LveFinder)
    config.add_cleanup(forget)


def forget() -> None:
    """Undo one `leave_unchanged`. Another run of pytest may go on in this process."""
    if LveFinder in sys.meta_path:
        sys.meta_path.remove(LveFinder)
