"""The plugin's options: those of a run (`lve.options.run_options`) and a few of its own.

Each can be given on the command line, in the environment and in the ini file.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lve.data_classes import dataclass
from lve.options.run_options import DEFAULTS, OPTIONS, SEED_ALONE, RunOptions, variables_of, word_of
from lve.options.values import COUNT, FLAG, TEXTS, Values
from lve.pytest_plugin.foreign_ini import OPTION_PREFIX, base_folder, has_foreign_ini, typed_options

if TYPE_CHECKING:
    from lve.workspace import Workspace

WORKSPACE: pytest.StashKey[Workspace] = pytest.StashKey()
REFUSED: pytest.StashKey[str] = pytest.StashKey()
"""An error in an option that shows only when tests are collected."""
_OPTIONS: pytest.StashKey[Options] = pytest.StashKey()
DEFAULT_MAX_ITEMS = 1000
_NO_RUN = ("collectonly", "setuponly", "setupplan")
"""Options of pytest with which no test runs."""


@dataclass(frozen=True)
class Declaration:
    """One option with its three names: `--lve-x`, `lve_x` in the ini, `LVE_X` in the
    environment."""

    name: str
    values: Values
    help: str
    metavar: str | None = None
    field: str = ""
    """Its field of `RunOptions`; empty for an option that only pytest has."""

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return OPTION_PREFIX + self.name.replace("_", "-")

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it; the first one wins."""
        own = f"LVE_{self.name.upper()}"
        return (own, *(set(variables_of(self.field)) - {own} if self.field else ()))

    @property
    def action(self) -> str:
        """Its action in argparse."""
        actions = {"flag": "store_true", "texts": "append", "mapping": "append"}
        return actions.get(self.values.shape, "store")


TABLE = (
    *(
        Declaration(
            about.pytest_word or word_of(name),
            about.values,
            about.pytest_help,
            (about.shown_metavar or "").strip("[]") or None,
            name,
        )
        for name, about in OPTIONS.items()
        if "pytest" in about.interfaces
    ),
    Declaration("replay", FLAG, "Offline: use the completions recorded in instances/."),
    Declaration(
        "output", TEXTS, "Write a report; FILE's suffix is its format. Repeat for several.", "FILE"
    ),
)
"""The options of a run, and pytest's own."""


@dataclass(frozen=True)
class Options:
    """The options of a pytest session, wherever they were given."""

    run: RunOptions = DEFAULTS
    max_items: int = DEFAULT_MAX_ITEMS
    paths: tuple[Path, ...] | None = None
    """Folders in which tests are collected; None: all."""
    output: tuple[str, ...] = ()
    """Report files to write at the end."""
    problems: tuple[str, ...] = ()
    """Messages about invalid values."""

    @cached_property
    def run_of_all_shards(self) -> RunOptions:
        """The options for collecting. The shard is applied later, to the items that pytest has
        selected."""
        return replace(self.run, shard=None)


def add_to(parser: pytest.Parser) -> None:
    """Add the options of the table, and the ini values that have no option."""
    group = parser.getgroup("lve", "tests of language models (lve)")
    for option in TABLE:
        display = {"metavar": option.metavar} if option.metavar else {}  # a flag takes none
        group.addoption(
            option.flag, action=option.action, default=None, help=option.help, **display
        )
        ini_types: dict[str, Any] = {"flag": "bool", "texts": "args", "mapping": "args"}
        ini_type = ini_types.get(option.values.shape, "string")
        parser.addini(f"lve_{option.name}", option.help, type=ini_type, default=None)
    parser.addini("lve_paths", "Folders to look for tests of models in (all)", type="args")
    parser.addini(
        "lve_max_items",
        "Data sets with more rows become one item per this many rows",
        default=str(DEFAULT_MAX_ITEMS),
    )


def options_of(config: pytest.Config) -> Options:
    """Return the session's options. The command line overrides the environment, which overrides the
    ini file."""
    if _OPTIONS not in config.stash:
        config.stash[_OPTIONS] = _read(config)
    return config.stash[_OPTIONS]


