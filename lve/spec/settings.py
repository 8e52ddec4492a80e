"""Reads a workspace's settings from `lve.yaml`, or `[tool.lve]` in `pyproject.toml`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lve.calibration_settings import FOLDER, CalibrationSettings, Floor
from lve.comparison_settings import ComparisonSettings
from lve.conventions import MODELS_FILE, SETTINGS_FILE
from lve.documents.places import JsonPath, TextError
from lve.documents.read import Document, read_document
from lve.documents.schema import in_file_order, load_schema, validate
from lve.errors import Problem, SettingsError, SpecError
from lve.escape import excerpt
from lve.files.inside import read_inside
from lve.redaction import is_secret_name, looks_like_key, note_key_variables, without_keys
from lve.reserved import is_key_name
from lve.suggest import did_you_mean
from lve.workspace import (
    MAX_PYPROJECT_BYTES,
    PYPROJECT,
    Caps,
    ModelSettings,
    Settings,
    Workspace,
    display_path,
    find_root,
    offline_provider,
    price_from,
)

if TYPE_CHECKING:
    from lve.tool_server import ToolServer
    from lve.trusted_file import TrustedFile

_AUTHORISES = r"(?i)(?:Bearer|Basic|Token)\s+\S{8}"
"""The beginning of a header's value that holds a key."""


def load_workspace(start: Path) -> Workspace:
    """Return the workspace that a file or folder belongs to, with its settings.

    Raises:
        SettingsError: the settings can't be used; with all problems, one per line.
    """
    root = find_root(start)
    document = settings_document(root)
    known = root / MODELS_FILE
    known_models = known if os.path.isfile(known) else None  # noqa: PTH113 (False in a locked folder)
    if document is None:
        return Workspace(root, Settings(known_models=known_models))
    rules = (_no_secrets, _offline_names, _known_providers)
    problems = [*validate(document, "settings"), *(one for rule in rules for one in rule(document))]
    if problems:
        raise SettingsError(
            "\n".join(str(_harmless(one)) for one in in_file_order(problems)), code="settings"
        )
    return Workspace(root, _build(document)._replace(known_models=known_models))


def load_workspace_from(cwd: Path, start: Path) -> Workspace:
    """Return the workspace that a file or folder belongs to, for a user in the folder `cwd`.

    If `cwd` is in another workspace, the settings can't trust code, allow downloads, raise the cap
    on repeats or make checks advisory (`Settings.is_own`).

    Raises:
        SettingsError: as `load_workspace`.
    """
    workspace = load_workspace(start)
    if workspace.root == find_root(cwd):
        return workspace
    default, theirs = Caps(), workspace.settings.caps
    closed = workspace.settings._replace(
        trust=(),
        tool_servers={},
        plugins=(),
        allow_downloads=False,
        calibration=CalibrationSettings(),
        caps=theirs._replace(
            repeats=min(theirs.repeats, default.repeats),
            tool_turns=min(theirs.tool_turns, default.tool_turns),
            user_turns=min(theirs.user_turns, default.user_turns),
        ),
        is_own=False,
    )
    return workspace._replace(settings=closed)


def _harmless(problem: Problem) -> Problem:
    """Return a problem whose texts don't repeat a key from the file."""
    path = problem.path and without_keys(problem.path)
    return replace(problem, message=without_keys(problem.message), path=path)


