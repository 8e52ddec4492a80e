"""Finds the test folders of a tree without a collector per folder.

pytest makes a collector for each folder that it walks. A tree with nothing but tests of models is
walked here instead, by the rules of `lve.spec.discover`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from pathlib import Path
from typing import Any

import pytest

from lve.file_names import DOCUMENT_NAMES
from lve.spec.discover import SKIPPED_FOLDERS

PARTS_OF_A_TEST = frozenset({"instances", "checker"})
_COLLECTORS = frozenset({"main", "python", "doctest", "lve", "lve.pytest_plugin"})
_IGNORERS = frozenset(
    {"main", "hypothesispytest", "lve", "lve.pytest_plugin"}
)  # hypothesis ignores only `.hypothesis`


def documents_below(folder: Path, config: pytest.Config) -> list[str] | None:
    """Return the sorted test documents below a folder; None if pytest has to walk it itself."""
    if _ignores_paths(config) or _others_collect(config):
        return None
    documents: list[str] = []
    is_pure = _Scan(config).run(os.fspath(folder), documents)
    return documents if is_pure and documents else None


class _Scan:
    """A walk through a tree by the rules of this pytest session's configuration."""

    def __init__(self, config: pytest.Config) -> None:
        self._is_skipped = _matcher(config.getini("norecursedirs"))
        tests = [*config.getini("python_files"), *_doctest_patterns(config), "conftest.py"]
        self._is_pythons_test = _matcher(tests)

    def run(self, folder: str, documents: list[str]) -> bool:
        """Add the documents below `folder` to `documents`. Return False if there is anything that
        pytest or another plugin may collect."""
        waiting = [folder]
        while waiting:  # no recursion: a tree may be deeper than Python's stack allows
            below = self._scan_folder(waiting.pop(), documents)
            if below is None:
                return False
            waiting += reversed(below)
        return True

    def _scan_folder(self, folder: str, documents: list[str]) -> list[str] | None:
        """Add a folder's document to `documents` and return its folders to walk; None if it has
        anything that pytest or another plugin may collect."""
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return None  # pytest reports the error
        names = {entry.name for entry in listed}
        document = next((name for name in DOCUMENT_NAMES if name in names), None)
        if document is not None:
            documents.append(f"{folder}/{document}")
        folders = []
        for entry in listed:
            if not _is_folder(entry):
                if entry.name == "__init__.py" or self._is_pythons_test(entry.name):
                    return None
            elif entry.is_symlink():
                return None  # pytest follows links to folders
            elif not (entry.name in SKIPPED_FOLDERS or self._is_skipped(entry.name)):
                folders.append(entry)
        if document is None:
            return [entry.path for entry in folders]
        parts = [entry.path for entry in folders if entry.name in PARTS_OF_A_TEST]
        if any(map(self._holds_tests, parts)):
            return None
        return [entry.path for entry in folders if entry.name not in PARTS_OF_A_TEST]

    def _holds_tests(self, folder: str) -> bool:
        waiting = [folder]
        while waiting:  # not `os.walk`, which recurses before Python 3.12
            try:
                with os.scandir(waiting.pop()) as entries:
                    listed = list(entries)
            except OSError:
                continue
            if any(self._is_pythons_test(entry.name) for entry in listed if not _is_folder(entry)):
                return True
            waiting += [entry.path for entry in listed if entry.is_dir(follow_symlinks=False)]
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _ignores_paths(config: pytest.Config) -> bool:
    """Whether options, hooks or a `conftest.py` may make pytest ignore paths."""
    if config.getoption("ignore") or config.getoption("ignore_glob"):
        return True
    if any("/" in pattern or os.sep in pattern for pattern in config.getini("norecursedirs")):
        return True
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "collect_ignore") or hasattr(plugin, "collect_ignore_glob"):
            return True
    return not _plugins(config.pluginmanager.hook.pytest_ignore_collect) <= _IGNORERS


def _others_collect(config: pytest.Config) -> bool:
    """Whether other plugins collect files or folders."""
    relay = config.pluginmanager.hook
    hooks = (relay.pytest_collect_file, relay.pytest_collect_directory)
    return not all(_plugins(hook) <= _COLLECTORS for hook in hooks)


def _plugins(hook: Any) -> set[str]:
    return {implementation.plugin_name for implementation in hook.get_hookimpls()}


def _doctest_patterns(config: pytest.Config) -> Sequence[str]:
    patterns = config.getoption("doctestglob", default=None) or ["test*.txt"]
    return [*patterns, "*.py"] if config.getoption("doctestmodules", default=False) else patterns


def _matcher(patterns: Sequence[str]) -> Callable[[str], object]:
    return re.compile("|".join(map(translate, patterns)) or "(?!)").match
