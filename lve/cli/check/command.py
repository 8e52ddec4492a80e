"""The command `lve check`: checks that tests are valid and that examples prove their checkers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from lve.checkers.example_runs import unknown_args
from lve.checkers.static import (
    StaticCheckers,
    Unjudged,
    asks_models,
    bind_statically,
    check_statically,
    has_code,
    judged_examples,
    unjudged_examples,
    why_unjudged,
)
from lve.cli.check.check_output import Checked, document, print_checked, summary
from lve.cli.check.check_rows import instance_problems
from lve.cli.find_tests import picking, print_no_tests
from lve.cli.printing import print_json, print_problem, print_text, warn, warn_of_sandbox
from lve.cli.run.command_options import given_options, run_options
from lve.cli.shared_options import json_option, paths_argument
from lve.effort import Effort
from lve.errors import LveError, Problem, UnavailableError, with_code
from lve.exit_code import ExitCode
from lve.pipeline.choosing.all_problems import collect_problems, problems_of
from lve.pipeline.choosing.loading import (
    choose_workspace,
    load_chosen,
    named_model,
    unused_settings,
)
from lve.problem_limits import first_problems, limit_problems
from lve.prompts.plan import Plan, build_plan
from lve.run_options import DEFAULTS, RunOptions
from lve.settings.settings import Settings
from lve.spec.discover import discover
from lve.spec.model import Spec
from lve.workspace import Workspace, display_path

if TYPE_CHECKING:
    from lve.calibration.check_status import CheckStatuses
    from lve.cli.check.check_rate import CheckedRate
    from lve.pipeline.rejudging.role_session import RoleSession

MAX_ROWS = 10_000
"""Instances of a test that are checked at most, without `--all-rows`."""


@click.command()
@paths_argument
@click.option(
    "--all-rows",
    is_flag=True,
    help=f"Check all instances of a test, not only the first {MAX_ROWS:,}.",
)
@click.option(
    "--trust",
    is_flag=True,
    help="Judge all examples: also run custom checkers and load the models of checkers.",
)
@click.option(
    "--mutate",
    is_flag=True,
    help="Also judge changed examples, and list the verdicts that flip.",
)
@click.option(
    "--contribute",
    is_flag=True,
    help="Also check the rules for contributed tests, like this repository's CI.",
)
@run_options("check")
@json_option
def check(
    paths: tuple[str, ...],
    all_rows: bool,
    trust: bool,
    mutate: bool,
    contribute: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Check test documents without running anything.

    Checks documents, prompts and their parameters, instances, and the names and arguments of
    checkers. Judges each test's `examples` with its checkers. Without --trust it runs no code of
    the tests, and without --role it asks no model.

    With --mutate it also judges each example with changes that must not matter to the checkers,
    such as markdown around it, reasoning before it, or no-break spaces. The exit code is 1 if a
    verdict flips.

    With --contribute it also requires a README, a line in the table of categories, examples that
    pass and that fail, and recorded answers with their origin, whose verdicts replay.

    \b
    lve check repository
    lve check repository/privacy/test.json --json
    lve check repository --role judge=groq/openai/gpt-oss-120b
    """
    checked: list[Checked] = []
    printed: set[str] = set()
    rows = None if all_rows else MAX_ROWS
    options = RunOptions(**given_options(given))
    checks = each_checked(
        paths, rows, trust=trust, mutate=mutate, contribute=contribute, options=options
    )
    for result in checks:
        checked.append(result)
        if not as_json:
            print_checked(result, printed)
    if as_json:
        print_json(document(checked))
    elif checked:
        print_text(summary(checked, trust=trust))
    return _exit_code(checked, paths, options)


def each_checked(
    paths: tuple[str, ...],
    max_rows: int | None,
    *,
    trust: bool = False,
    mutate: bool = False,
    contribute: bool = False,
    options: RunOptions = DEFAULTS,
) -> Iterator[Checked]:
    """Check each test below some paths.

    Args:
        paths: where to look; by default the current folder.
        max_rows: see `check_test`.
        trust: see `check_test`.
        mutate: see `check_test`.
        contribute: whether to check the rules for contributed tests, too.
        options: which tests and instances to check, and the models that may judge examples.

    Raises:
        UsageError: a path does not exist, or the settings are invalid.
    """
    workspace = choose_workspace(paths)
    if unused := unused_settings(paths, workspace):
        warn(with_code(unused, "settings_unused"))
    if trust:
        warn_of_sandbox()
    statuses, options = _statuses(workspace, options), picking(options, workspace)
    with _asking(workspace, options) as asks:
        for file in discover(paths or (".",), report=print_problem):
            try:
                spec = load_chosen(file, workspace, options)
            except LveError as error:
                yield Checked(file, problems_of(file, error))
                continue
            if spec is not None:
                checked = check_test(
                    spec,
                    workspace,
                    max_rows,
                    trust=trust,
                    mutate=mutate,
                    asks=asks,
                    statuses=statuses,
                    options=options,
                )
                yield _as_contributed(checked, spec, workspace) if contribute else checked


