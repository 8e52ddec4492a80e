"""The command `lve check`: checks that tests are valid and that examples prove their checkers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from lve.checkers.static import asks_models
from lve.cli.check.check_output import Checked, document, print_checked, summary
from lve.cli.check.checking import check_test
from lve.cli.find_tests import picking, print_no_tests
from lve.cli.printing import View, print_problem, print_view, warn, warn_of_sandbox
from lve.cli.run.command_options import given_options, run_options
from lve.cli.shared_options import json_option, paths_argument
from lve.errors import LveError, with_code
from lve.exit_code import ExitCode
from lve.extension_table import extension_part
from lve.late import discard_logs
from lve.limits.problems import first_problems
from lve.options.run_options import DEFAULTS, RunOptions
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.loading import choose_workspace, load_chosen, unused_settings
from lve.pipeline.roles.roles import CheckStatuses, roles_of, statuses_for
from lve.spec.discover import discover
from lve.spec.spec import Spec
from lve.workspace import Workspace

if TYPE_CHECKING:
    from lve.pipeline.rejudging.role_session import RoleSession
MAX_ROWS = 10_000
"""Instances of a test that are checked at most, without `--all-rows`."""


@click.command()
@paths_argument
@click.option(
    "--all-rows",
    is_flag=True,
    help=f"Check all rows of a test, not only the first {MAX_ROWS:,}.",
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
@click.option("--recorded", is_flag=True, help="Also require a recorded answer for every row.")
@click.option(
    "--replay",
    is_flag=True,
    help="Only judge the examples and the recorded answers: each must get its verdict.",
)
@click.option(
    "--modernize",
    is_flag=True,
    help="Rewrite the documents in the short form. Comments and verdicts stay.",
)
@run_options("check")
@json_option
def check(
    paths: tuple[str, ...],
    all_rows: bool,
    trust: bool,
    mutate: bool,
    contribute: bool,
    recorded: bool,
    replay: bool,
    modernize: bool,
    as_json: bool,
    **words: Any,
) -> int:
    """Check test documents without running anything.

    Checks documents, prompts and their parameters, rows, and the names and arguments of
    checkers. Judges each test's `examples` with its checkers. Without --trust it runs no code of
    the tests, and without --role it asks no model.

    With --mutate it also judges each example with changes that must not matter to the checkers,
    such as markdown around it, reasoning before it, or no-break spaces. The exit code is 1 if a
    verdict flips.

    With --contribute it also requires a README, a line in the table of categories, examples that
    pass and that fail, and recorded answers with their origin, whose verdicts replay.

    With --replay it judges the examples and the recorded answers again, and nothing else; the exit
    code is 1 if a verdict isn't the recorded one.

    \b
    lve check repository
    lve check repository --recorded
    lve check repository/privacy/test.json --json
    lve check repository --role judge=groq/openai/gpt-oss-120b
    lve check repository --modernize
    """
    options = RunOptions(**given_options(words))
    if replay or modernize:
        others = all_rows or trust or mutate or contribute or recorded or (replay and modernize)
        option = "--replay" if replay else "--modernize"
        return _by_extension(option, paths, as_json, alone=not others and options == DEFAULTS)
    checked: list[Checked] = []
    printed: set[str] = set()
    rows = None if all_rows else MAX_ROWS
    checks = each_checked(
        paths,
        rows,
        trust=trust,
        mutate=mutate,
        contribute=contribute,
        recorded=recorded,
        options=options,
    )
    for result in checks:
        checked.append(result)
        if not as_json:
            print_checked(result, printed)
    lines = summary(checked, trust=trust, recorded=recorded).split("\n") if checked else ()
    print_view(View(lambda: document(checked), lines), as_json=as_json)
    return _exit_code(checked, paths, options)


def _by_extension(option: str, paths: tuple[str, ...], as_json: bool, *, alone: bool) -> int:
    if not alone:
        raise click.UsageError(f"{option} goes together with --json alone")
    code: int = extension_part(f"check {option}")(paths, as_json=as_json)
    return code


def each_checked(
    paths: tuple[str, ...],
    max_rows: int | None,
    *,
    trust: bool = False,
    mutate: bool = False,
    contribute: bool = False,
    recorded: bool = False,
    options: RunOptions = DEFAULTS,
) -> Iterator[Checked]:
    """Check each test below some paths.

    Args:
        paths: where to look; by default the current folder.
        max_rows: see `check_test`.
        trust: see `check_test`.
        mutate: see `check_test`.
        contribute: whether to check the rules for contributed tests, too.
        recorded: whether every row must have a recorded answer.
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
                specs = load_chosen(file, workspace, options)
            except LveError as error:
                yield Checked(file, problems_of(file, error))
                continue
            for spec in specs:
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
                if checked.is_valid and (recorded or asks_models(spec)):
                    checked = _as_recorded(
                        checked, spec, workspace, options, max_rows, needs_all=recorded
                    )
                yield _as_contributed(checked, spec, workspace) if contribute else checked


def _statuses(workspace: Workspace, options: RunOptions) -> CheckStatuses | None:
    """Return which checks are advisory, as `statuses_for`; None if none can be."""
    return statuses_for(workspace, roles_of(options, workspace.settings), warn=warn)


def _asking(
    workspace: Workspace, options: RunOptions
) -> AbstractContextManager[RoleSession | None]:
    """Return the session that asks the models of `--role`; None if there are none."""
    if not options.roles:
        return nullcontext()
    from lve.pipeline.rejudging.role_session import RoleSession

    discard_logs()
    return RoleSession(workspace, options, warn=warn)


def _as_recorded(
    checked: Checked,
    spec: Spec,
    workspace: Workspace,
    options: RunOptions,
    max_rows: int | None,
    *,
    needs_all: bool,
) -> Checked:
    """Return the result with the recorded answers that can't be judged again because a model would
    have to be asked, and with the rows that have no answer if all need one."""
    from lve.cli.check import recorded_rows  # late: few checks need it

    if asks_models(spec):
        more = recorded_rows.asked_problems(spec, workspace, options, max_rows, needs_all=needs_all)
        checked = checked.with_problems(more)
    if needs_all and checked.is_valid:
        missing = recorded_rows.not_recorded(spec, options, workspace.settings)
        checked = checked.with_problems(first_problems(missing))
    return checked


def _as_contributed(checked: Checked, spec: Spec, workspace: Workspace) -> Checked:
    """Return the result with the broken rules for contributed tests, if the test is valid."""
    if not checked.is_valid:
        return checked
    broken_rules = extension_part("rules for contributed tests")
    problems = set(checked.problems)
    return checked.with_problems(
        problem for problem in broken_rules(spec, workspace) if problem not in problems
    )


def _exit_code(checked: list[Checked], paths: tuple[str, ...], options: RunOptions) -> int:
    if not checked:
        print_no_tests(paths, options)
        return ExitCode.nothing_selected
    if not all(result.is_valid for result in checked):
        return ExitCode.invalid
    flips = any(result.tried and result.tried.flips for result in checked)
    return ExitCode.failed if flips else ExitCode.as_expected
