"""Checks for `lve check` whether the instances of a test can be read, filled in and judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from lve.checkers.names import Needs, why_unjudgeable
from lve.cli.check.stale_rows import StaleRows
from lve.data.instances import iter_instances
from lve.data.missing_columns import with_all_columns
from lve.data.problems import row_problem
from lve.error_boundary import error_boundary
from lve.errors import Problem, PromptError, UnexpectedError
from lve.escape import excerpt
from lve.model_arg_names import MAX_NAMES, misspelt
from lve.options.run_options import DEFAULTS, RunOptions
from lve.pipeline.choosing.limits_and_filters import choose, chooses_instances
from lve.pipeline.preparing.run_warnings import RowWarnings
from lve.prompts.attachments import with_inspected_files
from lve.prompts.plan import Plan, left_out_examples
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path

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
    what = "1 row was" if looked_at == 1 else f"{looked_at:,} rows were"
    message = f"only the first {what} checked"
    hint = "`lve check --all-rows` checks all"
    file = display_path(spec.file)
    return Problem(message, file, hint=hint, severity="warning", code="partly_checked")
