"""Checks the document of a workspace's settings, also by rules that its schema can't express, and
makes the settings from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lve.documents.position_types import JsonPath
from lve.documents.read import Document
from lve.documents.validation.schema import in_file_order, load_schema, validate
from lve.errors import Problem, SettingsError
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.json_types import JsonObject
from lve.secrets.redaction import note_key_variables
from lve.secrets.secret_values import is_secret_name, looks_like_key, without_keys
from lve.settings.model_settings import ModelSettings, WorkerShape, offline_provider, price_from
from lve.settings.reserved import is_key_name
from lve.settings.settings import (
    CALIBRATION_FOLDER,
    AppFiles,
    CalibrationSettings,
    Caps,
    ComparisonSettings,
    Floor,
    Settings,
)
from lve.spec.location import is_plain_path
from lve.suggest import did_you_mean

if TYPE_CHECKING:
    from lve.settings.programs import ToolServer
    from lve.settings.trusted_file import TrustedFile


def settings_from(document: Document) -> Settings:
    """Return the settings that a document has.

    Raises:
        SettingsError: they are invalid; the message has all problems, one per line.
    """
    problems = [*validate(document, "settings"), *settings_problems(document)]
    if problems:
        raise invalid_settings(problems)
    return _build(document)


def invalid_settings(problems: list[Problem]) -> SettingsError:
    """Return an error with all problems of the settings, one per line."""
    publishable = map(without_keys_in, in_file_order(problems))
    return SettingsError("\n".join(map(str, publishable)))


def _build(document: Document) -> Settings:
    data: Mapping[str, Any] = document.data
    roles = {name: _role(value) for name, value in (data.get("roles") or {}).items()}
    trust, tool_servers = _programs(data)
    settings = Settings(
        file=document.path,
        models={
            name: _model(name, model or {}) for name, model in (data.get("models") or {}).items()
        },
        model=data.get("model") or roles.get("model", (None,))[0],
        roles={name: model for name, (model, _) in roles.items()},
        role_budgets={name: budget for name, (_, budget) in roles.items() if budget},
        caps=Caps(**(data.get("caps") or {}), files=_app_files(document)),
        trust=trust,
        sandbox=data.get("sandbox") or "best",
        plugins=tuple(data.get("plugins") or ()),
        tool_servers=tool_servers,
        allow_downloads=data.get("allow_downloads", False),
        attacks=data.get("attacks", True) is not False,
        cache=data.get("cache"),
        by=tuple(data.get("by") or ()),
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


def _app_files(document: Document) -> AppFiles | None:
    folders = tuple(name.rstrip("/") for name in document.data.get("files") or ())
    return AppFiles(document.path.parent.absolute(), folders) if folders else None


def _programs(data: Mapping[str, Any]) -> tuple[tuple[TrustedFile, ...], Mapping[str, ToolServer]]:
    """Return the programs that the settings trust, and the tool servers that they start."""
    trusted, servers = data.get("trust"), data.get("tool_servers")
    if not (trusted or servers):
        return (), {}
    from lve.settings import programs  # late: few settings have any

    return programs.trusted_files(trusted or ()), programs.tool_servers(servers or {})


def _ray_address(data: Mapping[str, Any]) -> str | None:
    """Return the address of the Ray cluster if runs use one, else None."""
    if data.get("engine") != "ray":
        return None
    return (data.get("ray") or {}).get("address") or "local"


def _worker(data: Mapping[str, Any] | None) -> WorkerShape | None:
    if data is None:
        return None
    return WorkerShape(**{key: value for key, value in data.items() if value is not None})


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


_AUTHORISES = r"(?i)(?:Bearer|Basic|Token)\s+\S{8}"
"""The value of a header that holds a key."""


def settings_problems(document: Document) -> Iterator[Problem]:
    """Yield the problems of the settings that the schema can't find."""
    yield from _no_secrets(document)
    yield from _offline_names(document)
    yield from _known_providers(document)
    yield from _one_gate(document)
    yield from _folders_below(document)


def _folders_below(document: Document) -> Iterator[Problem]:
    """Find folders in `files` that aren't below the workspace's root, and hidden ones."""
    names = document.data.get("files")
    for number, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str) and not is_plain_path(name.rstrip("/")):
            message = f"`{excerpt(name)}` isn't a plain folder below this file"
            hint = "write it like `app/prompts`: without `..`, `\\` or names that begin with a dot"
            yield document.problem(message, ("files", number), hint=hint, code="app_file")


