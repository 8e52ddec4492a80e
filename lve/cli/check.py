"""`lve check`: are these tests well-formed, and do their examples prove their checkers?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lve.border import border
from lve.checkers.names import Needs, why_unjudgeable
from lve.checkers.static import (
    StaticCheckers,
    bind_statically,
    check_statically,
    has_code,
    judged_examples,
    why_unjudged,
)
from lve.cli.find_tests import no_tests, problem_json
from lve.cli.shared_options import json_option, paths_argument
from lve.cli.talk import print_json, say, say_line, tell, tell_problem, warn
from lve.data.instances import iter_instances
from lve.data.problems import row_problem
from lve.errors import LveError, MissingExtraError, Problem, PromptError, UnexpectedError
from lve.escape import escape_line, excerpt
from lve.exit_code import ExitCode
from lve.model_arg_names import MAX_LOOKED_AT, misspelt
from lve.pipeline.all_problems import gathered, problems_of
from lve.pipeline.loading import choose_workspace, load_test, named_model, unused_settings
from lve.problem_limits import few_problems
from lve.prompts.addresses import check_addresses
from lve.prompts.plan import Plan, build_plan, left_out_examples
from lve.spec.discover import discover
from lve.spec.model import Instance, Spec
from lve.workspace import Workspace, display_path

if TYPE_CHECKING:
    from lve.cli.check_rate import CheckedRate
    from lve.pipeline.preparation import RowWarnings

MAX_ROWS = 10_000
"""Most instances of a test that are checked, without `--all-rows`."""
MAX_REASONS = 3
"""Most reasons that are listed why examples were not judged."""
MAX_SECONDS = 10
"""Processor time after which no further instance of a test is checked."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One test document and its problems."""

    file: Path
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...] = ()
    unjudged: int = 0
    """Examples that were not judged."""
    why_unjudged: str | None = None
    rate: CheckedRate | None = None
    """What its pass rate can decide, if it has one."""

    @property
    def is_valid(self) -> bool:
        """Whether the test can be run."""
        return not any(problem.severity == "error" for problem in self.problems)


@click.command()
@paths_argument
@click.option(
    "--all-rows",
    is_flag=True,
    help=f"Look at all instances of a test, not only the first {MAX_ROWS:,}.",
)
@click.option(
    "--trust",
    is_flag=True,
    help="Judge all examples: run custom checkers and load checkers' models.",
)
@json_option
def check(paths: tuple[str, ...], all_rows: bool, trust: bool, as_json: bool) -> int:
    """Check test documents without running anything.

    Checks documents, prompts and their parameters, instances, and the checkers' names and
    arguments. Judges each test's `examples` with its checker. Runs no code of the tests (unless
    --trust says so), asks no model.

    \b
    lve check repository
    lve check repository/privacy/test.json --json
    """
    checked: list[Checked] = []
    for result in each_checked(paths, None if all_rows else MAX_ROWS, trust=trust):
        checked.append(result)
        if not as_json:
            _print(result)
    if as_json:
        print_json(_document(checked))
    elif checked:
        say(_summary(checked, trust=trust))
    return _exit_code(checked, paths)


def each_checked(
    paths: tuple[str, ...], max_rows: int | None, *, trust: bool = False
) -> Iterator[Checked]:
    """Check each test below some paths.

    Args:
        paths: where to look; by default the current folder.
        max_rows: see `check_test`.
        trust: see `check_test`.

    Raises:
        UsageError: a path does not exist, or the settings can't be used.
    """
    workspace = choose_workspace(paths)
    if unused := unused_settings(paths, workspace):
        warn(unused)
    for file in discover(paths or (".",), report=tell_problem):
        yield check_test(file, workspace, max_rows, trust=trust)


def check_test(
    file: Path, workspace: Workspace, max_rows: int | None, *, trust: bool = False
) -> Checked:
    """Check one test.

    Args:
        file: its document.
        workspace: the workspace with the settings.
        max_rows: most instances to check; None: all.
        trust: whether code of the test may run to judge its examples.
    """
    try:
        spec = load_test(file, workspace)
    except LveError as error:
        return Checked(file, problems_of(file, error))
    problems: list[Problem] = []
    plan: Plan | None = None
    rate: CheckedRate | None = None
    checkers: StaticCheckers | None = None
    with gathered(file, problems, "building the prompts"):
        model = named_model(spec, workspace.settings)
        plan = build_plan(spec, model=workspace.settings.entry(model))
        problems += plan.warnings
    warnings = list(spec.warnings)
    with gathered(file, problems, "checking the instances"):
        checkers = bind_statically(spec)
        found = _instance_problems(spec, plan, checkers.needs, max_rows, warnings.append)
        problems += (p for p in few_problems(found) if isinstance(p, Problem))
    with gathered(file, problems, "checking the checkers"):
        problems += check_statically(spec, checkers)
    if spec.expect.kind == "rate":
        from lve.cli.check_rate import checked_rate  # late: most tests have no pass rate

        with gathered(file, problems, "reading the instances"):
            rate = checked_rate(spec, workspace.settings, max_rows)
            problems += [rate.problem] if rate.problem else []
    reason = why_unjudged(spec)
    if trust and (reason is not None or has_code(spec)):
        reason = None
        with gathered(file, problems, "judging the examples"):
            try:
                problems += judged_examples(spec)
            except MissingExtraError as error:  # of this machine, not of the test
                reason = str(error)
                if not spec.examples:
                    warnings.append(f"{display_path(spec.file)}: can't be run here: {reason}")
    unjudged = len(spec.examples) if reason else 0
    return Checked(file, tuple(problems), tuple(warnings), unjudged, reason, rate)


