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
from functools import partial
from typing import Any

from lve.errors import BudgetError, LveError, SessionError
from lve.execution.brake import Stopped
from lve.pipeline.engine import BUDGET, Engine, Work
from lve.pipeline.execute import Bench
from lve.pipeline.options import RunOptions
from lve.pipeline.select import looks_of
from lve.pipeline.session import Recorder
from lve.pipeline.session_log import Part, SessionLog
from lve.results.records import InstanceResult
from lve.results.session import SessionFolder
from lve.results.statistics import needs_more
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
    missing: int = 0
    points: tuple[int, ...] = ()
    """After how many repeats to look whether more are needed."""
    looks: list[int] = field(default_factory=list)
    """Those that are left."""
    repeats: int = 0
    """How many repeats have been taken up."""
    results: Results = field(default_factory=list)

    def add_repeats(self) -> range:
        """Take up the repeats until the next look, and return them."""
        before, self.repeats = self.repeats, self.looks.pop(0)
        self.missing += len(self.instances) * (self.repeats - before)
        return range(before, self.repeats)

    def needs_more(self) -> bool:
        """Whether further repeats are allowed and can change what comes out."""
        if not self.looks:
            return False
        passed = sum(result.verdict == "passed" for result in self.results)
        judged = passed + sum(result.verdict == "failed" for result in self.results)
        return needs_more(
            self.spec.expect, passed, judged, repeats_done=self.repeats, points=self.points
        )


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
        part: Part | None = None,
    ) -> None:
        """Args:
        workspace: where the tests are and what the settings say.
        options: as for `lve run`.
        warn: is told, from the session's thread, what stops nothing.
        open_journal: makes the journal, in the session's thread. Without it the session is
            recorded in a folder of its own, unless `options.keep` is false.
        known: gives a result that needn't be had again.
        part: says that other processes run this session, too.
        """
        self._workspace = workspace
        self._options = options
        self._warn = warn
        self._open_journal = open_journal
        self._known = known
        self._submitted: set[_Submission] = set()
        """Handed in, and not yet seen by the loop, which may close in between."""
        self._unresolved: set[_Submission] = set()
        self._benches: dict[tuple[str, str], Bench] = {}
        self._part = part
        self._journal: Recorder | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lve-session", daemon=True)
        self._failure: BaseException | None = None
        self._log: SessionLog | None = None
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
        future: Future[Results] = Future()
        submission = _Submission(spec, model, instances, future)
        self._submitted.add(submission)
        try:
            self._loop.call_soon_threadsafe(self._take, submission)
        except RuntimeError:  # the loop is closed
            self._refuse(submission)
        return future

    def _refuse(self, submission: _Submission) -> None:
        """Answer a submission that the loop has not taken up and never will."""
        try:
            self._submitted.remove(submission)
        except KeyError:
            return  # the other thread was faster
        submission.future.set_exception(SessionError("the session has ended"))

    def stop(self) -> None:
        """Send nothing more; what is under way ends and is kept."""
        self._call(self._engine.stop)

    def cancel(self) -> None:
        """Give up what is under way too. Completions that have arrived are kept."""
        # Imported late: few sessions have custom checkers, fewer are given up.
        from lve.checkers.child_checker import stop_checkers

        self._call(self._engine.cancel)
        stop_checkers()  # the loop itself may be waiting for one to start

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

    @property
    def folder(self) -> SessionFolder | None:
        """Where the session is recorded; there once it has started."""
        return self._log.folder if self._log else None

    @property
    def log(self) -> SessionLog:
        """What is known of the session; there once it has started. Look, don't touch."""
        assert self._log is not None
        return self._log

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
            self._give_up(error)
        finally:
            for submission in list(self._submitted):
                self._refuse(submission)
            self._started.set()

    async def _live(self) -> None:
        """Serve submissions until the brake is pulled, then end what is under way."""
        self._loop = asyncio.get_running_loop()
        self._engine = Engine(self._workspace, self._options, warn=self._warn)
        if self._open_journal is not None:
            self._journal = self._open_journal()
        keep = self._options.keep and self._journal is None
        self._log = SessionLog(self._engine, keep=keep, part=self._part)
        self._started.set()
        with suppress(Stopped):
            await self._engine.brake.wait(self._loop.create_future())
        self._give_up(await self._wind_up(self._log))

    async def _wind_up(self, log: SessionLog) -> Exception | None:
        """End what is under way, then close everything, whatever fails; return what failed first:
        those who wait must hear of it, or they wait for ever."""
        failure: Exception | None = None
        for step in (self._engine.join, self._engine.close):
            try:
                await step()
            except Exception as error:
                failure = failure or error
        try:
            for change in log.prompt_changes():
                self._warn(str(change))
            log.close(is_finished=not self._unresolved, has_failed=failure is not None)
        except Exception as error:
            failure = failure or error
        return failure

    def _give_up(self, failure: BaseException | None) -> None:
        """Tell everybody who still waits that nothing will come."""
        if failure is None and self._engine.brake.reason == BUDGET:
            failure = BudgetError(self._engine.stopped_by or "the budget is used up")
        for submission in self._unresolved:
            submission.future.set_exception(failure or SessionError("the session was stopped"))
        self._unresolved.clear()
        self._has_ended = True

    def _take(self, submission: _Submission) -> None:
        try:
            self._add(submission)
        except Exception as error:
            # A bug of ours. The event loop would only print it, and somebody waits.
            self._fail(submission, error)

    def _add(self, submission: _Submission) -> None:
        self._submitted.discard(submission)
        if self._has_ended:
            submission.future.set_exception(SessionError("the session has ended"))
            return
        self._unresolved.add(submission)
        if not submission.instances:
            self._resolve(submission)
            return
        spec, model = submission.spec, submission.model
        try:
            self._engine.prepare_model(model)
        except LveError as error:
            self._fail(submission, error)
            return
        is_replay = self._engine.is_replay(model)
        looks = looks_of(spec, self._options, self._workspace.settings, is_replay=is_replay)
        submission.points, submission.looks = tuple(looks), looks
        self._engine.add(model, self._work(submission, submission.add_repeats()))

    def _work(self, submission: _Submission, repeats: range) -> Iterator[Work]:
        spec, model = submission.spec, submission.model
        try:
            bench = self._bench(spec, model)
        except LveError as error:
            self._fail(submission, error)
            return
        done = partial(self._record, submission)
        for instance in submission.instances:
            for repeat in repeats:
                key = (spec.path, model, instance.source, instance.line, repeat)
                known = self._known(key) if self._known else None
                if known is not None:
                    self._collect(submission, known)
                else:
                    yield Work(bench, instance, repeat, done)

    def _record(self, submission: _Submission, result: InstanceResult) -> None:
        if self._journal is not None:
            self._journal.append(result)
        self.log.append(result)
        self._collect(submission, result)

    def _bench(self, spec: Spec, model: str) -> Bench:
        """Return the test made ready; the items of a test come one after the other."""
        key = (spec.path, model)
        bench = self._benches.get(key)
        if bench is None:
            if len(self._benches) >= self._options.max_tests:
                self._benches.pop(next(iter(self._benches)))
            bench = self._benches[key] = self._engine.bench(spec, model)
            self._begin(bench)
        return bench

    def _begin(self, bench: Bench) -> None:
        """Take note of a test that starts, and say once what looks wrong in it."""
        spec = bench.spec
        if spec.path not in self.log.hashes:
            for warning in (*spec.warnings, *map(str, bench.plan.warnings)):
                self._warn(warning)
        self.log.begin(spec, bench.model)

    def _collect(self, submission: _Submission, result: InstanceResult) -> None:
        submission.results.append(result)
        submission.missing -= 1
        if submission.missing > 0:
            return
        if submission.needs_more():
            more = self._work(submission, submission.add_repeats())
            self._engine.add(submission.model, more)
        else:
            self._resolve(submission)

    def _resolve(self, submission: _Submission) -> None:
        self._unresolved.discard(submission)
        order = {(i.source, i.line): n for n, i in enumerate(submission.instances)}
        submission.results.sort(key=lambda r: (order[(r.source, r.line)], r.repeat))
        submission.future.set_result(submission.results)

    def _fail(self, submission: _Submission, error: Exception) -> None:
        self._unresolved.discard(submission)
        submission.future.set_exception(error)