def _statuses(workspace: Workspace, options: RunOptions) -> CheckStatuses | None:
    """Return which checks are advisory, as `statuses_for`; None if none can be."""
    from lve.pipeline.roles.roles import statuses_for

    return statuses_for(workspace, options, warn=warn)


def _asking(
    workspace: Workspace, options: RunOptions
) -> AbstractContextManager[RoleSession | None]:
    """Return the session that asks the models of `--role`; None if there are none."""
    if not options.roles:
        return nullcontext()
    from lve.pipeline.rejudging.role_session import RoleSession

    return RoleSession(workspace, options, warn=warn)


def _as_contributed(checked: Checked, spec: Spec, workspace: Workspace) -> Checked:
    """Return the result with the broken rules for contributed tests, if the test is valid."""
    if not checked.is_valid:
        return checked
    from lve.contributing.rules import broken_rules  # late: few runs need it

    known = set(checked.problems)
    more = [problem for problem in broken_rules(spec, workspace) if problem not in known]
    return checked._replace(problems=(*checked.problems, *more))


def check_test(
    spec: Spec,
    workspace: Workspace,
    max_rows: int | None,
    *,
    trust: bool = False,
    mutate: bool = False,
    asks: RoleSession | None = None,
    statuses: CheckStatuses | None = None,
    options: RunOptions = DEFAULTS,
) -> Checked:
    """Check one test.

    Args:
        spec: the test.
        workspace: the workspace with the settings.
        max_rows: how many instances to check at most; None: all.
        trust: whether code of the test may run to judge its examples.
        mutate: whether to judge changed examples, too.
        asks: asks models that judge its examples; None: no model may be asked.
        statuses: knows which of its checks are advisory.
        options: which instances to check.
    """
    file, problems = spec.file, list[Problem]()
    plan: Plan | None = None
    rate: CheckedRate | None = None
    checkers: StaticCheckers | None = None
    effort = Effort()  # not for its instances: `instance_problems` has a limit of its own
    with collect_problems(file, problems, "building the prompts", effort):
        model = named_model(spec, workspace.settings)
        plan = build_plan(spec, model=workspace.settings.entry(model))
        problems += first_problems(plan.warnings)
    warnings = [*spec.warnings, *(statuses.warnings(spec) if statuses else ())]
    with collect_problems(file, problems, "checking the instances"):
        with effort:
            checkers = bind_statically(spec)
        found = instance_problems(spec, plan, checkers.needs, max_rows, warnings.append, options)
        problems += (p for p in limit_problems(found) if isinstance(p, Problem))
    with collect_problems(file, problems, "checking the checkers", effort):
        problems += first_problems(check_statically(spec, checkers))
        if checkers and not checkers.problems:
            used = {name for one in checkers.needs for name in one.names}
            problems += first_problems(unknown_args(spec, used))
    with collect_problems(file, problems, "reading the instances"):
        rate = _rate(spec, workspace.settings, max_rows)
        problems += [rate.problem] if rate and rate.problem else []
    unjudged, tried = Unjudged(), None
    with collect_problems(file, problems, "judging the examples", effort):
        unjudged = unjudged_examples(spec, checkers) if checkers else Unjudged()
        if asks_models(spec):
            if asks is not None and asks.has(spec.roles):
                unjudged = Unjudged()
                problems += asks.example_problems(spec, trust=trust)
        elif trust and (why_unjudged(spec) is not None or has_code(spec)):
            unjudged = _judged_with_code(spec, workspace.settings, problems, warnings)
        if mutate and not any(problem.severity == "error" for problem in problems):
            from lve.checkers.mutations.flips import find_flips  # late: few runs need it

            tried = find_flips(spec, workspace.settings, trust=trust and not unjudged.examples)
    return Checked(
        file, tuple(problems), tuple(warnings), unjudged.examples, unjudged.reason, tried, rate
    )


def _judged_with_code(
    spec: Spec, settings: Settings, problems: list[Problem], warnings: list[str]
) -> Unjudged:
    """Judge the examples of a test, also by running its code. Add problems and warnings to the
    lists, and return the examples that could not be judged."""
    try:
        problems += judged_examples(spec, settings)
    except UnavailableError as error:  # a problem of this machine, not of the test
        if not spec.examples:
            warnings.append(
                f"{display_path(spec.file)}: can't be run here: {error.message_with_code}"
            )
        return Unjudged(len(spec.examples), str(error))
    return Unjudged()


def _rate(spec: Spec, settings: Settings, max_rows: int | None) -> CheckedRate | None:
    kinds = {one.expect.kind for one in spec.for_models.values() if one.expect}
    if "rate" not in {spec.expect.kind, *kinds}:
        return None
    from lve.cli.check.check_rate import checked_rate  # late: most tests have no pass rate

    return checked_rate(spec, settings, max_rows)


def _exit_code(checked: list[Checked], paths: tuple[str, ...], options: RunOptions) -> int:
    if not checked:
        print_no_tests(paths, options)
        return ExitCode.nothing_selected
    if not all(result.is_valid for result in checked):
        return ExitCode.invalid
    flips = any(result.tried and result.tried.flips for result in checked)
    return ExitCode.failed if flips else ExitCode.as_expected
