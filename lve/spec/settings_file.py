"""Reads a workspace's settings from `lve.yaml`, or `[tool.lve]` in `pyproject.toml`."""

from __future__ import annotations

import os
from pathlib import Path

from lve.documents.position_types import TextError
from lve.documents.read import Document, read_document
from lve.documents.validation.schema import validate
from lve.errors import SettingsError, SpecError
from lve.file_names import MODELS_FILE, SETTINGS_FILES
from lve.files.inside import DOCUMENT_BYTES, read_inside
from lve.settings.settings import CalibrationSettings, Caps, Settings
from lve.workspace import PYPROJECT, TOOL_TABLE, Workspace, display_path, find_root


def load_workspace(start: Path) -> Workspace:
    """Return the workspace of a file or folder, with its settings.

    Raises:
        SettingsError: the settings are invalid; the message has all problems, one per line.
    """
    root = find_root(start)
    document = settings_document(root)
    models_file = root / MODELS_FILE
    known_models = models_file if os.path.isfile(models_file) else None  # noqa: PTH113 (False in a locked folder)
    if document is None:
        return Workspace(root, Settings(known_models=known_models))
    from lve.spec.settings_values import settings_from  # late: many workspaces have no settings

    return Workspace(root, settings_from(document)._replace(known_models=known_models))


def load_workspace_from(cwd: Path, start: Path) -> Workspace:
    """Return the workspace of a file or folder, for a user whose current folder is `cwd`.

    If `cwd` is in another workspace, the settings may be somebody else's. So they can't trust code,
    allow downloads or files of the application, name a store or a cluster, raise the default caps
    or make checks advisory (`Settings.is_own` is False).

    Raises:
        SettingsError: as `load_workspace`.
    """
    workspace = load_workspace(start)
    if workspace.root == find_root(cwd):
        return workspace
    default, theirs = Caps(), workspace.settings.caps
    files = theirs.files
    restricted = workspace.settings._replace(
        trust=(),
        tool_servers={},
        plugins=(),
        allow_downloads=False,
        cache=None,
        ray=None,
        calibration=CalibrationSettings(),
        caps=theirs._replace(
            repeats=min(theirs.repeats, default.repeats),
            tool_turns=min(theirs.tool_turns, default.tool_turns),
            user_turns=min(theirs.user_turns, default.user_turns),
            files=files and files._replace(folders=(), withheld=files.folders),
        ),
        is_own=False,
    )
    return workspace._replace(settings=restricted)


def settings_document(root: Path) -> Document | None:
    """Return the settings as a document, whose data is an object; None if there are none. An empty
    file has the data `{}`.

    Raises:
        SettingsError: they can't be read, are no object, or are in two files.
    """
    document = _read_settings(root)
    if document is not None and not isinstance(document.data, dict):
        from lve.spec.settings_values import invalid_settings

        raise invalid_settings(validate(document, "settings"))
    return document


def _read_settings(root: Path) -> Document | None:
    files, pyproject = [root / name for name in SETTINGS_FILES], root / PYPROJECT
    table, files = _tool_table(pyproject), [file for file in files if file.is_file()]
    if not files:
        return table
    places = [str(display_path(file)) for file in files]
    places += [] if table is None else [f"under [tool.lve] in {display_path(pyproject)}"]
    if len(places) > 1:
        message = f"there are settings in {' and '.join(places)}; keep one of them"
        raise SettingsError(message, code="several_documents")
    try:
        document = read_document(files[0])
    except SpecError as err:
        raise SettingsError(str(err), code=err.code) from err
    if document.data is None:
        document.data = {}
    return document


def _tool_table(pyproject: Path) -> Document | None:
    """Return `[tool.lve]` in a pyproject.toml as a document without positions; None if absent."""
    try:
        content = read_inside(pyproject.parent, pyproject, DOCUMENT_BYTES)
        text = content.decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as err:
        raise _unreadable(pyproject, err.strerror) from err
    except UnicodeDecodeError as err:
        raise _unreadable(pyproject, err) from err
    if not TOOL_TABLE.search(content):
        return None
    from lve.documents.toml_text import parse_toml

    try:
        tool = parse_toml(text).get("tool")
    except TextError as err:
        raise SettingsError(f"{display_path(pyproject)}: {err}", code="syntax") from err
    table = tool.get("lve") if isinstance(tool, dict) else None
    return None if table is None else Document(pyproject, table, text, None)


def _unreadable(file: Path, why: object) -> SettingsError:
    return SettingsError(f"{display_path(file)}: can't be read: {why}", code="unreadable")
