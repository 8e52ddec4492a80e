"""Keeps pytest from importing Python files and doctests in a test folder.

A test of a model is data, so `pytest contributed/x` must not run a `conftest.py` or a
`test_evil.py` beside its document. It does run them in the current folder, which is the user's own,
and it runs a Python file that the user names.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import pytest

from lve.file_names import DOCUMENT_NAMES

PROMPT_KEYS = (b"prompt", b"prompt_file", b"multi_run_prompt", b"infer_cfg", b"prompt_object")
MAX_HEAD_BYTES = 65536
SHOWN = 3
"""Files that are named at the end."""
BLOCKED_FILES: pytest.StashKey[dict[str, None]] = pytest.StashKey()
"""Files that were not run or imported, in order."""
NOTES: pytest.StashKey[dict[str, None]] = pytest.StashKey()
"""Further lines for the end of the output."""
REPORT = "lve_blocked"
"""The key of both in the report of a pytest-xdist worker to its controller."""
_IMPORT = "_importconftest"
"""The only function of pytest that imports a conftest.py. Not documented, but present in 8.2 to
9.x."""


def block_conftests(config: pytest.Config) -> None:
    """Keep pytest from importing a `conftest.py` in a test folder, whether it looks for one now,
    for the paths of the command line, or later, for a folder that it collects."""
    manager = config.pluginmanager
    original: Callable[..., ModuleType] = getattr(manager, _IMPORT)

    def importconftest(conftestpath: Path, *args: object, **kwargs: object) -> ModuleType:
        if is_blocked(conftestpath, config):
            return ModuleType("conftest")  # an empty one
        return original(conftestpath, *args, **kwargs)

    setattr(manager, _IMPORT, importconftest)


def is_blocked(file: Path, config: pytest.Config) -> bool:
    """Whether pytest must ignore a file, because it lies in a test folder or below and isn't a test
    document. Notes the file if pytest would have run it."""
    if not is_test_folder(file.parent, config) or file.is_dir():
        return False
    if file.name in DOCUMENT_NAMES:
        return False
    if file.suffix == ".py" or file.match("test*.txt"):
        noted = config.stash.setdefault(BLOCKED_FILES, {})
        noted[os.path.relpath(file, config.invocation_params.dir)] = None
    return True


def is_test_folder(folder: Path, config: pytest.Config) -> bool:
    """Whether a folder is a test folder, or lies in one, whose Python files pytest must ignore."""
    test_folder = _folder_of_test(str(folder))
    if test_folder is None or config.invocation_params.dir.is_relative_to(test_folder):
        return False
    return not _is_asked_for(test_folder, config)


def _folder_of_test(folder: str) -> str | None:
    """Return the nearest test folder: `folder` itself or one of its parents; None if there is
    none."""
    above = ""
    while folder != above:
        if _has_document(folder):
            return folder
        above, folder = folder, os.path.dirname(folder)  # noqa: PTH120 (speed: runs in all suites)
    return None


@lru_cache(maxsize=4096)
def _has_document(folder: str) -> bool:
    return any(looks_like_a_test(Path(folder, name)) for name in DOCUMENT_NAMES)


def looks_like_a_test(document: Path) -> bool:
    """Whether a `test.json` is a test of a model, and not a file of some other kind."""
    if not os.path.isfile(document):  # noqa: PTH113 (speed)
        return False
    from lve.files.inside import open_inside

    try:
        with open_inside(document.parent, document) as file:
            head = file.read(MAX_HEAD_BYTES)
    except OSError:
        return False
    return b"description" in head and any(key in head for key in PROMPT_KEYS)


def lines(files: list[str]) -> list[str]:
    """Return the message about blocked files for the end of the output, if there are any."""
    if not files:
        return []
    names = ", ".join(files[:SHOWN]) + (f" and {len(files) - SHOWN} more" * (len(files) > SHOWN))
    return [
        f"lve: not run, because a test's folder is data: {names} "
        "(`pytest FILE` runs one that you name)"
    ]


def _is_asked_for(folder: str, config: pytest.Config) -> bool:
    """Whether the user names a Python file or doctest in a test folder."""
    for word in config.invocation_params.args:
        place = config.invocation_params.dir / str(word).partition("::")[0]
        if place.suffix in (".py", ".txt", ".rst") and place.is_relative_to(folder):
            return True
    return False
