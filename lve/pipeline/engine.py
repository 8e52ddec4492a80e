"""The engine of a session: executes jobs, with a pool of workers per tested model.

It lives in one event loop; other threads use `lve.pipeline.background`. Its models are made by
`lve.pipeline.session_models`.

`RemoteExecutor` is the interface to machines that run instances for it, such as a Ray cluster: it
lets the engine use `lve.extensions.ray` without importing it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from lve.errors import BudgetError, SessionError
from lve.execution.attachments import Attachments
from lve.execution.stop import INTERRUPTED, Stopped, StopSignal
from lve.execution.workers import WaitFor, WorkerPool
from lve.messages import Transcript
from lve.options.run_options import RunOptions
from lve.pipeline.resources.resources import Resources
from lve.pipeline.roles.roles import roles_of
from lve.pipeline.rows.playing_user import run_one
from lve.pipeline.rows.prepared_test import PreparedTest, Running, Waiting
from lve.pipeline.rows.run_instance import judged_or_later
from lve.pipeline.session_models import SessionModels
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Instance
from lve.workspace import Workspace

if TYPE_CHECKING:
    from lve.execution.tools.live_tools import ToolServers
    from lve.execution.tools.tool_code import ToolProcesses

RunOne = Callable[[PreparedTest, Instance, int], InstanceResult | Transcript | Waiting]
"""Runs an instance once: `lve.pipeline.rows.playing_user.run_one`, or `RemoteExecutor.run`."""


class RemoteExecutor(Protocol):
    """Runs instances on other machines."""

    failure: SessionError | None
    """Why the session can't go on."""

    def width(self, model: str) -> int:
        """Return how many instances of a model may be in flight at once."""

    def run(self, test: PreparedTest, instance: Instance, repeat: int) -> Running:
        """Return the result of an instance; errors as `run_instance`."""

    def cancel(self) -> None:
        """Give up the instances in flight."""

    async def close(self) -> None:
        """Release the machines."""


WORKERS_PER_CONNECTION = 2
"""While one waits for its completion to be stored, or for its next attempt, another uses it."""
BUDGET = "budget"  # the stop signal's reason when the budget is used up

Done = Callable[[InstanceResult], None]
Job = tuple[PreparedTest, Instance, int, Done]
"""One instance to execute once: its test, the number of the repeat, and what is called with the
result, in the event loop's thread."""


