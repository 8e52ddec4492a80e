"""Finds for `lve check` rows without a recorded answer, and recorded answers that can't be judged
again with what a judge or an embedder said when they were recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from lve.checkers.static import bind_statically
from lve.data.instances import iter_instances
from lve.data.missing_columns import with_all_columns
from lve.data.problems import row_problem
from lve.errors import LveError, Problem
from lve.execution.workers import WaitFor
from lve.limits.problems import first_problems
from lve.models.error_kinds import NOT_RECORDED
from lve.models.replay import ReplayModel
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.all_problems import collect_problems
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.limits_and_filters import choose, chooses_instances
from lve.pipeline.engine import Engine, Job
from lve.pipeline.preparing.preparation import Preparation
from lve.pipeline.rows.bound_answers import RecordedRepeats
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.settings.settings import Settings
from lve.spec.check_names import roles_of
from lve.spec.spec import Expectation, Instance, Spec
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
    spec: Spec, workspace: Workspace, options: RunOptions, max_rows: int | None, *, needs_all: bool
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


def unanswered(
    spec: Spec, rows: Iterable[Instance], workspace: Workspace, *, is_whole: bool
) -> list[Instance]:
    """Return the rows whose recorded answer can't be judged with what is recorded beside it.

    Args:
        spec: a valid test with a checker that asks a model.
        rows: its rows with a recorded answer.
        workspace: the workspace with the settings.
        is_whole: whether to run all checkers; otherwise only those that ask, so no code.

    Raises:
        LveError: the checkers can't be used: one isn't trusted, or needs a package.
    """
    asking = (
        checker for checker in spec.checkers if is_whole or roles_of(checker.name, checker.args)
    )
    alone = replace(spec, checkers=tuple(asking), expect=Expectation(), for_models={})
    nobody = workspace._replace(settings=workspace.settings._replace(roles={}))
    return asyncio.run(_Replay(alone, nobody).unanswered(rows))


class _Replay:
    """Judges the recorded answers of one test, where no role has a model."""

    def __init__(self, spec: Spec, workspace: Workspace) -> None:
        self._spec = spec
        self._workspace = workspace
        self._failure: LveError | None = None
        self._found: list[Instance] = []

    async def unanswered(self, rows: Iterable[Instance]) -> list[Instance]:
        """Return the rows with a question without an answer, in their order."""
        options = RunOptions(models=(REPLAY,), keep=False, use_cache=False)
        engine = Engine(self._workspace, options, warn=lambda _: None)
        try:
            engine.prepare_model(REPLAY)
            engine.add(REPLAY, self._jobs(engine, rows))
            await engine.join()
        finally:
            await engine.close()
        if self._failure is not None:
            raise self._failure
        return sorted(self._found, key=lambda row: (row.source, row.line))

    def _jobs(self, engine: Engine, rows: Iterable[Instance]) -> Iterator[Job | WaitFor]:
        try:
            preparation = Preparation(engine, warn=lambda _: None)
            prepared = yield from preparation.prepare(self._spec, REPLAY)
        except LveError as error:
            self._failure = error
            return
        model = replace(prepared.model, complete=ReplayModel().complete)
        prepared = replace(prepared, model=model)
        for row in rows:
            yield prepared, row, 0, partial(self._take, row)

    def _take(self, row: Instance, result: InstanceResult) -> None:
        if result.error_kind == NOT_RECORDED:
            self._found.append(row)
