"""Runs a session in a thread of its own, for callers that are not async: the pytest plugin.

with BackgroundSession(workspace, options, warn=print) as background:
    futures = [background.submit(spec, "openai/gpt-4o", [instance]) for instance in ...]
    results = [result for future in futures for result in future.result()]
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress

from lve.data_classes import dataclass, field
from lve.errors import BudgetError, LveError, SessionError, with_code
from lve.execution.event_loop import run_in_loop
from lve.execution.stop import Stopped
from lve.options.run_options import RunOptions
from lve.pipeline.engine import BUDGET, Engine
from lve.pipeline.outcome import run_to_end
from lve.pipeline.resources.resources import Resources
from lve.pipeline.resources.share import SessionPart
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.pipeline.session_log import SessionLog
from lve.pipeline.threads import stop_checkers
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_info import SessionInfo, Status
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace

Results = list[InstanceResult]


@dataclass(slots=True, eq=False)
class Submission:
    """Instances that were submitted together, and the future of their results."""

    spec: Spec
    model: str
    instances: Sequence[Instance]
    future: Future[Results] = field(default_factory=Future)
    results: Results = field(default_factory=list)

    def in_order(self) -> Results:
        """Return the results in the order of the instances, repeats in order."""
        if len(self.results) == 1:
            return self.results
        order = {(i.source, i.line): n for n, i in enumerate(self.instances)}
        return sorted(self.results, key=lambda r: (order[(r.source, r.line)], r.repeat))


class BackgroundSession(Watcher):
    """Runs instances as they are submitted; each submission has its own future."""

    def __init__(
        self,
        workspace: Workspace,
        options: RunOptions,
        *,
        warn: Callable[[str], None],
        part: SessionPart | None = None,
        begun_with: Callable[[], SessionInfo] = SessionInfo,
    ) -> None:
        """Args:
        workspace: has the tests and the settings.
        options: the run's options.
        warn: called with each warning, in the session's thread.
        part: which part of the session this process runs; None: all of it.
        begun_with: returns the fields of `session.json` about what will be submitted, so that the
            session can be resumed if it is killed.
        """
        self._workspace = workspace
        self._options = options
        self._warn = warn
        self._part = part
        self._begun_with = begun_with
        self.is_cut_short = False
        """Whether the session ends before all its instances were submitted. Set it before
        `stop`."""
        self._waiting: set[Submission] = set()
        """Submissions whose future isn't done. The thread that removes one completes its future."""
        self._running: dict[TestRun, Submission] = {}
        """Submissions that the session runs. Only the session's thread uses this."""
        self._session: Session | None = None
        self._failure: BaseException | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lve-session", daemon=True)

    def start(self) -> None:
        """Start the thread.

        Raises:
            LveError: the session can't begin: its folder can't be written, say.
        """
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure

    def prepare(self, model: str) -> None:
        """Make a model ready, before its first submission. Nothing is sent.

        Raises:
            UnknownModelError: there is no such model, or its key or endpoint is missing.
        """
        ready: Future[None] = Future()

        def prepare() -> None:
            try:
                self.session.engine.prepare_model(model)
            except Exception as error:  # raised in the caller's thread
                ready.set_exception(error)
            else:
                ready.set_result(None)

        if self._call(prepare):
            ready.result()

    def submit(self, spec: Spec, model: str, instances: Sequence[Instance]) -> Future[Results]:
        """Queue instances, with all their repeats. Submissions run in their order.

        Returns:
            A future of the results, in the order of the instances. It raises `SpecError`,
            `TrustError` or `UsageError` if the test or the model can't be used, `BudgetError` if
            the budget is used up, `SessionError` if the session was stopped before.
        """
        submission = Submission(spec, model, instances)
        self._waiting.add(submission)
        if not self._call(self._start, submission):
            self._refuse(submission, SessionError("the session has ended", code="session_ended"))
        return submission.future

    def stop(self) -> None:
        """Send nothing more. Instances in flight end, and their results are kept."""
        self._call(self.session.engine.stop)

    def cancel(self) -> None:
        """Give up the instances in flight, too. Completions that have arrived are kept. A signal
        handler may call this."""
        self._call(self.session.engine.cancel)
        stop_checkers()  # the event loop itself may be waiting for one to start

    def ends_within(self, seconds: float) -> bool:
        """Wait for the session's end for at most `seconds`; return whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop the session, and wait until it has ended and everything is written.

        Raises:
            LveError: the session failed: its journal can't be written, say. Futures that weren't
                done have failed with the same error.
        """
        self.stop()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def __enter__(self) -> BackgroundSession:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def session(self) -> Session:
        """The session, once it has started. It belongs to its thread: only read from it."""
        assert self._session is not None
        return self._session

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        self._running[test_run].results.append(result)

    def on_done(self, test_run: TestRun) -> None:
        self._resolve(self._running.pop(test_run))

    def on_refused(self, test_run: TestRun, error: LveError) -> None:
        self._refuse(self._running.pop(test_run), error)

    def _run(self) -> None:
        try:
            run_in_loop(self._run_session())
        except BaseException as error:
            self._failure = error
        finally:
            for submission in list(self._waiting):
                self._refuse(submission, self._why_ended())
            self._started.set()

    async def _run_session(self) -> None:
        self._loop = asyncio.get_running_loop()
        resources = Resources(self._options, self._part.share if self._part else None)
        engine = Engine(self._workspace, self._options, warn=self._warn, resources=resources)
        log = SessionLog.begin(engine, part=self._part, begun_with=self._begun_with)
        self._session = Session(engine, log, warn=self._warn, watchers=[self])
        await run_to_end(self._session, self._serve)

    async def _serve(self) -> Status:
        """Run submissions until the session is stopped; return its status when they have ended."""
        session = self.session
        session.start()
        self._started.set()
        with suppress(Stopped):
            await session.engine.stop_signal.wait(self._loop.create_future())  # until it is set
        try:
            await session.engine.join()
        finally:
            for change in session.log.prompt_changes():
                self._warn(with_code(str(change), "tests_changed"))
        if session.engine.stop_signal.reason == BUDGET:
            return "budget"
        return "interrupted" if self._running or self.is_cut_short else "complete"

    def _start(self, submission: Submission) -> None:
        """Give a submission to the session, in the session's thread."""
        if not submission.instances:
            self._resolve(submission)
            return
        try:
            test_run = self.session.submit(submission.spec, submission.model, submission.instances)
        except Exception as error:
            # Even a bug must end the future: the event loop would only print it.
            self._refuse(submission, error)
        else:
            self._running[test_run] = submission

    def _resolve(self, submission: Submission) -> None:
        self._waiting.discard(submission)
        submission.future.set_result(submission.in_order())

    def _refuse(self, submission: Submission, error: BaseException) -> None:
        try:
            self._waiting.remove(submission)
        except KeyError:
            return  # the other thread has completed it
        submission.future.set_exception(error)

    def _why_ended(self) -> BaseException:
        """Return the error for the futures of submissions that won't run."""
        if self._failure is not None:
            return self._failure
        if self.session.engine.stop_signal.reason == BUDGET:
            engine = self.session.engine
            why = engine.stopped_by or "the budget is used up"
            return BudgetError(why, role=engine.spent_role)
        return SessionError("the session was stopped", code="session_ended")

    def _call(self, function: Callable[..., object], *args: object) -> bool:
        """Have the session's thread call a function; return False if the thread has ended."""
        try:
            self._loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # the loop is closed
            return False
        return True
