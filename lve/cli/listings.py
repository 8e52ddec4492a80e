"""The listings of `lve list checkers`, `lve list models` and `lve list patterns`."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lve.checkers.custom.find import shared_names
from lve.checkers.describe import NAMES, describe
from lve.cli.find_tests import each_test
from lve.cli.printing import View
from lve.data_classes import dataclass
from lve.errors import Problem, UsageError
from lve.escape import keyless
from lve.extension_table import extension_part
from lve.spec.discover import discover
from lve.workspace import Workspace, display_path

Entry = Mapping[str, Any]
WIDTH = 80
OFFLINE = {
    "replay": "the answers recorded in instances/",
    "dummy/dummy": "the same answer to everything, offline",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """A listing of something other than tests."""

    entries: Callable[[Workspace], Iterator[Entry]]
    line: Callable[[Entry], str]


def listing_of(paths: tuple[str, ...]) -> str | None:
    """Return the name of the listing that the user wants; None if `paths` are tests."""
    if len(paths) != 1 or paths[0] not in LISTINGS:
        return None
    try:
        has_tests = any(True for _ in discover(paths, report=lambda problem: None))
    except UsageError:
        has_tests = False
    return None if has_tests else paths[0]


def listing_view(name: str, workspace: Workspace) -> View:
    """Return all entries of a listing, a line or two each."""
    listing = LISTINGS[name]
    entries = [*listing.entries(workspace)]
    lines = (line for entry in entries for line in listing.line(entry).split("\n"))
    return View(lambda: {name: entries}, lines)


def _checkers(workspace: Workspace) -> Iterator[Entry]:
    for name in NAMES:
        checker = describe(name)
        assert checker is not None
        yield {
            "name": name,
            "arguments": [argument.name for argument in checker.arguments],
            "summary": checker.summary,
            "tier": checker.tier,
            "short": checker.is_check,
            "file": None,
        }
    for name, file in shared_names(workspace.root):
        path = display_path(file).as_posix()
        entry = {"name": name, "arguments": None, "summary": f"shared: {path}", "tier": "code"}
        yield {**entry, "short": False, "file": path}


def _checker_line(entry: Entry) -> str:
    arguments = "" if entry["arguments"] is None else f"({', '.join(entry['arguments'])})"
    if entry["short"]:
        arguments = "".join(f", {name}" for name in entry["arguments"][1:])
    return "\n".join((*_folded(entry["name"] + arguments, ""), *_folded(entry["summary"], "    ")))


def _folded(text: str, indent: str) -> list[str]:
    return textwrap.wrap(keyless(text), WIDTH, initial_indent=indent, subsequent_indent="    ")


def _models(workspace: Workspace) -> Iterator[Entry]:
    """Yield the models of the settings, the models that tests name, and the offline models."""
    settings, problems = workspace.settings, list[Problem]()
    root = (str(workspace.root),)
    uses = Counter(name for spec in each_test(root, workspace, problems) for name in spec.models)
    for name in dict.fromkeys([*settings.models, *sorted(uses), *OFFLINE]):
        entry = settings.models.get(name)
        where = OFFLINE.get(name, "")
        if entry is not None:
            where = f"settings: {_host(entry.base_url) if entry.base_url else entry.provider}"
        is_default = name == settings.model
        yield {"name": name, "tests": uses[name], "where": where, "is_default": is_default}


def _host(url: str) -> str:
    """Return the scheme and host of a URL: the rest may be secret."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{re.split('[/?#]', rest)[0]}"


def _model_line(entry: Entry) -> str:
    tests = f"{entry['tests']} test{'' if entry['tests'] == 1 else 's'}" if entry["tests"] else ""
    default = "the default of the settings" if entry["is_default"] else ""
    return " · ".join(filter(None, (entry["name"], entry["where"], tests, default)))


def _patterns(workspace: Workspace) -> Iterator[Entry]:
    describe_pattern = extension_part("pattern description")
    for name in extension_part("pattern names")():
        yield {"name": name, "description": describe_pattern(name)}


def _pattern_line(entry: Entry) -> str:
    return f"{entry['name']}: {entry['description']}"


LISTINGS = {
    "checkers": Listing(_checkers, _checker_line),
    "models": Listing(_models, _model_line),
    "patterns": Listing(_patterns, _pattern_line),
}
