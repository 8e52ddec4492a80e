"""Reads the tests of a configuration, each with its variables and assertions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from lve.data_classes import dataclass, field
from lve.documents.read import DocumentPosition
from lve.extensions.importing.promptfoo.assertions import MAKERS
from lve.extensions.importing.promptfoo.check_list import Placed
from lve.extensions.importing.promptfoo.providers.model_names import Asked, read_model
from lve.extensions.importing.promptfoo.scripts.files import transforms_of
from lve.extensions.importing.promptfoo.source import BY_ITSELF, Source, UnsupportedError
from lve.extensions.importing.promptfoo.tables import table_rows
from lve.extensions.importing.promptfoo.variables import HUGGING_FACE, choices_of, hub_of, rows_of
from lve.named_tuples import NamedTuple

HUB = "\0hub"
"""Key of a test whose rows are those of a data set. No file has it."""
GRADERS = frozenset({"text", "embedding", "classification", "moderation"})
"""Keys of a provider that only judges."""
SCENARIO = {"config", "tests", "description"}
TABLES = (".csv", ".jsonl")
CHANGES = ("transformVars", "prefix", "suffix", "disableVarExpansion")
"""Options that change what is sent or judged; lve has none of them."""
TEST_KEYS = frozenset(
    {"assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold", HUB}
)
"""Keys of which promptfoo wants one at least."""
UNSUPPORTED = ("assertScoringFunction", "prompts", "providers")
"""Keys of a test without a counterpart in lve. Without them, the test would mean something else."""


Place = tuple[int, int]
"""Number of an entry of `tests` or `prompts`, and of a test or prompt within it."""


class Rows(NamedTuple):
    """The variables of a test, as promptfoo has filled them in."""

    rows: list[dict[str, str]]
    """With columns for prompts beside them."""
    variables: tuple[str, ...]
    has_texts: bool


class PlacedTest(NamedTuple):
    """A test of a configuration."""

    test: object
    """As it is written."""
    position: DocumentPosition
    place: Place
    rows: Rows | None = None
    """Its rows, if promptfoo has made them."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test of a configuration, including the defaults."""

    position: DocumentPosition
    description: str
    rows: list[dict[str, str]]
    """Variable -> text; several rows if a variable has a list of values."""
    asserted: list[Placed]
    threshold: object
    variables: tuple[str, ...] = ()
    """Names of its variables."""
    asked: Asked | None = None
    """The model that it names itself."""
    transforms: tuple[dict[str, object], ...] = ()
    """What changes its answers before they are judged."""
    has_texts: bool = True
    """Whether the values of its variables are texts as they are written."""
    hub: dict[str, object] | None = None
    """The data set of the Hugging Face hub that has its rows."""
    options: Mapping[str, object] = field(default_factory=dict)
    place: Place = (0, 0)


def read_cases(
    source: Source,
    config: dict[str, object],
    at: DocumentPosition,
    tests: Iterable[PlacedTest] | None = None,
) -> Iterator[Case]:
    """Yield the tests. Those without a counterpart are left out and reported.

    Args:
        source: reads files, and collects what is left out.
        config: the whole configuration.
        at: the position of the configuration.
        tests: those that have been read; None: they are read here.
    """
    default = config.get("defaultTest")
    if default is not None and not isinstance(default, dict):
        source.leave_out(at.below(("defaultTest",)), "left out: not an object of the same file")
    defaults = default if isinstance(default, dict) else {}
    for placed in placed_tests(source, config, at) if tests is None else tests:
        try:
            yield _case(source, placed, defaults, at.below(("defaultTest",)))
        except UnsupportedError as error:
            source.leave_out(placed.position, str(error))


def placed_tests(
    source: Source, config: dict[str, object], at: DocumentPosition, *, as_written: bool = False
) -> Iterator[PlacedTest]:
    """Yield the tests, also those of scenarios; the arguments are as in `read_cases`.

    Args:
        source, config, at: as in `read_cases`.
        as_written: whether the names of files of tests are yielded, not what is in them.
    """
    has_others = "redteam" in config or "scenarios" in config
    entries = _entries(config.get("tests"), at.below(("tests",)), has_others=has_others)
    number = -1
    for number, (item, position) in enumerate(entries):
        within = [(item, position)] if as_written else _tests(source, item, position)
        for inner, (test, place) in enumerate(within):
            yield PlacedTest(test, place, (number, inner))
    scenarios = _scenarios(source, config.get("scenarios"), at.below(("scenarios",)))
    for n, (test, position) in enumerate(scenarios, number + 1):
        yield PlacedTest(test, position, (n, 0))


def is_on_hub(test: object) -> bool:
    """Return whether the rows of an entry of `tests` are on the hub."""
    return isinstance(test, str) and test.startswith(HUGGING_FACE)


def _entries(written: object, at: DocumentPosition, *, has_others: bool) -> Iterator[Placed]:
    """Yield the entries of `tests`. Without any, the prompts are sent as they are, unless there are
    others: scenarios, or tests that are to be generated (`redteam`)."""
    if written is None:
        if not has_others:
            yield {}, at
    elif isinstance(written, list):
        for index, item in enumerate(written):
            yield item, at.below((index,))
    else:
        yield written, at