def _instance_problems(
    spec: Spec,
    plan: Plan | None,
    needs: Sequence[Needs],
    max_rows: int | None,
    warn: Callable[[str], None],
) -> Iterator[Problem]:
    """Yield problems of lines in instance files, and of instances that can't fill the prompts or
    lack what the checkers need; warn of rows whose data gets lost. If there is no plan, only
    problems of lines."""
    if plan is None and spec.infer_cfg is not None:
        return  # which rows are read depends on the plan
    instances = iter_instances(spec)
    left_out = [] if plan is None else left_out_examples(plan)
    lost = None if plan is None or spec.infer_cfg is None else _row_warnings(plan, warn)
    looked_at, start, noticed = 0, time.process_time(), set[str]()
    for instance in islice(instances, max_rows):
        looked_at += 1
        if isinstance(instance, Problem):
            yield instance
            continue
        yield from left_out
        left_out = []
        try:
            with border("filling the prompts"):
                check_addresses(() if plan is None else plan.preview(instance))
        except (PromptError, UnexpectedError) as error:
            yield row_problem(spec, instance, str(error))
        else:
            if lost is not None:
                lost.look(instance)
            reason = why_unjudgeable(needs, instance, pass_when=spec.pass_when)
            if reason is not None:
                yield row_problem(spec, instance, reason)
        yield from _misspelt_args(spec, instance, noticed)
        if max_rows is not None and time.process_time() - start > MAX_SECONDS:
            break
    if lost is not None:
        lost.close()
    if next(instances, None) is not None:
        yield _not_all(spec, looked_at)


def _row_warnings(plan: Plan, warn: Callable[[str], None]) -> RowWarnings:
    from lve.pipeline.preparation import RowWarnings  # late: with it comes much of a run

    return RowWarnings(plan, warn)


def _misspelt_args(spec: Spec, instance: Instance, noticed: set[str]) -> Iterator[Problem]:
    """Yield warnings of an instance's model args that look misspelt, of each name once."""
    for name in islice(instance.model_args, MAX_LOOKED_AT):
        if name in noticed or len(noticed) >= MAX_LOOKED_AT:
            continue
        noticed.add(name)
        if hint := misspelt(name):
            message = f"`{excerpt(name)}` is sent as a model arg, as it is written"
            yield row_problem(spec, instance, message, path="$.args", hint=hint, severity="warning")


def _not_all(spec: Spec, looked_at: int) -> Problem:
    what = "1 instance was" if looked_at == 1 else f"{looked_at:,} instances were"
    message = f"only the first {what} checked"
    hint = "`lve check --all-rows` looks at all"
    return Problem(message, display_path(spec.file), hint=hint, severity="warning")


def _print(result: Checked) -> None:
    for problem in result.problems:
        say_line(problem)
    for warning in result.warnings:
        say_line(warning)
    if result.rate and (lines := list(result.rate.lines())):
        say("\n".join([f"{escape_line(str(display_path(result.file)))}: {lines[0]}", *lines[1:]]))


def _summary(checked: list[Checked], *, trust: bool) -> str:
    invalid = sum(not result.is_valid for result in checked)
    tests = f"{len(checked)} test{'' if len(checked) == 1 else 's'}"
    found = f"{tests}: all valid" if not invalid else f"{tests}: {invalid} with problems"
    unjudged = sum(result.unjudged for result in checked)
    if not unjudged:
        return found
    reasons = list(dict.fromkeys(filter(None, (result.why_unjudged for result in checked))))
    more = f", and {len(reasons) - MAX_REASONS} more" if len(reasons) > MAX_REASONS else ""
    were = "1 example was" if unjudged == 1 else f"{unjudged} examples were"
    hint = "" if trust else " (`lve check --trust` judges all)"
    return f"{found}; {were} not judged: {', '.join(reasons[:MAX_REASONS])}{more}{hint}"


def _document(checked: list[Checked]) -> dict[str, Any]:
    return {
        "summary": {
            "tests": len(checked),
            "valid": sum(result.is_valid for result in checked),
            "invalid": sum(not result.is_valid for result in checked),
        },
        "tests": [
            {
                "path": str(display_path(result.file)),
                "valid": result.is_valid,
                "problems": [problem_json(problem) for problem in result.problems],
                "warnings": list(result.warnings),
                "unjudged_examples": result.unjudged,
                "pass_rate": result.rate and result.rate.to_json(),
            }
            for result in checked
        ],
    }


def _exit_code(checked: list[Checked], paths: tuple[str, ...]) -> int:
    if not checked:
        tell(no_tests(paths))
        return ExitCode.nothing_selected
    return ExitCode.as_expected if all(r.is_valid for r in checked) else ExitCode.invalid
