"""The engine in a thread of its own, for callers that are not async: the pytest plugin.

with BackgroundSession(workspace, options, warn=print) as session:
    futures = [session.submit(spec, "openai/gpt-4o", [instance]) for instance in ...]
    results = [result for future in futures for result in future.result()]
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lve.errors import BudgetError, LveError, SessionError
from lve.execution.brake import Stopped
from lve.pipeline.engine import BUDGET, Engine, Work
from lve.pipeline.execute import Bench
from lve.pipeline.options import RunOptions
from lve.pipeline.resume import stored_options
from lve.pipeline.run import redactor
from lve.pipeline.select import repeats_of
from lve.pipeline.session import Recorder
from lve.results.journal import Journal
from lve.results.provenance import versions
from lve.results.records import InstanceResult
from lve.results.session import SessionFolder, Status
from lve.results.summary import Summary
from lve.spec.model import Instance, Spec
from lve.workspace import Workspace

Results = list[InstanceResult]


@dataclass(slots=True, eq=False)
class _Submission:
    """Instances whose results somebody waits for together."""

    spec: Spec
    model: str
    instances: Sequence[Instance]
    future: Future[Results]
    missing: int
    results: Results = field(default_factory=list)


class BackgroundSession:
    """Executes instances as they are submitted; each submission has its own future."""

    def __init__(
        self,
        workspace: Workspace,
        options: RunOptions,
        *,
        warn: Callable[[str], None],
        open_journal: Callable[[], Recorder | None] | None = None,
        known: Callable[[tuple[str, str, str, int, int]], InstanceResult | None] | None = None,
    ) -> None:
        """Args:
        workspace: where the tests are and what the settings say.
        options: as for `lve run`.
        warn: is told, from the session's thread, what stops nothing.
        open_journal: makes the journal, in the session's thread. Without it the session is
            recorded in a folder of its own, unless `options.keep` is false.
        known: gives a result that needn't be had again (another worker's, say).
        """
        self._workspace = workspace
        self._options = options
        self._warn = warn
        self._open_journal = open_journal
        self._known = known
        self._unresolved: set[_Submission] = set()
        self._benches: dict[tuple[str, str], Bench] = {}
        self._journal: Recorder | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lve-session", daemon=True)
        self._failure: BaseException | None = None
        self.folder: SessionFolder | None = None
        """Where the session is recorded; there once it has started."""
        self._summary = Summary()
        self._has_ended = False

    def start(self) -> None:
        """Start the thread.

        Raises:
            LveError: the session can't begin (its folder can't be written, say).
        """
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure

    def submit(
        self, spec: Spec, model: str, instances: Sequence[Instance]
    ) -> Future[list[InstanceResult]]:
        """Line up instances, with all their repeats; work is done in the order of submission.

        Returns:
            A future of the results, instance by instance. It raises `SpecError`, `TrustError` or
            `UsageError` when the test or the model can't be used, `BudgetError` when the budget is
            used up, `SessionError` when the session was stopped before.
        """
        repeats = repeats_of(spec, self._options, self._workspace.settings)
        future: Future[Results] = Future()
        count = len(instances) * repeats
        submission = _Submission(spec, model, instances, future, missing=count)
        try:
            self._loop.call_soon_threadsafe(self._add, submission)
        except RuntimeError:  # the loop is closed
            future.set_exception(SessionError("the session has ended"))
        return future

    def stop(self) -> None:
        """Send nothing more; what is under way ends and is kept."""
        self._call(self._engine.stop)

    def close(self) -> None:
        """Stop, wait for what is under way, write what is left."""
        self.stop()
        self._thread.join()

    def __enter__(self) -> BackgroundSession:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def engine(self) -> Engine:
        """The engine; look, don't touch: it belongs to the session's thread."""
        return self._engine

    def _call(self, function: Callable[..., Any], *args: Any) -> None:
        if not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(function, *args)
            except RuntimeError:
                return  # it closed in between

    def _run(self) -> None:
        try:
            asyncio.run(self._live())
        except BaseException as error:
            self._failure = error
        finally:
            self._started.set()

    async def _live(self) -> None:
        """Serve submissions until the brake is pulled, then end what is under way."""
        self._loop = asyncio.get_running_loop()
        self._engine = Engine(self._workspace, self._options, warn=self._warn)
        journal = self._own_journal() if self._open_journal is None else None
        self._journal = self._open_journal() if self._open_journal is not None else journal
        self._started.set()
        with suppress(Stopped):
            await self._engine.brake.wait(self._loop.create_future())
        failure: BaseException | None = None
        try:
            await self._engine.join()
            await self._engine.close()
            self._close_own(journal)
        except Exception as error:
            # Whatever it is, those who wait must hear of it, or they wait for ever.
            failure = error
        self._give_up(failure)

    def _own_journal(self) -> Journal | None:
        """Make the session's folder and return its journal."""
        if not self._options.keep:
            return None
        info = {"versions": versions(), "options": stored_options(self._options), "paths": []}
        self.folder = SessionFolder.create(
            self._engine.state, info, redact=redactor(self._workspace)
        )
        return self.folder.open_journal()

    def _close_own(self, journal: Journal | None) -> None:
        if journal is not None and self.folder is not None:
            journal.close()
            status: Status = "budget" if self._engine.brake.reason == BUDGET else "complete"
            self.folder.end(status, summary=self._summary.to_json())

    def _give_up(self, failure: BaseException | None) -> None:
        """Tell everybody who still waits that nothing will come."""
        if failure is None and self._engine.brake.reason == BUDGET:
            failure = BudgetError(self._engine.stopped_by or "the budget is used up")
        for submission in self._unresolved:
            submission.future.set_exception(failure or SessionError("the session was stopped"))
        self._unresolved.clear()
        self._has_ended = True

    def _add(self, submission: _Submission) -> None:
        if self._has_ended:
            submission.future.set_exception(SessionError("the session has ended"))
            return
        self._unresolved.add(submission)
        if submission.missing == 0:
            self._resolve(submission)
            return
        try:
            self._engine.prepare_model(submission.model)
        except LveError as error:
            self._fail(submission, error)
            return
        self._engine.add(submission.model, self._work(submission))

    def _work(self, submission: _Submission) -> Iterator[Work]:
        spec, model = submission.spec, submission.model
        try:
            bench = self._bench(spec, model)
        except LveError as error:
            self._fail(submission, error)
            return

        def done(result: InstanceResult) -> None:
            if self._journal is not None:
                self._journal.append(result)
            self._summary.add(result)
            self._collect(submission, result)

        repeats = repeats_of(spec, self._options, self._workspace.settings)
        for instance in submission.instances:
            for repeat in range(repeats):
                key = (spec.path, model, instance.source, instance.line, repeat)
                known = self._known(key) if self._known else None
                if known is not None:
                    self._collect(submission, known)
                else:
                    yield Work(bench, instance, repeat, done)

    def _bench(self, spec: Spec, model: str) -> Bench:
        """Return the test made ready; the items of a test come one after the other."""
        key = (spec.path, model)
        bench = self._benches.get(key)
        if bench is None:
            if len(self._benches) >= self._options.max_tests:
                self._benches.pop(next(iter(self._benches)))
            bench = self._benches[key] = self._engine.bench(spec, model)
        return bench

    def _collect(self, submission: _Submission, result: InstanceResult) -> None:
        submission.results.append(result)
        submission.missing -= 1
        if submission.missing == 0:
            self._resolve(submission)

    def _resolve(self, submission: _Submission) -> None:
        self._unresolved.discard(submission)
        order = {(i.source, i.line): n for n, i in enumerate(submission.instances)}
        submission.results.sort(key=lambda r: (order[(r.source, r.line)], r.repeat))
        submission.future.set_result(submission.results)

    def _fail(self, submission: _Submission, error: LveError) -> None:
        self._unresolved.discard(submission)
        submission.future.set_exception(error)
