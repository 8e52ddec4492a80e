"""The plugin's options: one table for the command line, the ini file and the environment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lve.conventions import ROOT_MARKERS
from lve.pytest_plugin import origin

if TYPE_CHECKING:
    from lve.pytest_plugin.bridge import Bridge
    from lve.pytest_plugin.items import InstanceItem
    from lve.workspace import Workspace

WORKSPACE: pytest.StashKey[Workspace] = pytest.StashKey()
BRIDGE: pytest.StashKey[Bridge] = pytest.StashKey()
HAS_WORKERS: pytest.StashKey[bool] = pytest.StashKey()
LAST_LINES: pytest.StashKey[list[str]] = pytest.StashKey()
"""For the end of the terminal's output."""
_OPTIONS: pytest.StashKey[Options] = pytest.StashKey()
DEFAULT_MAX_ITEMS = 1000
ON = ("1", "true", "t", "yes", "y", "on")
_ACTIONS = {"flag": "store_true", "list": "append"}
"""Kind of an option -> what argparse does with it; others have one value."""
OFF = ("0", "false", "f", "no", "n", "off", "")


@dataclass(frozen=True)
class Declaration:
    """One option in its three spellings: `--lve-x`, `lve_x` in the ini, `LVE_X` outside."""

    name: str
    kind: str
    """`text`, `count`, `amount`, `flag` or `list`."""
    help: str


TABLE = (
    Declaration("model", "list", "Model to test (repeatable); wins over the test's own"),
    Declaration("base_url", "text", "Base URL of an OpenAI-compatible server"),
    Declaration("replay", "flag", "Offline: use the completions recorded in instances/"),
    Declaration("repeats", "count", "Execute every instance this many times"),
    Declaration("max_connections", "count", "Connections per model (its settings' own, or 64)"),
    Declaration("budget", "amount", "US dollars that the session may cost at most"),
    Declaration("no_cache", "flag", "Neither read nor write the cache of completions"),
    Declaration("trust", "flag", "Let the tests' own checker code run"),
    Declaration("session_dir", "text", "Folder of sessions and cache (.lve in the workspace)"),
    Declaration("strict", "flag", "Inconclusive counts as failed"),
)


@dataclass(frozen=True)
class Ending:
    """How a session ended."""

    lines: list[str]
    """What is worth saying."""
    has_failed: bool = False
    """Whether its record isn't whole."""
    was_interrupted: bool = False
    """Whether Ctrl-C ended the wait for what was under way."""


@dataclass(frozen=True)
class Options:
    """What the user asked for, from whichever place."""

    models: tuple[str, ...] = ()
    base_url: str | None = None
    repeats: int | None = None
    max_connections: int | None = None
    max_cost: float | None = None
    use_cache: bool = True
    trust: bool = False
    session_dir: Path | None = None
    strict: bool = False
    max_items: int = DEFAULT_MAX_ITEMS
    paths: tuple[Path, ...] | None = None
    """Folders to look in; None for all."""
    problems: tuple[str, ...] = ()
    """Values that can't be used, as sentences."""


def add_to(parser: pytest.Parser) -> None:
    """Add every option of the table, and the ini values that have no option."""
    group = parser.getgroup("lve", "tests of language models (lve)")
    for declaration in TABLE:
        flag = _flag_of(declaration)
        action = _ACTIONS.get(declaration.kind, "store")
        group.addoption(flag, action=action, default=None, help=declaration.help)
        ini_type: Any = {"flag": "bool", "list": "args"}.get(declaration.kind, "string")
        parser.addini(f"lve_{declaration.name}", declaration.help, type=ini_type, default=None)
    parser.addini("lve_paths", "Folders to look for tests of models in (all)", type="args")
    parser.addini(
        "lve_max_items",
        "Data sets with more rows become one item per this many rows",
        default=str(DEFAULT_MAX_ITEMS),
    )


def read(config: pytest.Config) -> Options:
    """Return the options; command line wins over environment, environment over ini."""
    if _OPTIONS not in config.stash:
        config.stash[_OPTIONS] = _read(config)
    return config.stash[_OPTIONS]


def _read(config: pytest.Config) -> Options:
    problems: list[str] = []
    sources = _Sources(config, problems)
    given = {d.name: sources.value(d) for d in TABLE}
    max_items = _number(sources.ini("lve_max_items"), "lve_max_items", int, problems)
    base = origin.base_of(config)
    return Options(
        models=("replay",) if given["replay"] else tuple(given["model"] or ()),
        base_url=given["base_url"] or None,
        repeats=given["repeats"],
        max_connections=given["max_connections"],
        max_cost=given["budget"],
        use_cache=not given["no_cache"],
        trust=bool(given["trust"]),
        session_dir=base / given["session_dir"] if given["session_dir"] else None,
        strict=bool(given["strict"]),
        max_items=max_items or DEFAULT_MAX_ITEMS,
        paths=sources.paths(),
        problems=tuple(problems),
    )


