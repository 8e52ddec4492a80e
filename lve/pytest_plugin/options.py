"""The plugin's options: those of a run (`lve.run_options`) and its own.

Each can stand on the command line, in the environment and in the ini file.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lve.options.option import COUNT, FLAG, TEXTS, Values
from lve.pytest_plugin import origin
from lve.run_options import DEFAULTS, OPTIONS, SEED_ALONE, RunOptions, variables_of, word_of

if TYPE_CHECKING:
    from lve.workspace import Workspace

WORKSPACE: pytest.StashKey[Workspace] = pytest.StashKey()
REFUSED: pytest.StashKey[str] = pytest.StashKey()
"""What is wrong with an option that only shows when tests are collected."""
_OPTIONS: pytest.StashKey[Options] = pytest.StashKey()
DEFAULT_MAX_ITEMS = 1000
_LOOK_ONLY = ("collectonly", "setuponly", "setupplan")
"""Options of pytest with which no test runs."""
ON = ("1", "true", "t", "yes", "y", "on")
OFF = ("0", "false", "f", "no", "n", "off", "")


@dataclass(frozen=True)
class Declaration:
    """One option in its three spellings: `--lve-x`, `lve_x` in the ini, `LVE_X` outside."""

    name: str
    values: Values
    help: str
    metavar: str | None = None
    field: str = ""
    """Of `RunOptions`; empty for what only pytest has."""

    @property
    def flag(self) -> str:
        """As it is typed."""
        return origin.OPTION_PREFIX + self.name.replace("_", "-")

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that say it, the first before the others."""
        own = f"LVE_{self.name.upper()}"
        return (own, *(set(variables_of(self.field)) - {own} if self.field else ()))

    @property
    def action(self) -> str:
        """What argparse does with it."""
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
        "output",
        TEXTS,
        "Write a report, whose suffix says what it is. Repeat for several.",
        metavar="FILE",
    ),
)
"""The options of a run, and pytest's own."""


@dataclass(frozen=True)
class Options:
    """What the user asked for, from whichever place."""

    run: RunOptions = DEFAULTS
    max_items: int = DEFAULT_MAX_ITEMS
    paths: tuple[Path, ...] | None = None
    """Folders to look in; None for all."""
    output: tuple[str, ...] = ()
    """Reports to write at the end."""
    problems: tuple[str, ...] = ()
    """Values that can't be used, as sentences."""

    @cached_property
    def run_of_all_shards(self) -> RunOptions:
        """The options to collect with: a shard takes its part of what pytest has selected."""
        return replace(self.run, shard=None)


def add_to(parser: pytest.Parser) -> None:
    """Add every option of the table, and the ini values that have no option."""
    group = parser.getgroup("lve", "tests of language models (lve)")
    for one in TABLE:
        shown = {"metavar": one.metavar} if one.metavar else {}  # a flag takes none
        group.addoption(one.flag, action=one.action, default=None, help=one.help, **shown)
        ini_types: dict[str, Any] = {"flag": "bool", "texts": "args", "mapping": "args"}
        ini_type = ini_types.get(one.values.shape, "string")
        parser.addini(f"lve_{one.name}", one.help, type=ini_type, default=None)
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
    given = {one.name: sources.value(one) for one in TABLE}
    fields = {
        one.field: _field(one, given[one.name], config)
        for one in TABLE
        if one.field and given[one.name] is not None
    }
    if given["replay"]:
        fields["models"] = ("replay",)
    max_items = _number(sources.ini("lve_max_items"), "lve_max_items", COUNT, problems)
    return Options(
        run=RunOptions(**fields),
        max_items=max_items or DEFAULT_MAX_ITEMS,
        paths=sources.paths(),
        output=tuple(given["output"] or ()),
        problems=tuple(problems),
    )


def looks_only(config: pytest.Config) -> bool:
    """Whether the user looks at what there is, and no test runs."""
    return any(config.getoption(name, default=False) for name in _LOOK_ONLY)


def refused(config: pytest.Config) -> list[str]:
    """Return what is wrong with the options, once the tests are collected."""
    asked = read(config)
    found = [*asked.problems, *filter(None, [config.stash.get(REFUSED, None)])]
    if getattr(config.option, "lve_seed", None) is not None and asked.run.sample is None:
        found.append(SEED_ALONE.format("--lve-seed", "--lve-sample"))
    return found


def _field(declaration: Declaration, value: Any, config: pytest.Config) -> Any:
    """Return a value as `RunOptions` has it."""
    shape = declaration.values.shape
    if shape == "texts":
        return tuple(value)
    if shape == "path":
        return origin.base_of(config) / value
    if shape == "flag":
        return not getattr(DEFAULTS, declaration.field)
    return value


class _Sources:
    """Where values come from. What an ini file says that came with the tests doesn't count, and
    neither do the options that it adds to the command line."""

    def __init__(self, config: pytest.Config, problems: list[str]) -> None:
        self._config = config
        self._problems = problems
        self._is_foreign = origin.has_foreign_ini(config)
        self._typed = config.option
        if self._is_foreign:
            self._typed = origin.typed(config, [(one.flag, one.action) for one in TABLE])

    def value(self, declaration: Declaration) -> Any:
        """Return the value of an option from the first place that has it; None where it is off,
        empty, or can't be used."""
        name = f"lve_{declaration.name}"
        values = declaration.values
        if (value := getattr(self._typed, name, None)) is not None:
            place = declaration.flag
        elif variable := next(filter(os.environ.__contains__, declaration.variables), None):
            place, value = variable, os.environ[variable]
            if values.shape == "flag":
                return _flag(value, place, self._problems) or None
            if values.shape in ("texts", "mapping"):
                value = value.split()
        else:
            place, value = name, self.ini(name)
        if values.shape == "mapping":
            return _pairs(value or (), place, self._problems) or None
        if values.shape in ("whole", "number"):
            return _number(value, place, values, self._problems)
        if values.refusal_of_text and value and (refusal := values.refusal(value)):
            self._problems.append(f"{place} must be {refusal}")
            return None
        return value or None

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


def _flag(value: str, place: str, problems: list[str]) -> bool:
    """Return what a flag says, in the words that click and pytest know, too."""
    word = value.strip().lower()
    if word not in (*ON, *OFF):
        problems.append(f"{place}: '{value}' is neither on (1, true, yes) nor off (0, false, no)")
    return word in ON


def _pairs(texts: Sequence[str], place: str, problems: list[str]) -> dict[str, str]:
    """Return what `NAME=VALUE` texts say."""
    pairs = [text.partition("=") for text in texts]
    problems += [
        f"{place}: '{text}' is not NAME=VALUE"
        for text, (name, _, value) in zip(texts, pairs, strict=True)
        if not (name and value)
    ]
    counts = Counter(name for name, _, _ in pairs)
    problems += [f"{place}: '{name}' is given twice" for name in counts if counts[name] > 1]
    return {name: value for name, _, value in pairs if name and value}


def _number(value: Any, place: str, values: Values, problems: list[str]) -> Any:
    if value in (None, ""):
        return None
    try:
        return values.number(value)
    except ValueError as error:
        problems.append(f"{place} must be {error}")
        return None
