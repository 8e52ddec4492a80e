"""Finds recorded answers for which what a judge or an embedder would be asked today isn't recorded:
the rubric, the votes or the texts to compare with have changed. Nobody is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from lve.check_names import roles_of
from lve.error_kinds import NOT_RECORDED
from lve.errors import LveError
from lve.execution.workers import WaitFor
from lve.models.replay import ReplayModel
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine, Job
from lve.pipeline.preparing.preparation import Preparation
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.spec.spec import Expectation, Instance, Spec
from lve.workspace import Workspace


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
            yield Job(prepared, row, 0, partial(self._take, row))

    def _take(self, row: Instance, result: InstanceResult) -> None:
        if result.error_kind == NOT_RECORDED:
            self._found.append(row)
