"""The run's side of a cluster: gives instances to workers, and takes their results.

Journal, cache, budgets and rate limits stay in the run's process. So nothing is lost when a worker
dies: its instances go to another worker, and answers that have arrived are in the run's cache. A
test that can only run on this machine (see `files_of`) runs in the run's own process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from lve.errors import SessionError, with_code
from lve.execution.stop import Stopped
from lve.extensions.ray.connections import WorkerHandle, WorkerLauncher, WorkerLostError
from lve.extensions.ray.group import WorkerGroup
from lve.extensions.ray.lease_server import LeaseServer
from lve.extensions.ray.messages import (
    Cancel,
    Done,
    Ended,
    NewTest,
    Refused,
    Setup,
    Stop,
    TrafficCount,
    Warned,
    Work,
)
from lve.extensions.ray.portable import PortableTest, PortableTests, variables_for
from lve.extensions.ray.shapes import answers_at_once, is_served, shape_of
from lve.files.inside import read_inside
from lve.options.run_options import RunOptions
from lve.pipeline.engine import BUDGET, WORKERS_PER_CONNECTION, Engine
from lve.pipeline.rows.playing_user import run_here
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.pipeline.rows.run_instance import failed_result
from lve.sessions.instance_result import InstanceResult
from lve.settings.model_settings import ModelSettings, WorkerShape
from lve.spec.spec import Instance

MAX_LOST_TOGETHER = 2
"""Workers that an instance may lose while they run others, too; after that it runs alone."""
MAX_LOST = 5
"""Workers that an instance may lose altogether: then the instance itself must be what ends them."""
OFFLINE_WIDTH = 8
"""Instances in flight per worker if the model computes nothing, so that only checkers take time."""
MAX_TABLE_BYTES = 10_000_000
MAX_WARNINGS = 1000
"""Warnings that are remembered, so that each is given once."""


class RefusedError(Exception):
    """A test can't be made ready on a worker's machine, for the reason in the message."""


ONLY_HERE = (
    "{} is an object of this Python process, which no other machine has: its rows run here; name a "
    "model, or a function in lve.yaml (`provider: python`), to run them on the cluster"
)


class Cluster:
    """The workers of a run, as the engine's `RemoteExecutor`. It lives in the run's event loop."""

    def __init__(
        self, engine: Engine, launcher: WorkerLauncher, *, warn: Callable[[str], None]
    ) -> None:
        """Args:
        engine: the run's engine.
        launcher: starts workers.
        warn: called with each warning.
        """
        self._engine = engine
        self._launcher = launcher
        self._warn = warn
        self._leases = LeaseServer(engine.models)
        self._numbers = count()
        self._groups: dict[WorkerShape, WorkerGroup] = {}
        self._portable = PortableTests(engine, launcher)
        self._only_here: set[int] = set()
        """Numbers of tests that a worker couldn't make ready."""
        self._is_cancelled = False
        self._warned: set[str] = set()
        self.failure: SessionError | None = None
        """Why the session can't go on: a worker failed."""
        self._watching = asyncio.ensure_future(self._watch_for_stop())

    async def begin(self) -> None:
        """Start the first workers, so that an unusable cluster is reported before anything is sent.

        Raises:
            UsageError: the cluster has no room, or another version of lve.
        """
        for model in self._engine.pools:
            await self._group(model).begin()

    def width(self, model: str) -> int:
        """Return how many instances of a model may be in flight at once."""
        group = self._group(model)
        return self._each(model) * self._count(model, group)

    async def run(self, test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
        """Run an instance on a worker, or here if its test can only run here; return its result.

        Raises:
            Stopped: the session was stopped.
            SessionError: there are no workers any more.
        """
        portable = await self._portable.of(test)
        if portable is None and test.model.name in self._engine.options.own_models:
            self._warn_once(with_code(ONLY_HERE.format(test.model.name), "ray"))
        if portable is None or portable.number in self._only_here:
            return await run_here(test, instance, repeat)
        model = test.model.name
        group = self._group(model)
        for lost in range(MAX_LOST):
            # In the end the instance gets a worker for itself, so that it can't take other
            # instances down, and it is certain which one ends workers.
            worker = await self._free_worker(model, group, alone=lost >= MAX_LOST_TOGETHER)
            future = self._send(worker, portable, model, instance, repeat)
            try:
                return await future
            except WorkerLostError:
                continue
            except RefusedError as error:
                self._keep_here(portable, str(error))
                return await run_here(test, instance, repeat)
            finally:
                worker.is_reserved = False
                group.wake()
        reason = f"running it ended {MAX_LOST} workers of the cluster, one after the other"
        return failed_result(test, instance, repeat, kind="worker_lost", reason=reason)

    def cancel(self) -> None:
        """Give up the instances in flight, and let `close` take no time."""
        self._is_cancelled = True
        self._send_to_all(Cancel())

    async def close(self) -> None:
        """End the workers, and leave the cluster."""
        self._watching.cancel()
        for group in self._groups.values():
            group.close()
            for worker in group.workers:  # attempts that it has not reported may be paid for
                self._leases.lose(worker)
        await self._leases.close()
        await self._launcher.close(hurried=self._is_cancelled)

    def _group(self, model: str) -> WorkerGroup:
        """Return the group of workers that run a model."""
        entry = self._engine.settings.entry(model) or ModelSettings()
        shape = shape_of(entry, self._engine.settings)
        if shape not in self._groups:
            number = self._launcher.count(shape)
            setup = Setup(
                _sent_options(self._engine.options),
                self._engine.settings,
                processes=number,
                has_cache=self._engine.models.open_cache() is not None,
                known_models=_table(self._engine.settings.known_models),
            )
            deadline_s = self._engine.options.deadline_s
            start = partial(self._launcher.start, shape, setup)
            self._groups[shape] = WorkerGroup(
                number, start, self._handle, self._lost, self._warn, deadline_s
            )
        return self._groups[shape]

    def _count(self, model: str, group: WorkerGroup) -> int:
        """Return how many workers of a group run a model: at most as many as it may have
        connections."""
        completer = self._engine.models.completers[model]
        if not is_served(model, self._engine.settings):
            return group.number
        return min(group.number, completer.limits.concurrency.maximum)

    def _each(self, model: str) -> int:
        """Return how many instances of a model a worker may run at once."""
        settings = self._engine.settings
        maximum = self._engine.models.completers[model].limits.concurrency.maximum
        if is_served(model, settings):
            group = self._group(model)
            return WORKERS_PER_CONNECTION * max(1, maximum // self._count(model, group))
        is_quick = answers_at_once(model, settings)
        return OFFLINE_WIDTH if is_quick else WORKERS_PER_CONNECTION * maximum

    async def _free_worker(self, model: str, group: WorkerGroup, *, alone: bool) -> WorkerHandle:
        """Wait until a worker has room, and return it."""
        most, among = self._each(model), self._count(model, group)
        while (worker := group.free(most, among, alone=alone)) is None:
            if group.failure is not None:
                raise group.failure
            await self._engine.stop_signal.wait(group.change())
        self._engine.stop_signal.check()
        return worker

    def _send(
        self, worker: WorkerHandle, test: PortableTest, model: str, instance: Instance, repeat: int
    ) -> asyncio.Future[InstanceResult]:
        """Send an instance, and its test if that is new there; return a future of the result."""
        if test.key not in worker.files:
            worker.files.add(test.key)
            worker.connection.add_files(test.key, test.content)
        if test.number not in worker.tests:
            worker.tests.add(test.number)
            variables = variables_for(self._engine.models.completers, self._engine.settings)
            worker.outbox.put(
                NewTest(test.number, test.spec, test.key, model, test.advisory, variables)
            )
        worker.has_worked = True
        number = next(self._numbers)
        future = worker.jobs[number] = asyncio.get_running_loop().create_future()
        worker.outbox.put(Work(number, test.number, instance, repeat))
        return future

    def _keep_here(self, test: PortableTest, reason: str) -> None:
        if test.number not in self._only_here:
            self._only_here.add(test.number)
            text = f"{test.spec.path} runs on this machine: a worker of the cluster says: {reason}"
            self._warn_once(with_code(text, "ray"))

    def _handle(self, worker: WorkerHandle, messages: list[object]) -> None:
        """Take a batch of messages from a worker."""
        for message in messages:
            match message:
                case Done(number, result):
                    _resolve(worker, number, result)
                case TrafficCount(name, traffic):
                    if name in self._engine.models.completers:
                        self._engine.models.completers[name].traffic.add(traffic)
                case Warned(text):
                    self._warn_once(text)
                case Refused(number, reason):
                    _resolve(worker, number, RefusedError(reason))
                case Ended():
                    self._ended(worker, message)
                case _:
                    self._leases.take(worker, message)

    def _ended(self, worker: WorkerHandle, end: Ended) -> None:
        """Stop the session, because a worker has stopped."""
        if end.reason == "failure":
            failed = f"a worker of the cluster failed: {end.text}"
            self.failure = self.failure or SessionError(failed, code="ray")
            worker.lose(self.failure)
        else:
            worker.lose(Stopped(end.reason))
        self._engine.stop(end.reason, end.text if end.reason == BUDGET else None, role=end.role)

    def _lost(self, worker: WorkerHandle) -> None:
        self._leases.lose(worker)
        worker.lose(WorkerLostError())

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            if len(self._warned) < MAX_WARNINGS:
                self._warned.add(text)
            self._warn(text)

    def _send_to_all(self, message: object) -> None:
        for group in self._groups.values():
            for worker in group.workers:
                if not worker.has_ended:
                    worker.outbox.put(message)
                    worker.outbox.flush()

    async def _watch_for_stop(self) -> None:
        stop_signal = self._engine.stop_signal
        with suppress(Stopped):
            await stop_signal.wait(asyncio.get_running_loop().create_future())
        self._send_to_all(Stop(stop_signal.reason or ""))


def _sent_options(options: RunOptions) -> RunOptions:
    """Return the options for workers."""
    return replace(options, ray=None, keep=False, own_models={}, picked=None, listen=None)


def _table(file: Path | None) -> bytes | None:
    return None if file is None else read_inside(file.parent, file, MAX_TABLE_BYTES)


def _resolve(worker: WorkerHandle, number: int, outcome: InstanceResult | Exception) -> None:
    future = worker.jobs.pop(number, None)
    if future is None or future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
