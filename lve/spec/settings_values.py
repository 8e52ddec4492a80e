"""Checks the document of a workspace's settings, and makes the settings from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lve.documents.read import Document
from lve.documents.schema import in_file_order, validate
from lve.errors import Problem, SettingsError
from lve.secrets.redaction import note_key_variables
from lve.settings.model_settings import ModelSettings, offline_provider, price_from
from lve.settings.settings import (
    CALIBRATION_FOLDER,
    AppFiles,
    CalibrationSettings,
    Caps,
    ComparisonSettings,
    Floor,
    Settings,
)
from lve.settings.worker_shape import WorkerShape
from lve.spec.settings_rules import models_in, settings_problems, without_keys_in

if TYPE_CHECKING:
    from lve.settings.tool_server import ToolServer
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


def _programs(
    data: Mapping[str, Any],
) -> tuple[tuple[TrustedFile, ...], Mapping[str, ToolServer]]:
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
