"""Checks one test for `lve check`: its prompts, instances, checkers and examples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
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
from lve.checkers.usable_names import Needs, why_unjudgeable
from lve.cli.check.check_output import Checked, FlipSearch
from lve.cli.check.stale_rows import StaleRows
from lve.data.instances import iter_instances
from lve.data.missing_columns import with_all_columns
from lve.data.problems import row_problem
from lve.error_boundary import error_boundary
from lve.errors import Problem, PromptError, UnavailableError, UnexpectedError
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.limits.effort import Effort
from lve.limits.problems import first_problems, limit_problems
from lve.options.run_options import DEFAULTS, RunOptions
from lve.pipeline.choosing.all_problems import collect_problems
from lve.pipeline.choosing.limits_and_filters import choose, chooses_instances
from lve.pipeline.choosing.loading import named_model
from lve.pipeline.preparing.run_warnings import RowWarnings
from lve.pipeline.roles.roles import CheckStatuses
from lve.plurals import amount
from lve.prompts.attachments import with_inspected_files
from lve.prompts.plan import Plan, build_plan, left_out_examples
from lve.settings.settings import Settings
from lve.spec.model_arg_names import MAX_NAMES, misspelt
from lve.spec.spec import Instance, Spec
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


MAX_NAMED = 3
"""Parameters that a hint names at most."""
MAX_SECONDS = 10
"""Processor time after which no further instance of a test is checked."""
LOOKS_EVERY = 100
"""Instances that are read between two looks at the clock."""


def instance_problems(
    spec: Spec,
    plan: Plan | None,
    stale: StaleRows | None,
    needs: Sequence[Needs],
    max_rows: int | None,
    warn: Callable[[str], None],
    options: RunOptions = DEFAULTS,
) -> Iterator[Problem]:
    """Yield the problems of instances: lines that can't be read, instances that can't fill the
    prompts or lack values that checkers need. Warn of rows whose data gets lost.

    Without a plan, yield only lines that can't be read.
    """
    if plan is None and spec.infer_cfg is not None:
        return  # the plan decides which rows are read
    source = _ReadInTime(iter_instances(spec), None if max_rows is None else MAX_SECONDS)
    instances = choose(spec, with_all_columns(spec, iter(source)), options)
    left_out = [] if plan is None else left_out_examples(plan)
    lost = RowWarnings(plan.rows, warn) if plan is not None and plan.rows is not None else None
    looked_at, noticed = 0, set[str]()
    for instance in islice(instances, max_rows):
        looked_at += 1
        if isinstance(instance, Problem):
            yield instance
            continue
        yield from left_out
        left_out = []
        try:
            with error_boundary("filling the prompts"):
                if plan is not None:
                    with_inspected_files(plan.preview(instance), spec.file)
                outdated = list(stale.problems(instance)) if stale is not None else []
        except (PromptError, UnexpectedError) as error:
            yield row_problem(spec, instance, str(error), code=error.code)
        else:
            yield from outdated
            if lost is not None:
                lost.check(instance)
            reason = why_unjudgeable(needs, instance, pass_when=spec.pass_when)
            if reason is not None:
                yield row_problem(spec, instance, reason, code="missing_reference")
        yield from _misspelt_args(spec, instance, noticed)
        if source.is_late():
            break
    if lost is not None:
        lost.close()
    if not looked_at and spec.parameters and not chooses_instances(options):
        yield _none(spec)
    if source.is_cut:
        yield _not_all(spec, source.count)
    elif next(instances, None) is not None:
        yield _not_all(spec, looked_at)


class _ReadInTime:
    """The instances of a test, up to a limit of time: `--sample` would read all of them.

    Attributes:
        count: how many were read.
        is_cut: whether there may be more.
    """

    def __init__(self, instances: Iterator[Instance | Problem], seconds: float | None) -> None:
        """Args:
        instances: the instances.
        seconds: processor time; None: without limit.
        """
        self._instances = instances
        self._end = None if seconds is None else time.process_time() + seconds
        self.count = 0
        self.is_cut = False

    def is_late(self) -> bool:
        """Whether the time is used up."""
        return self._end is not None and time.process_time() > self._end

    def __iter__(self) -> Iterator[Instance | Problem]:
        for instance in self._instances:
            self.count += 1
            yield instance
            if self.count % LOOKS_EVERY == 0 and self.is_late():
                self.is_cut = True
                return


def _misspelt_args(spec: Spec, instance: Instance, noticed: set[str]) -> Iterator[Problem]:
    """Yield a warning for each model arg of an instance that looks misspelt, each name once."""
    for name in islice(instance.model_args, MAX_NAMES):
        if name in noticed or len(noticed) >= MAX_NAMES:
            continue
        noticed.add(name)
        if hint := misspelt(name):
            message = f"`{excerpt(name)}` is unknown, and is sent unchanged as a model arg"
            yield row_problem(
                spec,
                instance,
                message,
                path="$.args",
                hint=hint,
                severity="warning",
                code="suspicious",
            )


def _none(spec: Spec) -> Problem:
    message = "the test has parameters but no rows, so it needs values to run"
    words = " ".join(f"-p {excerpt(name)}=VALUE" for name in spec.parameters[:MAX_NAMED])
    hint = f"`lve record` asks for values and keeps the answers; or give {words}"
    path = "$.prompt_parameters"
    return Problem(
        message, display_path(spec.file), path=path, hint=hint, severity="warning", code="prompt"
    )


def _not_all(spec: Spec, looked_at: int) -> Problem:
    message = f"only the first {amount(looked_at, 'row', 'was')} checked"
    hint = "`lve check --all-rows` checks all"
    file = display_path(spec.file)
    return Problem(message, file, hint=hint, severity="warning", code="partly_checked")
