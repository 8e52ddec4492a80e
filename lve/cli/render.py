"""`lve render`: what a test would send, without sending it."""

from __future__ import annotations

import json
from typing import Any

import click

from lve.cli.find_tests import each_test, exit_code, problem_json
from lve.cli.options import json_option, parameters_option, parse_assignments, paths_argument
from lve.cli.rendering import Selection, print_rendered, render_test, rendered_json
from lve.errors import Problem


@click.command()
@paths_argument
@parameters_option
@click.option(
    "--instances", multiple=True, metavar="NAME", help="Only this instances file. Repeatable."
)
@click.option("-n", "--limit", type=click.IntRange(min=1), help="At most N instances per test.")
@click.option("--model", metavar="NAME", help="As this model of the settings gets a data set.")
@click.option("--provenance", is_flag=True, help="Data sets: say where each character comes from.")
@json_option
def render(
    paths: tuple[str, ...],
    parameters: tuple[str, ...],
    instances: tuple[str, ...],
    limit: int | None,
    model: str | None,
    provenance: bool,
    as_json: bool,
) -> int:
    """Show exactly what would be sent to the model.

    Every message of every run of every instance, as written and as filled in. Nothing is sent and
    none of the test's code runs.

    \b
    lve render repository/privacy/test.json -n 1
    lve render TEST -p name=Ana -p year=1999
    lve render repository --json
    lve render repository/reliability/few_shot -n 1 --provenance
    """
    values = parse_assignments(parameters, option="-p")
    selection = Selection(values, instances, limit, model, provenance)
    problems: list[Problem] = []
    documents: list[dict[str, Any]] = []
    found = 0
    for spec in each_test(paths, problems):
        rendered = render_test(spec, selection, problems)
        if rendered is None:
            continue
        found += 1
        if as_json:
            documents.append(rendered_json(rendered))
        else:
            print_rendered(rendered)
    if as_json:
        document = {"tests": documents, "problems": [problem_json(p) for p in problems]}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2))
    return exit_code(found, problems, paths)
