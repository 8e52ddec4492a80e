"""The files that `lve init` makes: settings, a test that works, pytest's settings, a CI file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent

from lve.documents.schema import schema_address
from lve.extensions.authoring.patterns import read_pattern
from lve.extensions.authoring.places import schema_of_tests
from lve.extensions.authoring.templates import TargetExample, template
from lve.file_names import SETTINGS_FILE, SETTINGS_FILES
from lve.files.inside import DOCUMENT_BYTES, read_inside
from lve.spec.location import REPOSITORY
from lve.workspace import PYPROJECT, has_tool_table

FIRST_TEST = f"{REPOSITORY}/examples/capitals"
CI_FILE = ".github/workflows/lve.yml"
PYTEST_FILE = "pytest.ini"
IGNORE_FILE = ".gitignore"
ACTIONS = {
    "checkout": "v7",
    "deploy-pages": "v5",
    "download-artifact": "v8",
    "setup-python": "v7",
    "upload-artifact": "v7",
    "upload-pages-artifact": "v5",
}
"""GitHub's action -> its version, as of November 2026, also for what the documentation shows.

To update a version, look it up (`git ls-remote --tags https://github.com/actions/checkout`) and
write it here; a test then lists the pages that show another one. The project's own workflows in
`.github/workflows/` use the same versions, pinned to commits."""
_PATTERN = "capitals"
_PYTEST_TABLES = {
    "pytest.toml": r"",
    ".pytest.toml": r"",
    ".pytest.ini": r"",
    PYPROJECT: r"(?m)^\[tool\.pytest",
    "tox.ini": r"(?m)^\[pytest\]",
    "setup.cfg": r"(?m)^\[tool:pytest\]",
}
"""File -> the pattern of pytest's settings in it. pytest would ignore these settings if there was
a pytest.ini."""
_TARGET = """
# Your application, which is tested as a model is (docs/testing-an-application.md).
models:
"""
_IGNORE = "# Sessions and cached answers of lve.\n.lve/\n"


def first_test(folder: Path) -> Mapping[str, bytes]:
    """Return the files of the first test of a workspace, with recorded answers.

    Args:
        folder: the folder of the workspace.
    """
    schema = schema_of_tests(folder / FIRST_TEST, folder)
    return read_pattern(_PATTERN).contents(name=_PATTERN, schema=schema, as_json=False)


def files_of_workspace(model: str, target: TargetExample | None = None) -> dict[str, str]:
    """Return name -> text of the files besides the first test.

    Args:
        model: the default model of the workspace.
        target: the example application, if there is one.
    """
    settings, files = template("settings.yaml"), dict[str, str]()
    if target is not None:
        settings += _TARGET + indent(target.settings, "  ")
        files[target.file] = target.source
    addresses = {"{schema}": schema_address("settings"), "{model}": model}
    versions = {f"{{{action}}}": version for action, version in ACTIONS.items()}
    home = {"{repository}": REPOSITORY}
    return {
        SETTINGS_FILE: _filled(settings, addresses),
        **files,
        PYTEST_FILE: _filled(template("pytest.ini"), home),
        CI_FILE: _filled(template("ci.yml"), {**versions, **home}),
        IGNORE_FILE: _IGNORE,
    }


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def replaced_by(folder: Path, name: str) -> str | None:
    """Return an existing file that makes a new file unnecessary; None if there is none.

    Args:
        folder: the folder of the workspace.
        name: the new file, a key of `files_of_workspace`.
    """
    if name == SETTINGS_FILE and has_tool_table(folder / PYPROJECT):
        return PYPROJECT
    if name == SETTINGS_FILE:
        return next((file for file in SETTINGS_FILES[1:] if (folder / file).is_file()), None)
    if name == PYTEST_FILE:
        return next((f for f, sign in _PYTEST_TABLES.items() if _has(folder / f, sign)), None)
    return None


def advice_on(folder: Path, name: str, there: str) -> str | None:
    """Return what the user should add to an existing file; None if nothing is missing.

    Args:
        folder: the folder of the workspace.
        name: the new file, a key of `files_of_workspace`.
        there: the existing file that is kept instead.
    """
    if name == IGNORE_FILE and not _has(folder / there, r"(?m)^/?\.lve/?\s*$"):
        return "add the line .lve/, so that git ignores sessions"
    if name == PYTEST_FILE and not _has(folder / there, r"lve_paths"):
        return f"add to pytest's settings: lve_paths = {REPOSITORY}, lve_model = replay"
    return None


def _has(file: Path, sign: str) -> bool:
    if not os.path.isfile(file):  # noqa: PTH113 (returns False in a folder that can't be read)
        return False
    try:
        text = read_inside(file.parent, file.name, DOCUMENT_BYTES).decode("utf-8", "replace")
    except OSError:  # unreadable, so assume that it has the settings
        return True
    return re.search(sign, text) is not None