def without_keys_in(problem: Problem) -> Problem:
    """Return a problem in whose texts everything that looks like a key is replaced."""
    path = problem.path and without_keys(problem.path)
    return replace(problem, message=without_keys(problem.message), path=path)


def _no_secrets(document: Document) -> Iterator[Problem]:
    """Find keys and passwords where the schema allows any value."""
    for name, model in models_in(document):
        yield from _no_secrets_in(document, ("models", name), model)
    store = document.data.get("cache")
    why = extension_part("store in a file")(store) if isinstance(store, str) else None
    if why is not None:
        hint = "~/.pgpass may hold the password; the variable LVE_STORE takes any URL"
        yield document.problem(why, ("cache",), hint=hint, code="settings_key")


def _no_secrets_in(document: Document, path: JsonPath, model: JsonObject) -> Iterator[Problem]:
    for part in ("args", "options"):
        for place in _secrets_below(model.get(part), (*path, part)):
            message = f"a key or secret (`{place[-1]}`) must never be in a file"
            hint = "name its environment variable: `api_key_env: NAME`"
            yield document.problem(message, place, hint=hint, key=True, code="settings_key")
    variable = model.get("api_key_env")
    if isinstance(variable, str) and variable.isidentifier() and looks_like_key(variable):
        message = "this looks like a key itself, which must never be in a file"
        hint = "put it into an environment variable, and the variable's name here"
        yield document.problem(message, (*path, "api_key_env"), hint=hint, code="settings_key")
    url = model.get("base_url")
    if isinstance(url, str) and _has_password(url):
        message = "an address with a password must never be in a file"
        yield document.problem(
            message, (*path, "base_url"), hint="use `api_key_env: NAME`", code="settings_key"
        )


def _secrets_below(value: object, path: JsonPath) -> Iterator[JsonPath]:
    """Yield the paths of keys and secrets in a model's args or options, at any depth.

    Below the top level, only texts count: a JSON Schema may describe a property called `password`.
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


def _offline_names(document: Document) -> Iterator[Problem]:
    """Find models that are named like those of an offline provider, but have another provider."""
    for name, model in models_in(document):
        offline, provider = offline_provider(name), model.get("provider")
        if offline is not None and provider not in (None, offline):
            message = f"`{name}` is answered on this machine: its provider can only be `{offline}`"
            hint = "give the model another name"
            at = ("models", name, "provider")
            yield document.problem(message, at, hint=hint, code="model_options")


def _known_providers(document: Document) -> Iterator[Problem]:
    """Find models whose provider is neither lve's nor named in the settings' `plugins`. A plugin
    must be installed only when it is used."""
    plugins = document.data.get("plugins") if isinstance(document.data, dict) else None
    schema = load_schema("settings")["$defs"]["model"]["properties"]["provider"]
    providers = [*schema["anyOf"][0]["enum"], *(plugins if isinstance(plugins, list) else ())]
    for name, model in models_in(document):
        provider = model.get("provider")
        if isinstance(provider, str) and provider and provider not in providers:
            hint = (
                did_you_mean(provider, providers) or "name the plugin that brings it in `plugins`"
            )
            message = f"there is no provider `{excerpt(provider)}`"
            at = ("models", name, "provider")
            yield document.problem(message, at, hint=hint, code="model_options")


def _one_gate(document: Document) -> Iterator[Problem]:
    """Find `gate` beside `max_broken`, which the command line refuses, too: one of them would be
    ignored."""
    comparison = document.data.get("comparison") if isinstance(document.data, dict) else None
    if not isinstance(comparison, dict) or comparison.get("max_broken") is None:
        return
    if "gate" in comparison:
        message = "`gate` and `max_broken` exclude each other: `max_broken: N` lets N results break"
        at = ("comparison", "gate")
        hint = "keep one of them"
        yield document.problem(message, at, hint=hint, key=True, code="conflicting_keys")


def models_in(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield name and settings of each model in a document. Values of a wrong type are skipped."""
    models = document.data.get("models") if isinstance(document.data, dict) else None
    for name, model in models.items() if isinstance(models, dict) else ():
        if isinstance(model, dict):
            yield name, model


def _has_password(url: str) -> bool:
    try:
        return urlsplit(url).password is not None
    except ValueError:
        return False


def _is_secret(name: str, value: object, *, is_top: bool) -> bool:
    if is_top and is_key_name(name):
        return True
    if not isinstance(value, str) or not value:
        return False
    return is_key_name(name) or is_secret_name(name) or re.match(_AUTHORISES, value) is not None


def _items(value: object) -> Iterable[tuple[str | int, object]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