def _tests(source: Source, item: Any, position: DocumentPosition) -> Iterator[Placed]:
    """Yield the tests of an entry: one, or those in a file. What can't be read is left out and
    reported."""
    if isinstance(item, dict) and {"path", "config"} >= set(item) >= {"path"}:
        item = str(item["path"])  # a script that gets a config
    if not isinstance(item, str):
        yield item, position
        return
    try:
        if is_on_hub(item):
            yield {HUB: hub_of(source, item)}, position
            return
        if not item.endswith((".yaml", ".yml", ".json", *TABLES)) or "*" in item:
            kinds = "YAML, JSON, JSONL and CSV"
            raise UnsupportedError(f"left out: only {kinds} files of tests are read{BY_ITSELF}")
        if item.endswith(TABLES):
            yield from table_rows(source, item, frozenset(MAKERS))
            return
        of_file = source.data(item)
    except UnsupportedError as error:
        source.leave_out(position, str(error))
        return
    path = source.path(item)
    for inner, test in enumerate(of_file if isinstance(of_file, list) else [of_file]):
        yield test, DocumentPosition(path, (inner,) if isinstance(of_file, list) else ())


def _scenarios(source: Source, written: object, at: DocumentPosition) -> Iterator[Placed]:
    """Yield each test of each scenario with each of its configurations."""
    if written is not None and not isinstance(written, list):
        source.leave_out(at, "left out: not a list of the same file")
    for index, item in enumerate(written if isinstance(written, list) else []):
        position = at.below((index,))
        scenario = item if isinstance(item, dict) else {}
        configs, tests = scenario.get("config"), scenario.get("tests")
        if not (isinstance(configs, list) and isinstance(tests, list)) or set(scenario) - SCENARIO:
            source.leave_out(position, "left out: not a scenario of the same file")
            continue
        below = position.below(("tests",))
        entries = _entries(tests, below, has_others=True)
        placed = [each for entry in entries for each in _tests(source, *entry)]
        for config, (test, place) in product(configs, placed):
            source.step()
            if not (isinstance(config, dict) and isinstance(test, dict)):
                source.leave_out(place, "left out: not a test")
                continue
            yield {**config, **test, **_both(config, test)}, place


def _both(config: dict[str, object], test: dict[str, object]) -> dict[str, object]:
    """Return the parts that a scenario's test has of itself and of its configuration."""
    merged: dict[str, object] = {}
    for key in ("vars", "options"):
        parts = [part for part in (config.get(key), test.get(key)) if isinstance(part, dict)]
        if len(parts) == 2:
            merged[key] = {**parts[0], **parts[1]}
    asserts = [part.get("assert") for part in (config, test)]
    if all(isinstance(part, list) for part in asserts):
        merged["assert"] = [each for part in asserts if isinstance(part, list) for each in part]
    return merged


def _case(
    source: Source, placed: PlacedTest, defaults: dict[str, object], default_at: DocumentPosition
) -> Case:
    test, position, place, own = placed
    if not isinstance(test, dict) or (test and not TEST_KEYS & test.keys()):
        raise UnsupportedError("left out: not a test")
    merged = {**defaults, **test}
    options = {**_object(defaults, "options"), **_object(test, "options")}
    changed = [key for key in CHANGES if key in options]
    if changed and own is None:
        raise UnsupportedError(
            f"left out: its option {changed[0]} changes what is judged{BY_ITSELF}"
        )
    if "provider" in options:
        source.tell("options.provider: the judge is named by --role judge=MODEL, or in lve.yaml")
    if lost := [key for key in UNSUPPORTED if key in merged]:
        raise UnsupportedError(f"left out: lve's tests have no {lost[0]}")
    alone = _object(test, "options").get("disableDefaultAsserts") is True
    by_default = {} if alone else defaults
    asserted = [
        *((assertion, default_at.below(("assert", n))) for n, assertion in _asserts(by_default)),
        *((assertion, position.below(("assert", n))) for n, assertion in _asserts(test)),
    ]
    variables = {**_object(defaults, "vars"), **_object(test, "vars")}
    description = str(test.get("description") or "")
    hub = merged.pop(HUB, None)
    if hub is not None and variables:
        raise UnsupportedError("left out: rows of the hub with variables beside them")
    rows, names, has_texts = own or _own_rows(source, variables)
    asked = _own_model(source, merged.get("provider"), position)
    if "providers" in options:
        source.tell("options.providers does nothing in promptfoo: the judge is --role judge=MODEL")
    transforms = tuple(transforms_of(source, options))
    return Case(
        position,
        description,
        rows,
        asserted,
        merged.get("threshold"),
        names,
        asked,
        transforms,
        has_texts,
        hub,
        options,
        place,
    )


def _own_rows(source: Source, variables: dict[str, object]) -> Rows:
    """Return the variables of a test that is only read."""
    values = [each for value in variables.values() for each in choices_of(source, value)]
    has_texts = all(isinstance(value, str) for value in values)
    return Rows(rows_of(source, variables), tuple(variables), has_texts)


def _own_model(source: Source, provider: object, position: DocumentPosition) -> Asked | None:
    """Return the model that a test names; None if it names none, or only judges."""
    if provider is None:
        return None
    if isinstance(provider, dict) and set(provider) <= GRADERS:
        source.tell("provider of tests: judges are named by --role judge=MODEL, or in lve.yaml")
        return None
    return read_model(source, provider, position)


def _object(test: dict[str, object], key: str) -> dict[str, object]:
    value = test.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UnsupportedError(f"left out: its {key} are not an object of the same file")
    return value


def _asserts(test: dict[str, object]) -> Iterator[tuple[int, object]]:
    value = test.get("assert")
    if value is not None and not isinstance(value, list):
        raise UnsupportedError("left out: its assert is not a list of the same file")
    return enumerate(value or [])
