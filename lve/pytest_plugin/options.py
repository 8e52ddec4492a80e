"""The plugin's options: one table for the command line, the ini file and the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from lve.pytest_plugin.bridge import Bridge

BRIDGE: pytest.StashKey[Bridge] = pytest.StashKey()
_OPTIONS: pytest.StashKey[Options] = pytest.StashKey()
ROOT_MARKERS = (".lverepo", "lve.yaml")


@dataclass(frozen=True)
class _Declaration:
    """One option in its three spellings: `--lve-x`, `lve_x` in the ini, `LVE_X` outside."""

    name: str
    kind: str
    """`text`, `number`, `flag` or `list`."""
    help: str


TABLE = (
    _Declaration("model", "list", "Model to test (repeatable); wins over the test's own"),
    _Declaration("base_url", "text", "Base URL of an OpenAI-compatible server"),
    _Declaration("replay", "flag", "Offline: use the completions recorded in instances/"),
    _Declaration("repeats", "number", "Execute every instance this many times"),
    _Declaration("max_connections", "number", "Connections per model at most (64)"),
    _Declaration("budget", "text", "US dollars that the session may cost at most"),
    _Declaration("no_cache", "flag", "Neither read nor write the cache of completions"),
    _Declaration("trust", "flag", "Let the tests' own checker code run"),
    _Declaration("session_dir", "text", "Folder for session and journal (.lve/runs)"),
    _Declaration("strict", "flag", "Inconclusive counts as failed"),
)


@dataclass(frozen=True)
class Options:
    """What the user asked for, from whichever place."""

    models: tuple[str, ...] = ()
    base_url: str | None = None
    repeats: int | None = None
    max_connections: int = 64
    max_cost: float | None = None
    use_cache: bool = True
    trust: bool = False
    session_dir: Path | None = None
    strict: bool = False
    max_items: int = 1000


def add_to(parser: pytest.Parser) -> None:
    """Add every option of the table, and the ini values that have no option."""
    group = parser.getgroup("lve", "tests of language models (lve)")
    for declaration in TABLE:
        flag = "--lve-" + declaration.name.replace("_", "-")
        if declaration.kind == "flag":
            group.addoption(flag, action="store_true", default=None, help=declaration.help)
        elif declaration.kind == "list":
            group.addoption(flag, action="append", default=None, help=declaration.help)
        else:
            group.addoption(flag, default=None, help=declaration.help)
        ini_type: Any = {"flag": "bool", "list": "args"}.get(declaration.kind, "string")
        parser.addini(f"lve_{declaration.name}", declaration.help, type=ini_type, default=None)
    parser.addini("lve_paths", "Folders to look for tests of models in (all)", type="args")
    parser.addini(
        "lve_max_items",
        "Data sets with more rows become one item per this many rows",
        default="1000",
    )


def read(config: pytest.Config) -> Options:
    """Return the options; command line wins over environment, environment over ini.

    Raises:
        pytest.UsageError: a value of the wrong type.
    """
    if _OPTIONS not in config.stash:
        config.stash[_OPTIONS] = _read(config)
    return config.stash[_OPTIONS]


def _read(config: pytest.Config) -> Options:
    given = {d.name: _value(config, d) for d in TABLE}
    models = ("replay",) if given["replay"] else tuple(given["model"] or ())
    return Options(
        models=models,
        base_url=given["base_url"] or None,
        repeats=_number(given["repeats"], "lve-repeats", int),
        max_connections=_number(given["max_connections"], "lve-max-connections", int) or 64,
        max_cost=_number(given["budget"], "lve-budget", float),
        use_cache=not given["no_cache"],
        trust=bool(given["trust"]),
        session_dir=Path(given["session_dir"]) if given["session_dir"] else None,
        strict=bool(given["strict"]),
        max_items=_number(config.getini("lve_max_items"), "lve_max_items", int) or 1000,
    )


def _value(config: pytest.Config, declaration: _Declaration) -> Any:
    value = config.getoption(f"lve_{declaration.name}")
    if value is not None:
        return value
    outside = os.environ.get(f"LVE_{declaration.name.upper()}")
    if outside is None:
        return config.getini(f"lve_{declaration.name}")
    if declaration.kind == "flag":
        return outside.lower() not in ("", "0", "false", "no")
    return outside.split() if declaration.kind == "list" else outside


def _number(value: Any, name: str, kind: type) -> Any:
    if value in (None, ""):
        return None
    try:
        number = kind(value)
    except ValueError:
        raise pytest.UsageError(f"{name}: '{value}' is not a number") from None
    if number <= 0:
        raise pytest.UsageError(f"{name}: '{value}' must be above 0")
    return number


def is_ours(item: pytest.Item) -> bool:
    """Whether it is an instance of a test of a model."""
    return type(item).__module__.startswith("lve.pytest_plugin")


def is_selected(path: Path, config: pytest.Config) -> bool:
    """Whether `lve_paths` lets us look at this path."""
    folders = config.getini("lve_paths")
    base = config.inipath.parent if config.inipath else config.rootpath
    return not folders or any(path.is_relative_to(base / folder) for folder in folders)


def may_hold_tests(path: Path, config: pytest.Config) -> bool:
    """Whether to look into a folder: it lies in a workspace, and nothing deeper was asked for.

    Costs two `stat` calls per folder where there is no workspace.
    """
    if not in_workspace(path) or not is_selected(path, config):
        return False
    return not any(_is_below(argument, path, config) for argument in config.args)


def _is_below(argument: str, path: Path, config: pytest.Config) -> bool:
    """Whether a command-line argument names something inside the folder."""
    place = config.invocation_params.dir / argument.partition("::")[0]
    return place != path and place.is_relative_to(path)


@lru_cache(maxsize=4096)
def in_workspace(path: Path) -> bool:
    """Whether the folder, or one above it, is a workspace root."""
    if any(os.path.exists(path / marker) for marker in ROOT_MARKERS):  # noqa: PTH110 (speed)
        return True
    if path == path.parent:
        return False
    return in_workspace(path.parent)