class Engine:
    """Executes instances against models."""

    def __init__(
        self,
        workspace: Workspace,
        options: RunOptions,
        *,
        warn: Callable[[str], None],
        resources: Resources | None = None,
    ) -> None:
        """Args:
        workspace: has the tests and the settings.
        options: the run's options.
        warn: called with each warning.
        resources: its budget, limits and cache; None: all that settings and options allow.
        """
        self.workspace, self.options, self.settings = workspace, options, workspace.settings
        self.roles = roles_of(options, workspace.settings)
        """Role -> its model."""
        self.stop_signal = StopSignal()
        self.models = SessionModels(
            workspace, options, resources or Resources(options), self.stop_signal, warn=warn
        )
        self.stopped_by: str | None = None
        """Why the session was stopped early, in a sentence; see `stop`."""
        self.spent_role: str | None = None
        """The role whose budget stopped it."""
        self.pools: dict[str, WorkerPool[Job]] = {}
        self.attachments = Attachments()
        self.tool_servers: ToolServers | None = None  # `live_tools` makes it, and `tool_code`
        self.tool_code: ToolProcesses | None = None
        self.cluster: RemoteExecutor | None = None
        self.hold: Callable[[bool], None] = lambda is_held: None  # `Journal.hold`
        self._loop: asyncio.AbstractEventLoop | None = None
        self._run: RunOne = run_one
        self._waiting = 0  # rows that wait for their answer or their result
        self._answered: list[tuple[Job, Transcript, asyncio.Future[Running | None]]] = []

    def prepare_model(self, name: str) -> None:
        """Create a tested model and its pool of workers, once. Nothing is sent.

        Raises:
            UnknownModelError, UsageError: as `SessionModels.prepare`.
        """
        if name in self.pools:
            return
        self.models.prepare(name)
        if self.options.batch:
            self.pools[name] = self.models.batching.pool(self._execute)
            return
        width = WORKERS_PER_CONNECTION * self.models.completers[name].limits.connections
        self.pools[name] = WorkerPool(
            self._execute,
            width=self.cluster.width(name) if self.cluster else width,
            stop_signal=self.stop_signal,
            max_sources=self.options.max_tests,
        )

    def run_on(self, cluster: RemoteExecutor) -> None:
        """Run all instances on a cluster from now on."""
        self.cluster, self._run = cluster, cluster.run
        for name, pool in self.pools.items():
            pool.resize(cluster.width(name))

    def add(self, model: str, source: Iterator[Job | WaitFor], rank: int = 0) -> None:
        """Add a source of jobs for a ready model (`WorkerPool.add`), in the loop's thread."""
        self.pools[model].add(source, rank)

    async def join(self) -> None:
        """Wait until all jobs are done or the session has stopped.

        Raises:
            LveError: the session can't go on: the disk is full, say.
        """
        failures = []
        for pool in list(self.pools.values()):
            try:
                await pool.join()
            except Exception as error:  # the other pools' answers must still come in
                failures.append(error)
        others = [completer.store_failure for completer in self.models.completers.values()]
        others += [self.cluster.failure] if self.cluster else []
        if failures := [*failures, *filter(None, others)]:
            raise failures[0]

    def stop(
        self, reason: str = INTERRUPTED, why: str | None = None, *, role: str | None = None
    ) -> None:
        """Send nothing more; instances in flight end.

        Args:
            reason: of the stop signal.
            why: tells the user the reason. The first one stays.
            role: the role whose budget is used up.
        """
        if self.stopped_by is None:
            self.stopped_by, self.spent_role = why, role
        self.stop_signal.set(reason)

    def cancel(self) -> None:
        """Give up the instances in flight, too. Completions that have arrived are kept."""
        self.stop_signal.set(INTERRUPTED)
        if self.cluster is not None:
            self.cluster.cancel()
        for pool in self.pools.values():
            pool.cancel()
        self.models.cache.cancel()

    async def close(self) -> None:
        """Write what the cache still holds, and close all connections."""
        try:
            if self.cluster is not None:
                await self.cluster.close()
            await self.models.cache.close()
        finally:
            if self.tool_code is not None:
                self.tool_code.close()
            if self.tool_servers is not None:
                await self.tool_servers.close()
            await self.models.close()

    def _execute(self, jobs: Sequence[Job]) -> tuple[int, Awaitable[None] | None]:
        """Run jobs up to the first that has to wait; return how many were begun, and the rest of
        those that wait. Each step is done for all of them before the next (`workers.TOGETHER`).
        What goes wrong with a job is raised by the rest, so that the others have their results."""
        begun: list[InstanceResult | Transcript | Waiting] = []
        for test, instance, repeat, _ in jobs:
            try:
                begun.append(self._run(test, instance, repeat))
            except Exception as error:
                begun.append(_raising(error))
            if type(begun[-1]) not in (InstanceResult, Transcript):
                break
        if len(begun) == 1 and not isinstance(begun[0], (InstanceResult, Transcript)):
            return 1, self._finish(begun[0], jobs[0])  # as nearly all that ask a model
        judged = [
            _judged(job, state) if isinstance(state, Transcript) else state
            for job, state in zip(jobs, begun, strict=False)
        ]
        rest = self._pass_on(jobs, judged)
        return len(begun), rest[0] if len(rest) == 1 else _all(rest) if rest else None

    def _pass_on(
        self, jobs: Sequence[Job], judged: Sequence[InstanceResult | Waiting]
    ) -> list[Coroutine[object, None, None]]:
        """Give results to who wants them, up to one that stops the session; return what waits."""
        rest, reason = [], self.stop_signal.reason
        for job, result in zip(jobs, judged, strict=False):
            if not isinstance(result, InstanceResult):
                rest.append(self._finish(result, job))
            elif self.stop_signal.reason is reason and (error := self._tell(job[3], result)):
                rest.append(self._finish(_raising(error), job))
        return rest

    def _tell(self, done: Callable[[Any], None], what: object) -> BaseException | None:
        """Call `done`; return what goes wrong, whatever it is: nobody may wait for ever."""
        try:
            done(what)
        except BaseException as error:
            self.stop_signal.set("failure")  # so that the others ask no model
            return error
        return None

    async def _finish(self, waiting: Waiting, job: Job) -> None:
        self._waiting += 1
        judged: asyncio.Future[Running | None] | None = None
        try:
            result = await waiting
            if isinstance(result, Transcript):
                judged = self._settled(job, result)
                if (rest := await judged) is None:
                    return
                result = await rest
        except BudgetError as error:
            self.stop(BUDGET, str(error), role=error.role)
            raise Stopped(BUDGET) from error
        except asyncio.CancelledError:
            if judged and judged.done() and not judged.cancelled() and (rest := judged.result()):
                rest.close()  # it may not have begun
            raise
        finally:
            self._waiting -= 1
        job[3](result)

    def _settled(self, job: Job, answer: Transcript) -> asyncio.Future[Running | None]:
        """Have an answer judged, and its result passed on, with those that have come in this turn
        of the loop. Return a future for what else has to be waited for: a model that judges."""
        loop = self._loop = self._loop or asyncio.get_running_loop()  # a system call each time
        settled: asyncio.Future[Running | None] = loop.create_future()
        self._answered.append((job, answer, settled))
        if self._waiting == 1:  # no other answer can come with it
            self._settle()
        elif len(self._answered) == 1:
            loop.call_soon(self._settle)
        return settled

    def _settle(self) -> None:
        """Judge the answers of rows that aren't given up, then pass on all their results, also
        behind one that stops the session: they are paid for. Only then are the workers woken."""
        rows, self._answered = [row for row in self._answered if not row[2].done()], []
        judged = [_judged(job, answer) for job, answer, _ in rows]
        self.hold(True)
        told = [
            self._tell(job[3], result) if isinstance(result, InstanceResult) else result
            for (job, _, _), result in zip(rows, judged, strict=True)
        ]
        failure = self._tell(self.hold, False)
        for (_, _, settled), rest in zip(rows, told, strict=True):
            rest = failure if rest is None else rest
            if not settled.done():  # not given up since then
                settled.set_result(_raising(rest) if isinstance(rest, BaseException) else rest)


def _judged(job: Job, answer: Transcript) -> InstanceResult | Running:
    """Judge an answer as far as that goes without waiting."""
    try:
        return judged_or_later(job[0], job[1], job[2], (answer,))
    except BaseException as error:
        return _raising(error)


async def _all(rest: Sequence[Coroutine[object, None, None]]) -> None:
    """Wait for all of them at once: none waits for another's check or judge. Then raise what has
    gone wrong, rather than that this has stopped the others."""
    ended = await asyncio.gather(*rest, return_exceptions=True)
    for error in sorted(filter(None, ended), key=lambda error: isinstance(error, Stopped)):
        raise error


async def _raising(error: BaseException) -> InstanceResult:
    raise error
