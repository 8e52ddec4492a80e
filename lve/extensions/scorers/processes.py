"""Parts of `multiprocessing` that go without shared memory, which the sandbox denies.

`host.py` runs this file. Evaluators of upstream that run programs use them: a queue, a list of a
manager, a pool. Here each is a pipe; a pool is a process for each call, one after the other.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import multiprocessing.pool
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Value = Any
"""What programs hand over."""


class PipeQueue:
    """A queue from processes to the one that has made it."""

    def __init__(self, maxsize: int = 0) -> None:
        self._reader, self._writer = multiprocessing.Pipe(duplex=False)

    def put(self, value: Value) -> None:
        """Add a value."""
        self._writer.send(value)

    def empty(self) -> bool:
        """Return whether there is no value now."""
        return not self._reader.poll()

    def get(self, block: bool = True, timeout: float | None = None) -> Value:
        """Return the next value; raise EOFError if none comes in time."""
        if not self._reader.poll(timeout if block else 0):
            raise EOFError("the queue is empty")
        return self._reader.recv()

    def get_nowait(self) -> Value:
        """Return the next value; raise EOFError if there is none."""
        return self.get(block=False)

    put_nowait = put


class PipeList(list[Value]):
    """A list to which processes append; the one that has made it sees what they have."""

    def __init__(self, values: Iterable[Value] = ()) -> None:
        super().__init__(values)
        self._queue = PipeQueue()

    def append(self, value: Value) -> None:
        """Add a value."""
        self._queue.put(value)

    def _seen(self) -> None:
        while not self._queue.empty():
            super().append(self._queue.get())

    def __len__(self) -> int:
        self._seen()
        return super().__len__()

    def __iter__(self) -> Iterator[Value]:
        self._seen()
        return super().__iter__()

    def __getitem__(self, place: Value) -> Value:
        self._seen()
        return super().__getitem__(place)


class Manager:
    """Makes lists."""

    def list(self, values: Iterable[Value] = ()) -> PipeList:
        """Return a list to which processes append."""
        return PipeList(values)

    def __enter__(self) -> Manager:
        return self

    def __exit__(self, *error: object) -> None:
        return


class Executor(concurrent.futures.Executor):
    """Runs each call in a process of its own, at once."""

    def __init__(self, *limits: Value, **options: Value) -> None:
        return

    def submit(
        self, call: Callable[..., Value], /, *values: Value, **options: Value
    ) -> concurrent.futures.Future[Value]:
        """Return what the call gives, or the error it raises."""
        future = concurrent.futures.Future[Value]()
        reader, writer = multiprocessing.Pipe(duplex=False)
        arguments = (writer, call, values, options)
        process = multiprocessing.get_context("fork").Process(target=_run, args=arguments)
        process.start()
        writer.close()
        try:
            is_error, value = reader.recv()
        except EOFError:
            is_error, value = True, RuntimeError("the process has ended without a result")
        process.join()
        (future.set_exception if is_error else future.set_result)(value)
        return future


def _run(writer: Value, call: Callable[..., Value], values: Value, options: Value) -> None:
    try:
        said = False, call(*values, **options)
    except BaseException as error:
        said = True, RuntimeError(f"{type(error).__name__}: {error}")
    writer.send(said)


class Pool:
    """Maps a function, each call in a process of its own."""

    def __init__(self, *limits: Value, **options: Value) -> None:
        self._executor = Executor()

    def map(self, call: Callable[..., Value], values: Iterable[Value]) -> list[Value]:
        """Return the result of each value."""
        return list(self._executor.map(call, values))

    imap = map

    def close(self) -> None:
        """Do nothing."""

    join = terminate = close

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        return


def install() -> None:
    """Put them in the places of those that need shared memory."""
    for module, name, kind in (
        (multiprocessing, "Queue", PipeQueue),
        (multiprocessing, "Manager", Manager),
        (multiprocessing, "Pool", Pool),
        (multiprocessing.pool, "Pool", Pool),
        (concurrent.futures, "ProcessPoolExecutor", Executor),
    ):
        setattr(module, name, kind)
