"""A worker of a cluster: runs instances for a run on another machine, with an engine of its own.

It has only the files and keys that the run sends. It lives in one event loop; the launcher that
started it carries messages (`lve.extensions.ray.messages`) between it and the run.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from lve.child.child_command import child_environment
from lve.errors import LveError
from lve.execution.stop import INTERRUPTED, Stopped
from lve.execution.traffic import NUMBERS, Traffic
from lve.execution.workers import WaitFor
from lve.extensions.ray.files import moved, unpack
from lve.extensions.ray.messages import (
    Call,
    Cancel,
    Done,
    Ended,
    NewTest,
    Outbox,
    Refused,
    Reply,
    Setup,
    Stop,
    TrafficCount,
    Warned,
    Work,
)
from lve.extensions.ray.worker_resources import WorkerResources, as_error
from lve.file_names import MODELS_FILE
from lve.files.new_files import write_new_file
from lve.pipeline.engine import Engine, Job
from lve.pipeline.preparing.preparation import Preparation
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.pipeline.threads import stop_checkers
from lve.sandbox.removal import remove_tree
from lve.sessions.instance_result import InstanceResult
from lve.settings.settings import Settings
from lve.spec.spec import Spec
from lve.workspace import Workspace

PREFIX = "lve-worker-"
"""Prefix of the name of a worker's folder, before the id of its process."""
COUNT_S = 0.2
"""Seconds between two reports of what a worker has sent to models."""


class Worker:
    """Runs the instances that a run sends."""

    def __init__(self, setup: Setup, send: Callable[[list[object]], None]) -> None:
        """Call it in the event loop's thread.

        Args:
            setup: options, settings and more, as the run has them.
            send: sends a batch of messages to the run.
        """
        _remove_abandoned()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self._outbox = Outbox(send, last=self._counted_since)
        self._numbers = count()
        self._asked: dict[int, asyncio.Future[object]] = {}
        self._tests: dict[int, NewTest] = {}
        self._files: dict[str, asyncio.Future[Path]] = {}
        """Hash of a test's files -> the root folder under which they lie."""
        self._counted: dict[str, Traffic] = {}
        options = replace(setup.options, state=self._folder)
        self.engine = Engine(
            Workspace(self._folder, self._settings(setup)),
            options,
            warn=self._warn,
            resources=WorkerResources(setup, self._ask, self._outbox.put),
        )
        self._advisory = _Advisory()
        statuses: Any = self._advisory
        self._preparation = Preparation(self.engine, warn=self._warn, statuses=statuses)
        self._tasks = [
            asyncio.ensure_future(self._count_often()),
            asyncio.ensure_future(self._wait_for_stop()),
        ]

    def receive(self, messages: list[object]) -> None:
        """Handle a batch of messages from the run."""
        for message in messages:
            self._handlers[type(message)](self, message)

    def add_files(self, key: str, content: bytes) -> None:
        """Write the files of a test to this machine. Its instances wait until they are there."""
        root = self._folder / key
        if not root.exists():
            unpack(content, root)
        future = self._files_of(key)
        if not future.done():
            future.set_result(root)

    async def close(self) -> None:
        """Give up everything, and remove the files."""
        for task in self._tasks:
            task.cancel()
        self.engine.cancel()
        stop_checkers()
        with suppress(Exception):
            await self.engine.join()
        with suppress(Exception):
            await self.engine.close()
        remove_tree(self._folder)

    def _settings(self, setup: Setup) -> Settings:
        """Return the run's settings, with the table of known models in a file of this machine."""
        if setup.known_models is None:
            return setup.settings
        write_new_file(self._folder, MODELS_FILE, setup.known_models)
        return setup.settings._replace(known_models=self._folder / MODELS_FILE)

    def _add_test(self, test: NewTest) -> None:
        os.environ.update(test.variables)
        self.engine.workspace.note_keys()  # also those of this test
        self._tests[test.number] = test
        self._advisory.of[test.spec.path] = test.advisory

    def _add_work(self, work: Work) -> None:
        test = self._tests[work.test]
        try:
            self.engine.prepare_model(test.model)
        except LveError as error:
            self._outbox.put(Refused(work.number, str(error)))
            return
        self.engine.add(test.model, self._jobs(test, work))

    def _jobs(self, test: NewTest, work: Work) -> Iterator[Job | WaitFor]:
        try:
            prepared = yield from self._prepared(test)
        except LveError as error:
            self._outbox.put(Refused(work.number, str(error)))
            return
        yield prepared, work.instance, work.repeat, partial(self._done, work.number)

    def _prepared(self, test: NewTest) -> Generator[WaitFor, None, PreparedTest]:
        root = self._files_of(test.files)
        if not root.done():
            yield WaitFor(asyncio.ensure_future(self.engine.stop_signal.wait(root)))
        spec = moved(test.spec, root.result())
        return (yield from self._preparation.shared(spec, test.model, lambda prepared: None))

    def _warn(self, text: str) -> None:
        self._outbox.put(Warned(text))

    def _done(self, number: int, result: InstanceResult) -> None:
        self._outbox.put(Done(number, result))

    def _answered(self, reply: Reply) -> None:
        waiting = self._asked.pop(reply.number, None)
        if waiting is None or waiting.done():
            return
        if reply.problem is not None:
            waiting.set_exception(as_error(reply.problem))
        else:
            waiting.set_result(reply.answer)

    async def _ask(self, content: object) -> Any:
        number = next(self._numbers)
        waiting = self._asked[number] = asyncio.get_running_loop().create_future()
        self._outbox.put(Call(number, content))
        try:
            return await waiting
        finally:
            self._asked.pop(number, None)

    async def _wait_for_stop(self) -> None:
        """Wait until the engine is stopped, and until the instances in flight have ended; report
        it."""
        with suppress(Stopped):
            await self.engine.stop_signal.wait(asyncio.get_running_loop().create_future())
        failure = None
        try:
            await self.engine.join()
        except Exception as error:  # reported to the run
            failure = str(error)
        reason = self.engine.stop_signal.reason or INTERRUPTED
        self._outbox.put(Ended(reason, failure or self.engine.stopped_by, self.engine.spent_role))
        self._outbox.flush()

    async def _count_often(self) -> None:
        """Report what was sent to models, even while there is no other message."""
        while True:
            await asyncio.sleep(COUNT_S)
            for message in self._counted_since():
                self._outbox.put(message)

    def _counted_since(self) -> Iterator[TrafficCount]:
        """Yield what was sent to each model since the last report."""
        for name, completer in self.engine.models.completers.items():
            now = replace(completer.traffic, failures=dict(completer.traffic.failures))
            since = _difference(now, self._counted.get(name, Traffic()))
            self._counted[name] = now
            if since is not None:
                yield TrafficCount(name, since)

    def _files_of(self, key: str) -> asyncio.Future[Path]:
        if key not in self._files:
            self._files[key] = asyncio.get_running_loop().create_future()
        return self._files[key]

    def _stop(self, message: Stop) -> None:
        self.engine.stop(message.reason)

    def _cancel(self, message: Cancel) -> None:
        self.engine.cancel()
        stop_checkers()

    _handlers: dict[type, Callable[..., None]] = {  # noqa: RUF012 (it never changes)
        NewTest: _add_test,
        Work: _add_work,
        Reply: _answered,
        Stop: _stop,
        Cancel: _cancel,
    }


