"""Checks one test for `lve check`: its prompts, instances, checkers and examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

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
from lve.cli.check.check_output import Checked, FlipSearch
from lve.cli.check.check_rows import instance_problems
from lve.cli.check.stale_rows import StaleRows
from lve.errors import Problem, UnavailableError
from lve.extension_table import extension_part
from lve.limits.effort import Effort
from lve.limits.problems import first_problems, limit_problems
from lve.options.run_options import DEFAULTS, RunOptions
from lve.pipeline.choosing.all_problems import collect_problems
from lve.pipeline.choosing.loading import named_model
from lve.pipeline.roles.roles import CheckStatuses
from lve.prompts.plan import Plan, build_plan
from lve.settings.settings import Settings
from lve.spec.spec import Spec
from lve.workspace import Workspace, display_path

if TYPE_CHECKING:
    from lve.cli.check.check_rate import CheckedRate
    from lve.pipeline.rejudging.role_session import RoleSession


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
    stale: StaleRows | None = None
    rate: CheckedRate | None = None
    checkers: StaticCheckers | None = None
    effort = Effort()  # not for its instances: `instance_problems` has a limit of its own
    with collect_problems(file, problems, "building the prompts", effort):
        model = workspace.settings.entry(named_model(spec, workspace.settings))
        plan = build_plan(spec, model=model)
        stale = StaleRows(plan, model)
        problems += first_problems(plan.warnings)
    warnings = list(_warnings_of(spec, statuses))
    with collect_problems(file, problems, "checking the rows"):
        with effort:
            checkers = bind_statically(spec)
        needs, warns = checkers.needs, warnings.append
        row_problems = instance_problems(spec, plan, stale, needs, max_rows, warns, options)
        problems += (p for p in limit_problems(row_problems) if isinstance(p, Problem))
    with collect_problems(file, problems, "checking the checkers", effort):
        problems += _checker_problems(spec, checkers)
    with collect_problems(file, problems, "reading the rows"):
        rate = _rate(spec, workspace.settings, max_rows)
        problems += rate.problems if rate else ()
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
            tried = _flips(spec, workspace.settings, trust=trust and not unjudged.examples)
    return Checked(
        file, tuple(problems), tuple(warnings), unjudged.examples, unjudged.reason, tried, rate
    )


def _warnings_of(spec: Spec, statuses: CheckStatuses | None) -> Iterator[str]:
    """Yield the warnings about a test as a whole."""
    yield from spec.warnings
    if statuses:
        yield from statuses.warnings(spec)


def _flips(spec: Spec, settings: Settings, *, trust: bool) -> FlipSearch | None:
    search: FlipSearch | None = extension_part("changed examples")(spec, settings, trust=trust)
    return search


def _checker_problems(spec: Spec, checkers: StaticCheckers | None) -> list[Problem]:
    problems = first_problems(check_statically(spec, checkers))
    if checkers and not checkers.problems:
        used = {name for needs in checkers.needs for name in needs.names}
        problems += first_problems(unknown_args(spec, used))
    return problems


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
    kinds = {variant.expect.kind for variant in spec.for_models.values() if variant.expect}
    if "rate" not in {spec.expect.kind, *kinds}:
        return None
    from lve.cli.check.check_rate import checked_rate  # late: most tests have no pass rate

    return checked_rate(spec, settings, max_rows)
