"""`lve show`: describes tests."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import click

from lve.cli.describe import count_instances, describe, facts
from lve.cli.find_tests import each_test, exit_code, print_tests
from lve.cli.redacted_output import redacted
from lve.cli.shared_options import json_option, paths_argument
from lve.errors import Problem
from lve.escape import escape, escape_line
from lve.pipeline.loading import choose_workspace, gathered
from lve.prompts.plan import Plan, build_plan
from lve.workspace import display_path

WIDTH = 80
LABEL_WIDTH = 12


@click.command()
@paths_argument
@json_option
def show(paths: tuple[str, ...], as_json: bool) -> int:
    """Describe tests: models, prompts, parameters, checkers, tags, instances.

    In the line of a prompt, [name] is an answer of the model.

    \b
    lve show repository/privacy/test.json
    lve show repository --json
    """
    problems: list[Problem] = []
    documents: list[dict[str, Any]] = []
    found = 0
    for spec in each_test(paths, choose_workspace(paths), problems):
        lines: list[str] = []
        with gathered(spec.file, problems, "describing the test"):
            plan = build_plan(spec)
            problems += plan.warnings
            if as_json:
                documents.append(describe(plan, problems))
            else:
                lines += _lines(plan, problems)
            found += 1
        for line in lines:
            click.echo(line)
    if as_json:
        print_tests(documents, problems)
    return exit_code(found, problems, paths)


def _lines(plan: Plan, problems: list[Problem]) -> Iterator[str]:
    spec = plan.spec
    yield click.style(escape_line(str(display_path(spec.file))), bold=True)
    yield _wrapped(spec.description, "  ")
    for label, text in facts(plan, count_instances(spec, problems)):
        yield _wrapped(text, f"  {label:{LABEL_WIDTH}}")
    yield ""


def _wrapped(text: str, start: str) -> str:
    wrapped = textwrap.fill(
        escape_line(redacted(text)),
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    )
    return escape(wrapped)  # once more, because wrapping makes new beginnings of lines