class _Advisory:
    """The part of `CheckStatuses` that a worker needs, with what the run sends."""

    def __init__(self) -> None:
        self.of: dict[str, Collection[int]] = {}
        """Path of a test -> indexes of its advisory checks."""

    def advisory(self, spec: Spec) -> Collection[int]:
        return self.of[spec.path]


def forget_variables(names: Collection[str] = ()) -> None:
    """Remove the machine's own variables, which may be keys, from this process's environment.

    Args:
        kept: names of variables that stay, beside those that every program needs.
    """
    allowed = child_environment(os.environ, names)
    for name in set(os.environ) - set(allowed):
        del os.environ[name]


def _difference(now: Traffic, before: Traffic) -> Traffic | None:
    """Return the difference of two counts; None if there is none."""
    since = Traffic(last_failure=now.last_failure)
    kinds = {kind: n - before.failures.get(kind, 0) for kind, n in now.failures.items()}
    since.failures = {kind: n for kind, n in kinds.items() if n}
    for name in NUMBERS:
        setattr(since, name, getattr(now, name) - getattr(before, name))
    is_new = since.failures or any(getattr(since, name) for name in NUMBERS)
    return since if is_new else None


def _remove_abandoned() -> None:
    """Remove the folders of workers that were killed, but not what another user has named so."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        process = folder.name.removeprefix(PREFIX).partition("-")[0]
        with suppress(OSError, ValueError):
            is_own = not hasattr(os, "geteuid") or folder.lstat().st_uid == os.geteuid()
            if is_own and not _is_running(int(process)):
                remove_tree(folder)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
