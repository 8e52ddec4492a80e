"""`lve list`: lists tests, checkers, models or patterns."""

from __future__ import annotations

import builtins
import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from lve.checkers.custom.find import shared_names
from lve.checkers.describe import NAMES, describe
from lve.cli.find_tests import count_instances, each_test, exit_code, picking, view_of_tests
from lve.cli.printing import View, print_view
from lve.cli.run.command_options import given_options, run_options
from lve.cli.shared_options import json_option, paths_argument
from lve.data_classes import dataclass
from lve.errors import Problem, UsageError
from lve.escape import clip, columns, escape_line, keyless
from lve.extension_table import extension_part
from lve.json_types import JsonValue
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.all_problems import collect_problems
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.spec.discover import discover
from lve.spec.spec import Spec
from lve.workspace import Workspace, display_path


@click.command("list")
@paths_argument
@run_options("list")
@json_option
def list_(paths: tuple[str, ...], as_json: bool, **words: Any) -> int:
    """List tests, checkers, models, or patterns for new tests.

    For each test, prints its path, number of rows, models and tags. Invalid lines of
    rows are reported and not counted.

    \b
    lve list
    lve list checkers
    lve list models
    lve list patterns
    lve list repository/privacy 'repository/**/test.yaml'
    lve list repository --tag severity=high -k "privacy and not (email or phone)"
    lve list repository --json
    """
    if (listing := listing_of(paths)) is not None:
        return print_view(listing_view(listing, choose_workspace(())), as_json=as_json)
    workspace = choose_workspace(paths)
    options = picking(RunOptions(**given_options(words)), workspace)
    problems: builtins.list[Problem] = []
    rows = []
    for spec in each_test(paths, workspace, problems, options):
        with collect_problems(spec.file, problems, "counting the rows"):
            rows.append(_row(spec, problems, options))
    view = view_of_tests(rows, problems, _table([_cells(row) for row in rows]))
    print_view(view, as_json=as_json)
    return exit_code(len(rows), problems, paths, options)


list = list_  # `lve.cli.main` looks up the verb's name


def _row(spec: Spec, problems: builtins.list[Problem], options: RunOptions) -> dict[str, JsonValue]:
    return {
        "path": spec.path,
        "variant": spec.variant,
        "file": str(display_path(spec.file)),
        "category": spec.category,
        "name": spec.name,
        "models": [*spec.models],
        "instances": sum(count_instances(spec, problems, options).values()),
        "tags": [{"name": tag.name, "value": tag.value} for tag in spec.tags],
        "skip": spec.skip,
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    tags = [f"{tag['name']}={tag['value']}" for tag in row["tags"]]
    skipped = ["skipped"] if row["skip"] is not None else []
    folder, variant = row["file"].rpartition("/")[0] or ".", row["variant"]
    return (
        folder if variant is None else f"{folder}@{variant}",
        str(row["instances"]),
        ",".join(row["models"]) or "-",
        " ".join([*tags, *skipped]),
    )


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    rows = [[escape_line(cell) for cell in row] for row in rows]
    # Lines are cut to the width of a terminal, but not in a pipe.
    limit = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    if limit is not None:
        # Leave space for the number of instances.
        rows = [[clip(path, max(limit - 8, 8)), *rest] for path, *rest in rows]
    widths = [max(columns(row[column]) for row in rows) for column in range(3)]
    for path, instances, models, tags in rows:
        count = f"{instances:>{widths[1]}}"
        cells = (_pad(path, widths[0]), count, _pad(models, widths[2]), tags)
        line = "  ".join(cells).rstrip()
        yield line if limit is None else clip(line, limit)


def _pad(cell: str, width: int) -> str:
    return cell + " " * (width - columns(cell))


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


def _folded(text: str, indent: str) -> builtins.list[str]:
    return textwrap.wrap(keyless(text), WIDTH, initial_indent=indent, subsequent_indent="    ")


def _models(workspace: Workspace) -> Iterator[Entry]:
    """Yield the models of the settings, the models that tests name, and the offline models."""
    settings, problems = workspace.settings, builtins.list[Problem]()
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
    tests = amount(entry["tests"], "test") if entry["tests"] else ""
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