class _Sources:
    """Where values come from. What an ini file says that came with the tests doesn't count, and
    neither do the options that it adds to the command line."""

    def __init__(self, config: pytest.Config, problems: list[str]) -> None:
        self._config = config
        self._problems = problems
        self._is_foreign = origin.has_foreign_ini(config)
        self._typed = config.option
        if self._is_foreign:
            declared = [(_flag_of(d), _ACTIONS.get(d.kind, "store")) for d in TABLE]
            self._typed = origin.typed(config, declared)

    def value(self, declaration: Declaration) -> Any:
        """Return the value of an option from the first place that has it."""
        name, variable = f"lve_{declaration.name}", f"LVE_{declaration.name.upper()}"
        if (value := getattr(self._typed, name, None)) is not None:
            place = _flag_of(declaration)
        elif (value := os.environ.get(variable)) is not None:
            place = variable
            if declaration.kind == "flag":
                return _flag(value, place, self._problems)
            if declaration.kind == "list":
                return value.split()
        else:
            place, value = name, self.ini(name)
        if declaration.kind in ("count", "amount"):
            number = int if declaration.kind == "count" else float
            return _number(value, place, number, self._problems)
        return value

    def ini(self, name: str) -> Any:
        """Return a value of the ini file (or of `-o`, which pytest takes for one); None where there
        is none, or it doesn't count."""
        overrides = (
            text.partition("=")[0] for text in getattr(self._typed, "override_ini", None) or ()
        )
        if self._is_foreign and name not in overrides:
            return None
        try:
            return self._config.getini(name)
        except (ValueError, pytest.UsageError) as error:  # which one is up to pytest
            self._problems.append(f"{name}: {error}")
            return None

    def paths(self) -> tuple[Path, ...] | None:
        """Return the folders to look in."""
        ini = self._config.inipath
        base = ini.parent if ini and not self._is_foreign else origin.base_of(self._config)
        return tuple(base / folder for folder in self.ini("lve_paths") or ()) or None


def _flag_of(declaration: Declaration) -> str:
    return origin.OPTION_PREFIX + declaration.name.replace("_", "-")


def _flag(value: str, place: str, problems: list[str]) -> bool:
    """Return what a flag says, in the words that click and pytest know, too."""
    word = value.strip().lower()
    if word not in (*ON, *OFF):
        problems.append(f"{place}: '{value}' is neither on (1, true, yes) nor off (0, false, no)")
    return word in ON


def _number(value: Any, place: str, kind: type[int | float], problems: list[str]) -> Any:
    if value in (None, ""):
        return None
    try:
        number = kind(value)
    except ValueError:
        problems.append(f"{place}: '{value}' is not a {'whole ' if kind is int else ''}number")
        return None
    if not 0 < number < float("inf"):
        problems.append(f"{place}: '{value}' must be above 0")
        return None
    return number


def is_ours(item: pytest.Item) -> bool:
    """Whether it is an instance of a test of a model."""
    return type(item).__module__ == "lve.pytest_plugin.items"


def ours(items: Iterable[pytest.Item]) -> Iterator[InstanceItem]:
    """Yield the instances of tests of models among some items."""
    for item in items:
        if is_ours(item):
            yield item  # type: ignore[misc] # is_ours says so


def is_selected(path: Path, config: pytest.Config) -> bool:
    """Whether `lve_paths` lets us look at this path, or below it."""
    folders = read(config).paths
    return folders is None or any(path.is_relative_to(folder) for folder in folders)


def may_hold_tests(path: Path, config: pytest.Config) -> bool:
    """Whether to look into a folder: it lies in a workspace, and nothing deeper was asked for.

    Costs two `stat` calls per folder where there is no workspace.
    """
    if not in_workspace(path) or not is_selected(path, config):
        return False
    return not any(_is_below(argument, path, config) for argument in config.args)


def is_astray(path: Path) -> bool:
    """Whether a folder is a link that leads to a folder above it, or is reached through another
    link: in a workspace pytest doesn't follow these. Two links would be 2^40 folders."""
    if not path.is_symlink() or not in_workspace(path.parent):
        return False
    if any(folder.is_symlink() for folder in path.parents if in_workspace(folder.parent)):
        return True
    return Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(path))


def _is_below(argument: str, path: Path, config: pytest.Config) -> bool:
    """Whether a command-line argument names something inside the folder."""
    place = config.invocation_params.dir / argument.partition("::")[0]
    return place != path and place.is_relative_to(path)


def in_workspace(path: Path) -> bool:
    """Whether the folder, or one above it, is a workspace root."""
    return any(_is_marked(os.fspath(folder)) for folder in (path, *path.parents))


@lru_cache(maxsize=4096)
def _is_marked(folder: str) -> bool:
    return any(os.path.exists(f"{folder}/{marker}") for marker in ROOT_MARKERS)  # noqa: PTH110
