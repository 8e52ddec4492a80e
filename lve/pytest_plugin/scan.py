"""Finding test folders without a collector per folder.

pytest makes a collector for each folder that it looks into. A tree that holds nothing but tests of
models is searched here instead, in one go, by the rules of `lve.spec.discover`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from pathlib import Path
from typing import Any

import pytest

from lve.conventions import DOCUMENT_NAMES
from lve.spec.discover import SKIPPED_FOLDERS

PARTS_OF_A_TEST = frozenset({"instances", "checker"})
_COLLECTORS = frozenset({"main", "python", "doctest", "lve", "lve.pytest_plugin"})
_IGNORERS = frozenset({"main", "hypothesispytest"})  # hypothesis leaves out `.hypothesis` only


def documents_below(folder: Path, config: pytest.Config) -> list[str] | None:
    """Return the test documents below a folder, sorted; None when pytest has to look for itself."""
    if _ignores_paths(config) or _others_collect(config):
        return None
    found: list[str] = []
    is_pure = _Scan(config).run(os.fspath(folder), found)
    return found if is_pure and found else None


class _Scan:
    """One search, as the configuration of this pytest session wants it."""

    def __init__(self, config: pytest.Config) -> None:
        self._is_skipped = _matcher(config.getini("norecursedirs"))
        tests = [*config.getini("python_files"), *_doctest_patterns(config), "conftest.py"]
        self._is_pythons_test = _matcher(tests)

    def run(self, folder: str, found: list[str]) -> bool:
        """Add the documents below a folder; return whether nothing there is for anybody else."""
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return False  # pytest says why
        names = {entry.name for entry in listed}
        document = next((name for name in DOCUMENT_NAMES if name in names), None)
        if document is not None:
            found.append(f"{folder}/{document}")
        folders = []
        for entry in listed:
            if not entry.is_dir():
                if entry.name == "__init__.py" or self._is_pythons_test(entry.name):
                    return False
            elif entry.is_symlink():
                return False  # pytest follows links to folders
            elif not (entry.name in SKIPPED_FOLDERS or self._is_skipped(entry.name)):
                folders.append(entry)
        for entry in folders:
            if document is not None and entry.name in PARTS_OF_A_TEST:
                if self._holds_tests(entry.path):
                    return False
            elif not self.run(entry.path, found):
                return False
        return True

    def _holds_tests(self, folder: str) -> bool:
        names = (name for _, _, names in os.walk(folder) for name in names)
        return any(map(self._is_pythons_test, names))


def _ignores_paths(config: pytest.Config) -> bool:
    """Whether somebody may want to leave out paths for reasons that only pytest knows."""
    if config.getoption("ignore") or config.getoption("ignore_glob"):
        return True
    if any("/" in pattern or os.sep in pattern for pattern in config.getini("norecursedirs")):
        return True
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "collect_ignore") or hasattr(plugin, "collect_ignore_glob"):
            return True
    return not _plugins(config.pluginmanager.hook.pytest_ignore_collect) <= _IGNORERS


def _others_collect(config: pytest.Config) -> bool:
    """Whether other plugins collect files of their own kinds, or look at folders."""
    known = config.pluginmanager.hook
    hooks = (known.pytest_collect_file, known.pytest_collect_directory)
    return not all(_plugins(hook) <= _COLLECTORS for hook in hooks)


def _plugins(hook: Any) -> set[str]:
    return {implementation.plugin_name for implementation in hook.get_hookimpls()}


def _doctest_patterns(config: pytest.Config) -> Sequence[str]:
    patterns = config.getoption("doctestglob", default=None) or ["test*.txt"]
    return [*patterns, "*.py"] if config.getoption("doctestmodules", default=False) else patterns


def _matcher(patterns: Sequence[str]) -> Callable[[str], Any]:
    return re.compile("|".join(map(translate, patterns)) or "(?!)").match
