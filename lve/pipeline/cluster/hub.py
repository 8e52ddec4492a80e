"""The side of a run: hands instances to workers, and takes their results.

The run keeps all that must be one: the journal, the cache, budgets and rates. So a worker that dies
loses nothing but its time: what it had is given to another one, and answers that have arrived are
in the run's cache. A test that can only run where it is (see `files_of`) runs in the run itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from lve.errors import SessionError, with_code
from lve.execution.stop import Stopped
from lve.files.inside import read_inside
from lve.pipeline.cluster.answering import Answering
from lve.pipeline.cluster.group import Group
from lve.pipeline.cluster.links import Links, Seat, WorkerLostError
from lve.pipeline.cluster.messages import (
    Cancel,
    Counted,
    Done,
    Ended,
    NewTest,
    Refused,
    Setup,
    Stop,
    Warned,
    Work,
)
from lve.pipeline.cluster.sendable import Sendable, Sent
from lve.pipeline.cluster.shapes import answers_at_once, is_served, shape_of
from lve.pipeline.cluster.variables import variables_for
from lve.pipeline.engine import BUDGET, WORKERS_PER_CONNECTION, Engine
from lve.pipeline.execute import failed_result
from lve.pipeline.playing_user import run_one
from lve.pipeline.prepared_test import PreparedTest
from lve.results.records import InstanceResult
from lve.run_options import RunOptions
from lve.settings.model_settings import ModelSettings
from lve.settings.worker_shape import WorkerShape
from lve.spec.model import Instance

MAX_LOST_TOGETHER = 2
MAX_LOST = 5
"""Workers that may die over one instance: then it is the instance that ends them."""
QUICK = 8
"""Instances that a worker has whose model answers at once: they wait for its checkers alone."""
MAX_TABLE_BYTES = 10_000_000
MAX_WARNINGS = 1000
"""Texts that are remembered, so that each is told once."""


class RefusedError(Exception):
    """A test can't be made ready on a worker's machine; the text says why."""


class Cluster:
    """The workers of a run. It lives in the run's event loop."""

    def __init__(
        self,
        engine: Engine,
        links: Links,
        *,
        warn: Callable[[str], None],
    ) -> None:
        """Args:
        engine: of the run.
        links: start workers.
        warn: called with each warning.
        """
        self._engine = engine
        self._links = links
        self._warn = warn
        self._answering = Answering(engine)
        self._numbers = count()
        self._groups: dict[WorkerShape, Group] = {}
        self._sendable = Sendable(engine, links)
        self._only_here: set[int] = set()
        """Tests that a worker couldn't make ready."""
        self._is_hurried = False
        self._told: set[str] = set()
        self.failure: SessionError | None = None
        """Why a worker couldn't go on, so that the session can't."""
        self._watching = asyncio.ensure_future(self._watch_for_stop())

    async def begin(self) -> None:
        """Start a worker, so that what can't work is said before anything is sent.

        Raises:
            UsageError: the cluster has no room, or another version of lve.
        """
        for model in self._engine.pools:
            await self._group(model).begin()

    def width(self, model: str) -> int:
        """Return how many instances of a model are under way at once."""
        group = self._group(model)
        return self._each(model) * self._count(model, group)

    async def run(self, test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
        """Return the result of an instance.

        Raises:
            Stopped: the session stops.
            SessionError: there are no workers any more.
        """
        found = await self._sendable.form_of(test)
        if found is None or found.number in self._only_here:
            return await run_one(test, instance, repeat)
        group = self._group(test.model)
        for lost in range(MAX_LOST):
            # One that may have ended its workers is alone at last: the others go on, and it is
            # sure whose fault it is.
            seat = await self._seat(test.model, group, alone=lost >= MAX_LOST_TOGETHER)
            future = self._give(seat, found, test.model, instance, repeat)
            try:
                return await future
            except WorkerLostError:
                continue
            except RefusedError as error:
                self._keep_here(found, str(error))
                return await run_one(test, instance, repeat)
            finally:
                seat.is_reserved = False
                group.wake()
        reason = f"running it ended {MAX_LOST} workers of the cluster, one after the other"
        return failed_result(test, instance, repeat, kind="worker_lost", reason=reason)

    def cancel(self) -> None:
        """Give up what is under way, and take no time to close."""
        self._is_hurried = True
        self._tell_all(Cancel())

    async def close(self) -> None:
        """End the workers, and leave the cluster."""
        self._watching.cancel()
        for group in self._groups.values():
            group.close()
            for seat in group.seats:  # what it didn't settle may have been spent
                self._answering.lose(seat)
        await self._answering.close()
        await self._links.close(hurried=self._is_hurried)

    def _group(self, model: str) -> Group:
        """Return the workers for a model."""
        entry = self._engine.settings.entry(model) or ModelSettings()
        shape = shape_of(entry, self._engine.settings)
        if shape not in self._groups:
            number = self._links.count(shape)
            setup = Setup(
                _sent_options(self._engine.options),
                self._engine.settings,
                processes=number,
                has_cache=self._engine.open_cache() is not None,
                known_models=_table(self._engine.settings.known_models),
            )
            self._groups[shape] = Group(
                number,
                lambda: self._links.start(shape, setup),
                self._handle,
                self._lost,
                self._warn,
            )
        return self._groups[shape]

    def _count(self, model: str, group: Group) -> int:
        """Return how many workers of a group run a model: no more than it may have connections."""
        completer = self._engine.completers[model]
        if not is_served(model, self._engine.settings):
            return group.number
        return min(group.number, completer.limits.concurrency.maximum)

    def _each(self, model: str) -> int:
        """Return how many instances of a model a worker has at once."""
        settings = self._engine.settings
        maximum = self._engine.completers[model].limits.concurrency.maximum
        if is_served(model, settings):
            group = self._group(model)
            return WORKERS_PER_CONNECTION * max(1, maximum // self._count(model, group))
        return QUICK if answers_at_once(model, settings) else WORKERS_PER_CONNECTION * maximum

    async def _seat(self, model: str, group: Group, *, alone: bool) -> Seat:
        """Wait until a worker has room, and return it."""
        most, among = self._each(model), self._count(model, group)
        while (seat := group.free(most, among, alone=alone)) is None:
            if group.failure is not None:
                raise group.failure
            await self._engine.stop_signal.wait(group.change())
        self._engine.stop_signal.check()
        return seat

    def _give(
        self, seat: Seat, found: Sent, model: str, instance: Instance, repeat: int
    ) -> asyncio.Future[InstanceResult]:
        if found.key not in seat.files:
            seat.files.add(found.key)
            seat.link.add_files(found.key, found.content)
        if found.number not in seat.tests:
            seat.tests.add(found.number)
            variables = variables_for(self._engine.completers, self._engine.settings)
            about = (found.number, found.spec, found.key, model, found.advisory, variables)
            seat.outbox.put(NewTest(*about))
        seat.has_worked = True
        number = next(self._numbers)
        future = seat.jobs[number] = asyncio.get_running_loop().create_future()
        seat.outbox.put(Work(number, found.number, instance, repeat))
        return future

    def _keep_here(self, found: Sent, reason: str) -> None:
        if found.number not in self._only_here:
            self._only_here.add(found.number)
            said = f"{found.spec.path} runs on this machine: a worker of the cluster says: {reason}"
            self._tell(with_code(said, "ray"))

    def _handle(self, seat: Seat, messages: list[Any]) -> None:
        """Take a batch of messages of a worker."""
        for message in messages:
            match message:
                case Done(number, result):
                    _resolve(seat, number, result)
                case Counted(name, traffic):
                    if name in self._engine.completers:
                        self._engine.completers[name].traffic.add(traffic)
                case Warned(text):
                    self._tell(text)
                case Refused(number, reason):
                    _resolve(seat, number, RefusedError(reason))
                case Ended(reason, text):
                    self._ended(seat, reason, text)
                case _:
                    self._answering.take(seat, message)

    def _ended(self, seat: Seat, reason: str, text: str | None) -> None:
        """A worker has stopped."""
        if reason == "failure":
            said = f"a worker of the cluster failed: {text}"
            self.failure = self.failure or SessionError(said, code="ray")
            seat.lose(self.failure)
        else:
            seat.lose(Stopped(reason))
        self._engine.stop(reason, text if reason == BUDGET else None)

    def _lost(self, seat: Seat) -> None:
        """A worker is gone: its instances are given to others."""
        self._answering.lose(seat)
        seat.lose(WorkerLostError())

    def _tell(self, text: str) -> None:
        if text not in self._told:
            if len(self._told) < MAX_WARNINGS:
                self._told.add(text)
            self._warn(text)

    def _tell_all(self, message: Any) -> None:
        for group in self._groups.values():
            for seat in group.seats:
                if not seat.has_ended:
                    seat.outbox.put(message)
                    seat.outbox.flush()

    async def _watch_for_stop(self) -> None:
        stop_signal = self._engine.stop_signal
        with suppress(Stopped):
            await stop_signal.wait(asyncio.get_running_loop().create_future())
        self._tell_all(Stop(stop_signal.reason or ""))


def _sent_options(options: RunOptions) -> RunOptions:
    """Return what workers need of the options: what is only in this process stays."""
    return replace(options, ray=None, keep=False, own_models={}, picked=None, listen=None)


def _table(file: Path | None) -> bytes | None:
    return None if file is None else read_inside(file.parent, file, MAX_TABLE_BYTES)


def _resolve(seat: Seat, number: int, outcome: InstanceResult | Exception) -> None:
    future = seat.jobs.pop(number, None)
    if future is None or future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
