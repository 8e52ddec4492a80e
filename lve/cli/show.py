"""`lve show`: what a test is about, at a glance."""

from __future__ import annotations

import textwrap
from typing import Any

import click

from lve.cli.describe import count_instances, describe, facts
from lve.cli.find_tests import each_test, exit_code, print_tests
from lve.cli.options import json_option, paths_argument
from lve.errors import LveError, Problem
from lve.escape import escape_line
from lve.pipeline.loading import choose_workspace, problems_of
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
        try:
            plan = build_plan(spec)
            problems += plan.warnings
            if as_json:
                documents.append(describe(plan, problems))
            else:
                _print(plan, problems)
            found += 1
        except LveError as error:
            problems += problems_of(spec.file, error)
    if as_json:
        print_tests(documents, problems)
    return exit_code(found, problems, paths)


def _print(plan: Plan, problems: list[Problem]) -> None:
    spec = plan.spec
    click.secho(escape_line(str(display_path(spec.file))), bold=True)
    click.echo(_wrapped(escape_line(spec.description), "  "))
    for label, text in facts(plan, count_instances(spec, problems)):
        click.echo(_wrapped(escape_line(text), f"  {label:{LABEL_WIDTH}}"))
    click.echo()


def _wrapped(text: str, start: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    )