def settings_document(root: Path) -> Document | None:
    """Return the settings as a document, `{}` for an empty file; None if there are none."""
    file, pyproject = root / SETTINGS_FILE, root / PYPROJECT
    table = _tool_table(pyproject)
    if not file.is_file():
        return table
    if table is not None:
        raise SettingsError(
            f"{display_path(file)} and [tool.lve] in {display_path(pyproject)} are both there; "
            "keep one of them",
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
    """Return `[tool.lve]` of a pyproject.toml as a document without positions; None if absent."""
    try:
        text = read_inside(pyproject.parent, pyproject, MAX_PYPROJECT_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as err:
        raise SettingsError(
            f"{display_path(pyproject)}: can't be read: {err.strerror}", code="unreadable"
        ) from err
    except UnicodeDecodeError as err:
        raise SettingsError(
            f"{display_path(pyproject)}: can't be read: {err}", code="unreadable"
        ) from err
    if "tool.lve" not in text:
        return None
    from lve.documents.toml_text import parse_toml

    try:
        tool = parse_toml(text).get("tool")
    except TextError as err:
        raise SettingsError(f"{display_path(pyproject)}: {err}", code="syntax") from err
    table = tool.get("lve") if isinstance(tool, dict) else None
    return None if table is None else Document(pyproject, table, text, None)


def _no_secrets(document: Document) -> Iterator[Problem]:
    """Find keys and passwords in places that the schema leaves free."""
    for name, model in _models(document):
        yield from _no_secrets_in(document, ("models", name), model)


def _no_secrets_in(
    document: Document, path: JsonPath, model: Mapping[str, Any]
) -> Iterator[Problem]:
    for part in ("args", "options"):
        for place in _secrets_below(model.get(part), (*path, part)):
            message = f"a key or secret (`{place[-1]}`) must never stand in a file"
            hint = "name its environment variable: `api_key_env: NAME`"
            yield document.problem(message, place, hint=hint, key=True, code="settings")
    variable = model.get("api_key_env")
    if isinstance(variable, str) and variable.isidentifier() and looks_like_key(variable):
        message = "this looks like a key itself, which must never stand in a file"
        hint = "put it into an environment variable, and the variable's name here"
        yield document.problem(message, (*path, "api_key_env"), hint=hint, code="settings_key")
    url = model.get("base_url")
    if isinstance(url, str) and _has_password(url):
        message = "an address with a password must never stand in a file"
        yield document.problem(
            message, (*path, "base_url"), hint="use `api_key_env: NAME`", code="settings_key"
        )


def _secrets_below(value: object, path: JsonPath) -> Iterator[JsonPath]:
    """Yield the paths of keys and secrets in a model's args and options, at any depth.

    Below the top, only texts count: a JSON Schema may describe a property called `password`.
    """
    is_top = len(path) == 3
    for key, item in _items(value):
        name = str(key).replace("-", "_")
        if name.lower().endswith("_env") or path[2:] == ("options", "answers"):
            continue
        if isinstance(key, str) and _is_secret(name, item, is_top=is_top):
            yield (*path, key)
        else:
            yield from _secrets_below(item, (*path, key))


def _is_secret(name: str, value: object, *, is_top: bool) -> bool:
    if is_top and is_key_name(name):
        return True
    if not isinstance(value, str) or not value:
        return False
    return is_key_name(name) or is_secret_name(name) or re.match(_AUTHORISES, value) is not None


def _items(value: object) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _offline_names(document: Document) -> Iterator[Problem]:
    """Find model names that promise an offline provider and have another one."""
    for name, model in _models(document):
        offline, provider = offline_provider(name), model.get("provider")
        if offline is not None and provider not in (None, offline):
            message = f"`{name}` is answered on this machine: its provider can only be `{offline}`"
            hint = "give the model another name"
            yield document.problem(
                message, ("models", name, "provider"), hint=hint, code="model_options"
            )


def _known_providers(document: Document) -> Iterator[Problem]:
    """Find models of providers that neither lve has nor the settings' `plugins` name. Whether a
    plugin is installed matters only when it is used."""
    plugins = document.data.get("plugins") if isinstance(document.data, dict) else None
    schema = load_schema("settings")["$defs"]["model"]["properties"]["provider"]
    known = [*schema["anyOf"][0]["enum"], *(plugins if isinstance(plugins, list) else ())]
    for name, model in _models(document):
        provider = model.get("provider")
        if isinstance(provider, str) and provider and provider not in known:
            hint = did_you_mean(provider, known) or "name the plugin that brings it in `plugins`"
            message = f"there is no provider `{excerpt(provider)}`"
            yield document.problem(
                message, ("models", name, "provider"), hint=hint, code="model_options"
            )


def _models(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield name and settings of every model in a document, skipping values of a wrong type."""
    models = document.data.get("models") if isinstance(document.data, dict) else None
    for name, model in models.items() if isinstance(models, dict) else ():
        if isinstance(model, dict):
            yield name, model


def _has_password(url: str) -> bool:
    try:
        return urlsplit(url).password is not None
    except ValueError:
        return False


def _build(document: Document) -> Settings:
    data: Mapping[str, Any] = document.data
    servers = data.get("tool_servers") or {}
    roles = {name: _role(said) for name, said in (data.get("roles") or {}).items()}
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
        tool_servers={name: _tool_server(one) for name, one in servers.items()},
        allow_downloads=data.get("allow_downloads", False),
        calibration=_calibration(data.get("calibration") or {}),
        comparison=ComparisonSettings(**(data.get("comparison") or {})),
    )
    note_key_variables(
        model["api_key_env"] for _, model in _models(document) if model.get("api_key_env")
    )
    note_key_variables(name for one in settings.tool_servers.values() for name in one.variables)
    return settings


def _tool_server(data: Mapping[str, Any]) -> ToolServer:
    from lve.tool_server import ToolServer  # late, like others here: few settings have them

    return ToolServer.from_json(data)


def _trusted_file(data: Mapping[str, Any]) -> TrustedFile:
    """Build an entry of `trust`. The schema uses the names of the fields."""
    from lve.trusted_file import TrustedFile

    values = {key: value for key, value in data.items() if value is not None}
    lists = {key: tuple(values.get(key, ())) for key in ("env", "read", "write")}
    return TrustedFile(**{**values, **lists})


def _calibration(data: Mapping[str, Any]) -> CalibrationSettings:
    return CalibrationSettings(
        folder=data.get("folder") or FOLDER,
        floor=Floor(**(data.get("floor") or {})),
        required=data.get("required", False),
    )


def _role(said: str | Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the model of a role, and the role's budget."""
    if isinstance(said, str):
        return said, {}
    return said["model"], {name: value for name, value in said.items() if name != "model"}


def _model(name: str, data: Mapping[str, Any]) -> ModelSettings:
    """Build the settings of one model. The schema uses the names of the fields."""
    values = {key: value for key, value in data.items() if value is not None}
    values.setdefault("provider", offline_provider(name) or "openai")
    values["price"] = price_from(values.get("price"))
    values["refuses"] = tuple(values.get("refuses", ()))
    return ModelSettings(**values)
