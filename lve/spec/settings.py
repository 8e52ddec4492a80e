"""Reads a workspace's settings from `lve.yaml`, or `[tool.lve]` in `pyproject.toml`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.documents.position_types import TextError
from lve.documents.read import Document, read_document
from lve.documents.schema import in_file_order, validate
from lve.errors import Problem, SettingsError, SpecError
from lve.file_names import MODELS_FILE, SETTINGS_FILE
from lve.files.inside import DOCUMENT_BYTES, read_inside
from lve.json_types import JsonObject
from lve.redaction import note_key_variables
from lve.settings.model_settings import ModelSettings, offline_provider, price_from
from lve.settings.settings import (
    CALIBRATION_FOLDER,
    CalibrationSettings,
    Caps,
    ComparisonSettings,
    Floor,
    Settings,
)
from lve.workspace import PYPROJECT, Workspace, display_path, find_root

if TYPE_CHECKING:
    from lve.settings.tool_server import ToolServer
    from lve.settings.trusted_file import TrustedFile
    from lve.settings.worker_shape import WorkerShape


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
    from lve.spec import settings_rules  # late: many workspaces have no settings

    problems = [*validate(document, "settings"), *settings_rules.settings_problems(document)]
    if problems:
        raise _invalid(problems)
    return Workspace(root, _build(document)._replace(known_models=known_models))


def load_workspace_from(cwd: Path, start: Path) -> Workspace:
    """Return the workspace of a file or folder, for a user whose current folder is `cwd`.

    If `cwd` is in another workspace, the settings may be somebody else's. So they can't trust code,
    allow downloads, name a store or a cluster, raise the default caps or make checks advisory
    (`Settings.is_own` is False).

    Raises:
        SettingsError: as `load_workspace`.
    """
    workspace = load_workspace(start)
    if workspace.root == find_root(cwd):
        return workspace
    default, theirs = Caps(), workspace.settings.caps
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
        ),
        is_own=False,
    )
    return workspace._replace(settings=restricted)


def _invalid(problems: list[Problem]) -> SettingsError:
    from lve.spec.settings_rules import without_keys_in

    publishable = map(without_keys_in, in_file_order(problems))
    return SettingsError("\n".join(map(str, publishable)))


def settings_document(root: Path) -> Document | None:
    """Return the settings as a document, whose data is an object; None if there are none. An empty
    file has the data `{}`.

    Raises:
        SettingsError: they can't be read, are no object, or are in two files.
    """
    document = _read_settings(root)
    if document is not None and not isinstance(document.data, dict):
        raise _invalid(validate(document, "settings"))
    return document


def _read_settings(root: Path) -> Document | None:
    file, pyproject = root / SETTINGS_FILE, root / PYPROJECT
    table = _tool_table(pyproject)
    if not file.is_file():
        return table
    if table is not None:
        raise SettingsError(
            f"there are settings in {display_path(file)} and under [tool.lve] in "
            f"{display_path(pyproject)}; keep one of them",
            code="several_documents",
        )
    try:
        document = read_document(file)
    except SpecError as err:
        raise SettingsError(str(err), code=err.code) from err
    if document.data is None:
        document.data = {}
    return document


def _tool_table(pyproject: Path) -> Document | None:
    """Return `[tool.lve]` in a pyproject.toml as a document without positions; None if absent."""
    try:
        text = read_inside(pyproject.parent, pyproject, DOCUMENT_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as err:
        raise _unreadable(pyproject, err.strerror) from err
    except UnicodeDecodeError as err:
        raise _unreadable(pyproject, err) from err
    if "tool.lve" not in text:
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


def _build(document: Document) -> Settings:
    from lve.spec.settings_rules import models_in

    data: Mapping[str, Any] = document.data
    servers = data.get("tool_servers") or {}
    roles = {name: _role(value) for name, value in (data.get("roles") or {}).items()}
    settings = Settings(
        file=document.path,
        models={
            name: _model(name, model or {}) for name, model in (data.get("models") or {}).items()
        },
        model=data.get("model") or roles.get("model", (None,))[0],
        roles={name: model for name, (model, _) in roles.items()},
        role_budgets={name: budget for name, (_, budget) in roles.items() if budget},
        caps=Caps(**(data.get("caps") or {})),
        trust=tuple(map(_trusted_file, data.get("trust") or ())),
        sandbox=data.get("sandbox") or "best",
        plugins=tuple(data.get("plugins") or ()),
        tool_servers={name: _tool_server(server) for name, server in servers.items()},
        allow_downloads=data.get("allow_downloads", False),
        cache=data.get("cache"),
        ray=_ray_address(data),
        worker=_worker((data.get("ray") or {}).get("worker")),
        calibration=_calibration(data.get("calibration") or {}),
        comparison=ComparisonSettings(**(data.get("comparison") or {})),
    )
    note_key_variables(
        model["api_key_env"] for _, model in models_in(document) if model.get("api_key_env")
    )
    note_key_variables(
        name for server in settings.tool_servers.values() for name in server.variables
    )
    return settings


def _tool_server(data: JsonObject) -> ToolServer:
    from lve.settings.tool_server import ToolServer  # late, like others here: few settings have it

    return ToolServer.from_json(data)


def _ray_address(data: Mapping[str, Any]) -> str | None:
    """Return the address of the Ray cluster if runs use one, else None."""
    if data.get("engine") != "ray":
        return None
    return (data.get("ray") or {}).get("address") or "local"


def _worker(data: Mapping[str, Any] | None) -> WorkerShape | None:
    if data is None:
        return None
    from lve.settings.worker_shape import WorkerShape

    return WorkerShape(**{key: value for key, value in data.items() if value is not None})


def _trusted_file(data: Mapping[str, Any]) -> TrustedFile:
    """Build an entry of `trust`. The schema's keys are the names of the fields."""
    from lve.settings.trusted_file import TrustedFile

    values = {key: value for key, value in data.items() if value is not None}
    lists = {key: tuple(values.get(key, ())) for key in ("env", "read", "write")}
    return TrustedFile(**{**values, **lists})


def _calibration(data: Mapping[str, Any]) -> CalibrationSettings:
    return CalibrationSettings(
        folder=data.get("folder") or CALIBRATION_FOLDER,
        floor=Floor(**(data.get("floor") or {})),
        required=data.get("required", False),
    )


def _role(value: str | Mapping[str, Any]) -> tuple[str, Mapping[str, object]]:
    """Return the model and the budget of an entry of `roles`."""
    if isinstance(value, str):
        return value, {}
    return value["model"], {key: limit for key, limit in value.items() if key != "model"}


def _model(name: str, data: Mapping[str, Any]) -> ModelSettings:
    """Build the settings of one model. The schema's keys are the names of the fields."""
    values = {key: value for key, value in data.items() if value is not None}
    values.setdefault("provider", offline_provider(name) or "openai")
    values["price"] = price_from(values.get("price"))
    values["refuses"] = tuple(values.get("refuses", ()))
    values["worker"] = _worker(values.get("worker"))
    return ModelSettings(**values)
