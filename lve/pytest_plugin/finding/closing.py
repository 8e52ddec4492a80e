"""Python and doctests inside a test's folder: pytest doesn't import them.

A test of a model is data, and `pytest contributed/x` must not run a `conftest.py` or a
`test_evil.py` that lies beside its document. pytest's own rules hold everywhere else, and for a
Python file that the user names; and the folder that the user stands in is the user's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lve.conventions import DOCUMENT_NAMES

PROMPT_KEYS = (b"prompt", b"prompt_file", b"multi_run_prompt", b"infer_cfg", b"prompt_object")
MAX_HEAD_BYTES = 65536
SHOWN = 3
"""Files that are named at the end."""
CLOSED: pytest.StashKey[dict[str, None]] = pytest.StashKey()
"""What wasn't run or imported, in order."""
NOTES: pytest.StashKey[dict[str, None]] = pytest.StashKey()
"""Other lines for the end of the output."""
REPORT = "lve_closed"
"""Key of both in what a worker of pytest-xdist sends to its controller."""
_IMPORT = "_importconftest"
"""The one function of pytest's that imports a conftest.py; not documented, there in 8.2 to 9.x."""


def close_conftests(config: pytest.Config) -> None:
    """Keep pytest from importing a conftest.py that lies in a test's folder: now, for the paths of
    the command line, and later, for the folders that are collected."""
    manager = config.pluginmanager
    original: Callable[..., ModuleType] = getattr(manager, _IMPORT)

    def importconftest(conftestpath: Path, *args: Any, **kwargs: Any) -> ModuleType:
        if is_closed(conftestpath, config):
            return ModuleType("conftest")  # one that says nothing
        return original(conftestpath, *args, **kwargs)

    setattr(manager, _IMPORT, importconftest)


def is_closed(file: Path, config: pytest.Config) -> bool:
    """Whether a file is none of pytest's business, because it lies in a test's folder or below and
    isn't a test's document. Takes a note of it where pytest would have run it."""
    if not is_test_folder(file.parent, config) or file.is_dir():
        return False
    if file.name in DOCUMENT_NAMES:
        return False
    if file.suffix == ".py" or file.match("test*.txt"):
        noted = config.stash.setdefault(CLOSED, {})
        noted[os.path.relpath(file, config.invocation_params.dir)] = None
    return True


def is_test_folder(folder: Path, config: pytest.Config) -> bool:
    """Whether a folder is a test's, or lies in one, whose Python is none of pytest's business."""
    found = _folder_of_test(str(folder))
    if found is None or config.invocation_params.dir.is_relative_to(found):
        return False
    return not _is_asked_for(found, config)


def _folder_of_test(folder: str) -> str | None:
    """Return the nearest folder from one upwards that has the document of a test; None where there
    is none."""
    above = ""
    while folder != above:
        if _has_document(folder):
            return folder
        above, folder = folder, os.path.dirname(folder)  # noqa: PTH120 (speed: everybody's suite)
    return None


@lru_cache(maxsize=4096)
def _has_document(folder: str) -> bool:
    return any(looks_like_a_test(Path(folder, name)) for name in DOCUMENT_NAMES)


def looks_like_a_test(document: Path) -> bool:
    """Whether a `test.json` is a test of a model and not another project's fixture."""
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
    """Return what the end of the output says of files that were left alone."""
    if not files:
        return []
    named = ", ".join(files[:SHOWN]) + (f" and {len(files) - SHOWN} more" * (len(files) > SHOWN))
    return [
        f"lve: not run, because a test's folder is data: {named} "
        "(`pytest FILE` runs one that you name)"
    ]


def _is_asked_for(folder: str, config: pytest.Config) -> bool:
    """Whether the user names a file in a test's folder other than the test document."""
    for word in config.invocation_params.args:
        place = config.invocation_params.dir / str(word).partition("::")[0]
        if place.suffix in (".py", ".txt", ".rst") and place.is_relative_to(folder):
            return True
    return False
