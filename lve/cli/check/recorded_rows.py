"""Finds for `lve check` rows without a recorded answer, and recorded answers that can't be judged
again with what a judge or an embedder said when they were recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from lve.check_names import roles_of
from lve.checkers.static import bind_statically
from lve.data.instances import iter_instances
from lve.data.missing_columns import with_all_columns
from lve.data.problems import row_problem
from lve.errors import LveError, Problem
from lve.limits.problems import first_problems
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.all_problems import collect_problems
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.limits_and_filters import choose, chooses_instances
from lve.pipeline.recorded_repeats import RecordedRepeats
from lve.pipeline.rejudging.unanswered_rows import unanswered
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace, display_path


def not_recorded(spec: Spec, options: RunOptions, settings: Settings) -> Iterator[Problem]:
    """Yield a problem for each row without a recorded answer, one if a test has no rows, and one if
    rows have fewer answers than the test has repeats.

    Args:
        spec: the test.
        options: which rows to look at.
        settings: the workspace's settings.
    """
    if spec.skip is not None:
        return
    command = f"`lve record {display_path(spec.folder)}` asks a model and keeps its answers"
    repeats = RecordedRepeats(spec)
    is_empty = True
    for item in select_instances(spec, options, settings):
        is_empty = False
        if not isinstance(item, Instance):
            continue
        repeats.add(item)
        if item.recorded is None:
            message = "has no recorded answer"
            yield row_problem(spec, item, message, hint=command, code="not_recorded")
    if not chooses_instances(options) and (problem := repeats.problem("error")):
        yield problem
    if is_empty:
        file = display_path(spec.file)
        yield Problem("has no recorded answer", file, hint=command, code="not_recorded")


def asked_problems(
    spec: Spec,
    workspace: Workspace,
    options: RunOptions,
    max_rows: int | None,
    *,
    needs_all: bool,
) -> list[Problem]:
    """Return a problem for each recorded answer whose judge would be asked something today that has
    no recorded answer: another rubric, more votes. No model is asked, and no code of the test runs.

    Args:
        spec: a valid test with a checker that asks a model.
        workspace: the workspace with the settings.
        options: which rows to look at.
        max_rows: how many rows to look at most; None: all.
        needs_all: whether every recorded answer needs what a judge said, also if nothing is kept.
    """
    problems = list[Problem]()
    with collect_problems(spec.file, problems, "judging the recorded answers"):
        # Without the verdict of code nobody knows whether the judge is asked at all.
        pairs = zip(bind_statically(spec).judgeable, spec.checkers, strict=True)
        is_whole = all(bound or roles_of(checker.name, checker.args) for bound, checker in pairs)
        rows = _recorded(spec, options, max_rows, has_asked=not (needs_all and is_whole))
        if rows:
            problems += first_problems(_unanswered(spec, rows, workspace, is_whole=is_whole))
    return problems


def _unanswered(
    spec: Spec, rows: Sequence[Instance], workspace: Workspace, *, is_whole: bool
) -> Iterator[Problem]:
    who = " or ".join(spec.roles)
    try:
        open_rows = unanswered(spec, rows, workspace, is_whole=is_whole)
    except LveError as error:
        message = f"recorded answers of the {who} were not looked at: {error.message_with_code}"
        file = display_path(spec.file)
        yield Problem(message, file, severity="warning", code="partly_checked")
        return
    record = f"`lve record {display_path(spec.folder)}` asks again and keeps what is said"
    for row in open_rows:
        has_answers = row.recorded is not None and row.recorded.asked
        reason = "it was asked something else" if has_answers else "nothing is"
        message = f"the {who}'s answer to today's question isn't recorded: {reason}"
        yield row_problem(spec, row, message, hint=record, code="not_recorded")


def _recorded(
    spec: Spec, options: RunOptions, max_rows: int | None, *, has_asked: bool
) -> Sequence[Instance]:
    """Return the rows with a recorded answer, or only those with what somebody said of it."""
    chosen = choose(spec, with_all_columns(spec, iter_instances(spec)), options)
    return [
        row
        for row in islice(chosen, max_rows)
        if isinstance(row, Instance) and row.recorded and (row.recorded.asked or not has_asked)
    ]
