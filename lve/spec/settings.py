"""Reading the settings of a workspace: `lve.yaml`, or `[tool.lve]` in `pyproject.toml`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lve.conventions import SETTINGS_FILE
from lve.errors import Problem, SettingsError, SpecError
from lve.spec.documents import Document, read_document
from lve.spec.places import JsonPath
from lve.spec.reserved import is_key_name
from lve.spec.schema import in_file_order, validate
from lve.workspace import (
    Caps,
    ModelSettings,
    Price,
    Settings,
    TrustedFile,
    Workspace,
    display_path,
    find_root,
)


def load_workspace(start: Path) -> Workspace:
    """Return the workspace that a file or folder belongs to, with its settings.

    Raises:
        SettingsError: the settings can't be used; with all problems, one per line.
    """
    root = find_root(start)
    document = _settings_document(root)
    if document is None:
        return Workspace(root)
    problems = [*validate(document, "settings"), *_no_secrets(document)]
    if problems:
        raise SettingsError("\n".join(str(problem) for problem in in_file_order(problems)))
    return Workspace(root, _build(document))


def load_workspace_from(cwd: Path, start: Path) -> Workspace:
    """Return the workspace that a file or folder belongs to, as it counts for somebody who stands
    in `cwd`: in another workspace than one's own, settings open no doors (`Settings.is_own`).

    Raises:
        SettingsError: as `load_workspace`.
    """
    workspace = load_workspace(start)
    if workspace.root == find_root(cwd):
        return workspace
    closed = replace(workspace.settings, trust=(), allow_downloads=False, is_own=False)
    return replace(workspace, settings=closed)


def _settings_document(root: Path) -> Document | None:
    """Return the settings as a document, an empty file being `{}`; None if there are none."""
    file, pyproject = root / SETTINGS_FILE, root / "pyproject.toml"
    table = _tool_table(pyproject)
    if not file.is_file():
        return table
    if table is not None:
        raise SettingsError(
            f"{display_path(file)} and [tool.lve] in {display_path(pyproject)} are both there; "
            "keep one of them"
        )
    try:
        document = read_document(file)
    except SpecError as err:
        raise SettingsError(str(err)) from err
    if document.data is None:
        document.data = {}
    return document


def _tool_table(pyproject: Path) -> Document | None:
    """Return `[tool.lve]` of a pyproject.toml; None if it isn't there. TOML has no positions."""
    try:
        text = pyproject.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as err:
        raise SettingsError(f"{display_path(pyproject)}: can't be read: {err}") from err
    if "tool.lve" not in text:
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as err:
        raise SettingsError(f"{display_path(pyproject)}: not valid TOML: {err}") from err
    table = data.get("tool", {}).get("lve")
    return None if table is None else Document(pyproject, table, text, None)


def _no_secrets(document: Document) -> Iterator[Problem]:
    """Find keys and passwords where the schema leaves room for them."""
    models = document.data.get("models") if isinstance(document.data, dict) else None
    if not isinstance(models, dict):
        return
    for name, model in models.items():
        if isinstance(model, dict):
            yield from _no_secrets_in(document, ("models", name), model)


def _no_secrets_in(
    document: Document, path: JsonPath, model: Mapping[str, Any]
) -> Iterator[Problem]:
    for part in ("args", "options"):
        for key in model.get(part) or ():
            if is_key_name(key) and not key.endswith("_env"):
                message = f"a key or secret (`{key}`) must never stand in a file"
                hint = "name its environment variable: `api_key_env: NAME`"
                yield document.problem(message, (*path, part, key), hint=hint, key=True)
    url = model.get("base_url")
    if isinstance(url, str) and _has_password(url):
        message = "an address with a password must never stand in a file"
        yield document.problem(message, (*path, "base_url"), hint="use `api_key_env: NAME`")


def _has_password(url: str) -> bool:
    try:
        return urlsplit(url).password is not None
    except ValueError:
        return False


def _build(document: Document) -> Settings:
    data: Mapping[str, Any] = document.data
    caps = data.get("caps") or {}
    return Settings(
        file=document.path,
        models={name: _model(model or {}) for name, model in (data.get("models") or {}).items()},
        model=data.get("model"),
        caps=Caps(**caps),
        trust=tuple(_trusted(entry) for entry in data.get("trust") or ()),
        allow_downloads=data.get("allow_downloads", False),
    )


def _trusted(data: Mapping[str, Any]) -> TrustedFile:
    return TrustedFile(data["path"], data["sha256"], tuple(data.get("env") or ()))


def _model(data: Mapping[str, Any]) -> ModelSettings:
    """Build the settings of one model. The schema has the very names of the fields."""
    values = {name: value for name, value in data.items() if value is not None}
    price = values.pop("price", None)
    return ModelSettings(**values, price=None if price is None else Price(**price))
