"""The engine in a thread of its own, for callers that are not async: the pytest plugin.

with BackgroundSession(workspace, options, warn=print) as session:
    futures = [session.submit(spec, "openai/gpt-4o", [instance]) for instance in ...]
    results = [result for future in futures for result in future.result()]
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from lve.errors import SessionError
from lve.execution.stop import Stopped
from lve.pipeline.aside import stop_checkers
from lve.pipeline.engine import Engine
from lve.pipeline.options import RunOptions
from lve.pipeline.session_log import Part, SessionLog
from lve.pipeline.submissions import Results, Submission, Submissions
from lve.results.session import SessionFolder
from lve.spec.model import Instance, Spec
from lve.workspace import Workspace


class BackgroundSession:
    """Executes instances as they are submitted; each submission has its own future."""

    def __init__(
        self,
        workspace: Workspace,
        options: RunOptions,
        *,
        warn: Callable[[str], None],
        part: Part | None = None,
    ) -> None:
        """Args:
        workspace: where the tests are and what the settings say.
        options: as for `lve run`.
        warn: is told, from the session's thread, what stops nothing.
        part: says that other processes run this session, too.
        """
        self._workspace = workspace
        self._options = options
        self._warn = warn
        self._submitted: set[Submission] = set()
        """Handed in, and not yet seen by the loop, which may close in between."""
        self._submissions: Submissions | None = None
        """Those that it has seen."""
        self._part = part
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lve-session", daemon=True)
        self._failure: BaseException | None = None
        self._log: SessionLog | None = None

    def start(self) -> None:
        """Start the thread.

        Raises:
            LveError: the session can't begin (its folder can't be written, say).
        """
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure

    def submit(self, spec: Spec, model: str, instances: Sequence[Instance]) -> Future[Results]:
        """Line up instances, with all their repeats; work is done in the order of submission.

        Returns:
            A future of the results, instance by instance. It raises `SpecError`, `TrustError` or
            `UsageError` when the test or the model can't be used, `BudgetError` when the budget is
            used up, `SessionError` when the session was stopped before.
        """
        submission = Submission(spec, model, instances, Future())
        self._submitted.add(submission)
        try:
            self._loop.call_soon_threadsafe(self._take, submission)
        except RuntimeError:  # the loop is closed
            self._refuse(submission)
        return submission.future

    def _refuse(self, submission: Submission) -> None:
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
        """Give up what is under way too. Completions that have arrived are kept. May be called by
        the handler of a signal."""
        self._call(self._engine.cancel)
        stop_checkers()  # the loop itself may be waiting for one to start

    def ends_within(self, seconds: float) -> bool:
        """Wait for the session's end, but no longer than this; return whether it has come."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop, wait for what is under way, write what is left.

        Raises:
            LveError: the session went wrong: its record can't be written, say. Who still waits for
                a result has been told, too.
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
            if self._submissions is not None:
                self._submissions.give_up(error)
        finally:
            for submission in list(self._submitted):
                self._refuse(submission)
            self._started.set()

    async def _live(self) -> None:
        """Serve submissions until the brake is pulled, then end what is under way."""
        self._loop = asyncio.get_running_loop()
        share = self._part.share if self._part else None
        self._engine = Engine(self._workspace, self._options, warn=self._warn, share=share)
        self._log = SessionLog(self._engine, keep=self._options.keep, part=self._part)
        self._submissions = Submissions(self._engine, self._log, warn=self._warn)
        self._started.set()
        with suppress(Stopped):
            await self._engine.brake.wait(self._loop.create_future())
        failure = await self._wind_up(self._log, self._submissions)
        if failure is not None:
            raise failure  # `_run` tells those who wait, `close` the others
        self._submissions.give_up(None)

    async def _wind_up(self, log: SessionLog, submissions: Submissions) -> Exception | None:
        """End what is under way, then close everything, whatever fails; return what failed
        first."""
        failure: Exception | None = None
        for step in (self._engine.join, self._engine.close):
            try:
                await step()
            except Exception as error:
                failure = failure or error
        try:
            for change in log.prompt_changes():
                self._warn(str(change))
            log.close(is_finished=submissions.are_resolved, has_failed=failure is not None)
        except Exception as error:
            failure = failure or error
        return failure

    def _take(self, submission: Submission) -> None:
        assert self._submissions is not None  # made before the first can be handed in
        self._submitted.discard(submission)
        self._submissions.take(submission)
