"""`lve check --replay`, once `lve unit-test`: judges examples and recorded answers."""

from __future__ import annotations

from typing import Any

import click

from lve.cli.find_tests import count_instances, each_test, exit_code, problem_json, view_of_tests
from lve.cli.printing import print_line, print_view
from lve.cli.shared_options import json_option, paths_argument
from lve.errors import Problem
from lve.exit_code import ExitCode
from lve.extensions.contributing.rules import OF_ANSWERS, broken_rules
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.spec.spec import Spec
from lve.workspace import Workspace


@click.command("unit-test")
@paths_argument
@json_option
def unit_test(paths: tuple[str, ...], as_json: bool) -> int:
    """Judge the examples and the recorded answers of tests.

    The same as `lve check --replay`. Asks no model. Each example must get the verdict that the
    test gives for it, and each recorded answer its recorded verdict. Otherwise the exit code is 1.

    \b
    lve check --replay repository/privacy/my_test
    lve check --replay repository --json
    """
    return replay(paths, as_json=as_json)


def replay(paths: tuple[str, ...], *, as_json: bool) -> int:
    """Judge the examples and the recorded answers of the tests below some paths; print what isn't
    as recorded, and return the exit code."""
    workspace = choose_workspace(paths)
    problems: list[Problem] = []
    rows = []
    for spec in each_test(paths, workspace, problems):
        row = _row(spec, workspace)
        rows.append(row)
        if not as_json:
            _print_row(row)
    documents = [
        {**row, "problems": [problem_json(problem) for problem in row["problems"]]} for row in rows
    ]
    ending = ["no model was asked, and models, their args and settings were not looked at"]
    print_view(view_of_tests(documents, problems, ending if rows else ()), as_json=as_json)
    code = exit_code(len(rows), problems, paths)
    is_good = all(row["passed"] for row in rows)
    return code if code != ExitCode.as_expected or is_good else ExitCode.failed


def _row(spec: Spec, workspace: Workspace) -> dict[str, Any]:
    problems = [*broken_rules(spec, workspace, OF_ANSWERS)]
    unreadable: list[Problem] = []
    return {
        "path": spec.path,
        "examples": len(spec.examples),
        "instances": sum(count_instances(spec, unreadable).values()),
        "passed": not any(problem.severity == "error" for problem in problems),
        "problems": problems,
    }


def _print_row(row: dict[str, Any]) -> None:
    counted = f"{amount(row['examples'], 'example')}, {amount(row['instances'], 'row')}"
    print_line(f"{'ok' if row['passed'] else 'FAILED'}  {row['path']}: {counted}")
    for problem in row["problems"]:
        print_line(f"    {problem.message_with_code}")