def _read(config: pytest.Config) -> Options:
    problems: list[str] = []
    sources = _Sources(config, problems)
    settings = {option.name: sources.value(option) for option in TABLE}
    fields: dict[str, Any] = {
        option.field: not getattr(DEFAULTS, option.field) if value is True else value
        for option in TABLE
        if option.field and (value := settings[option.name]) is not None
    }
    if settings["replay"]:
        fields["models"] = ("replay",)
    max_items = sources.converted(sources.ini("lve_max_items"), "lve_max_items", COUNT)
    return Options(
        run=RunOptions(**fields),
        max_items=max_items or DEFAULT_MAX_ITEMS,
        paths=sources.paths(),
        output=settings["output"] or (),
        problems=tuple(problems),
    )


def unused_variables() -> list[str]:
    """Return warnings about variables of options that other doors have and pytest doesn't."""
    known = {variable for option in TABLE for variable in option.variables}
    others = {variable for name in OPTIONS for variable in variables_of(name)} - known
    there = filter(os.environ.get, sorted(others))
    return [f"lve: warning: pytest has no such option: {variable} is ignored" for variable in there]


def is_model_chosen(config: pytest.Config) -> bool:
    """Whether the command line or the environment names a model, not only the ini file."""
    is_typed = any(getattr(config.option, name, None) for name in ("lve_model", "lve_replay"))
    return is_typed or any(os.environ.get(name) for name in ("LVE_MODEL", "LVE_REPLAY"))


def looks_only(config: pytest.Config) -> bool:
    """Whether pytest only lists what it would run (`--collect-only` and similar)."""
    return any(config.getoption(name, default=False) for name in _NO_RUN)


def refused(config: pytest.Config) -> list[str]:
    """Return messages about invalid options. Call it after collection, which finds some of
    them."""
    options = options_of(config)
    problems = [*options.problems, *filter(None, [config.stash.get(REFUSED, None)])]
    if getattr(config.option, "lve_seed", None) is not None and options.run.sample is None:
        problems.append(SEED_ALONE.format("--lve-seed", "--lve-sample"))
    return problems


class _Sources:
    """Reads the values of options from their sources.

    Ignores an ini file that came with the tests, and the options that its `addopts` adds to the
    command line.
    """

    def __init__(self, config: pytest.Config, problems: list[str]) -> None:
        self._config = config
        self._problems = problems
        self._is_foreign = has_foreign_ini(config)
        self._typed = config.option
        if self._is_foreign:
            self._typed = typed_options(config, [(option.flag, option.action) for option in TABLE])

    def value(self, declaration: Declaration) -> Any:
        """Return the value of an option from the first source that has it; None if it is off, empty
        or invalid."""
        name = f"lve_{declaration.name}"
        values = declaration.values
        if (value := getattr(self._typed, name, None)) is not None:
            place = declaration.flag
        elif variable := next(filter(os.environ.__contains__, declaration.variables), None):
            place, value = variable, os.environ[variable]
            if values.shape in ("texts", "mapping"):
                value = value.split()
        else:
            place, value = name, self.ini(name)
        return self.converted(value, place, values)

    def converted(self, text: object, place: str, values: Values) -> Any:
        """Return the value of what was given at a place; None as in `value`."""
        if not text:
            return None
        try:
            value = values.typed(text, base_folder(self._config))
        except ValueError as error:
            glue = ": " if values.shape in ("mapping", "flag") else " "
            self._problems += [place + glue + problem for problem in error.args]
            return None
        return None if value is False else value

    def ini(self, name: str) -> Any:
        """Return a value of the ini file or of `-o`; None if there is none or if the ini file is
        ignored."""
        overrides = getattr(self._typed, "override_ini", None) or ()
        if self._is_foreign and name not in [text.partition("=")[0] for text in overrides]:
            return None
        try:
            return self._config.getini(name)
        except (ValueError, pytest.UsageError) as error:  # depends on pytest's version
            self._problems.append(f"{name}: {error}")
            return None

    def paths(self) -> tuple[Path, ...] | None:
        """Return the folders in which tests are collected; None: all."""
        ini = self._config.inipath
        base = ini.parent if ini and not self._is_foreign else base_folder(self._config)
        return tuple(base / folder for folder in self.ini("lve_paths") or ()) or None
