"""`lve list`: lists tests, checkers, models or patterns."""

from __future__ import annotations

import builtins
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from lve.cli.find_tests import count_instances, each_test, exit_code, picking, view_of_tests
from lve.cli.listings import listing_of, listing_view
from lve.cli.printing import print_view
from lve.cli.run.command_options import given_options, run_options
from lve.cli.shared_options import json_option, paths_argument
from lve.errors import Problem
from lve.escape import clip, columns, escape_line
from lve.json_types import JsonValue
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.all_problems import collect_problems
from lve.pipeline.choosing.loading import choose_workspace
from lve.spec.spec import Spec
from lve.workspace import display_path


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
