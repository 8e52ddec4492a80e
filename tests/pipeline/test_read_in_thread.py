"""A test with very many rows keeps nobody waiting."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from support.folders import workspace, write_sums

from lve.execution.stop import StopSignal
from lve.execution.workers import WaitFor, WorkerPool
from lve.options.run_options import RunOptions
from lve.pipeline import threads
from lve.pipeline.run import run_tests
from lve.pipeline.threads import read_in_thread


def slow(count: int, pause_s: float = 0.05) -> Iterator[int]:
    """Count, with a pause before each number that doesn't let go by itself."""
    for number in range(count):
        time.sleep(pause_s)
        yield number


async def longest_pause(work: asyncio.Task[None]) -> float:
    """Return how long the loop was held at most while work is done, in seconds."""
    longest, last = 0.0, time.monotonic()
    while not work.done():
        await asyncio.sleep(0.001)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    work.result()
    return longest


def test_the_loop_turns_and_others_go_on() -> None:
    done: list[object] = []

    def execute(items: Sequence[object]) -> tuple[int, None]:
        done.extend(items)
        return len(items), None

    async def run() -> float:
        stop_signal = StopSignal()
        pool = WorkerPool[object](execute, width=2, stop_signal=stop_signal)
        pool.add(read_in_thread(slow(20), stop_signal))
        pool.add(iter("abc"))
        return await longest_pause(asyncio.ensure_future(pool.join()))

    assert asyncio.run(run()) < 0.5
    assert [item for item in done if isinstance(item, int)] == [*range(20)]
    assert set("abc") <= set(done[:4])


def test_what_came_before_an_error_is_kept() -> None:
    def failing() -> Iterator[int]:
        yield from range(3)
        raise ValueError("torn")

    found: list[object] = []

    async def run() -> None:
        for item in read_in_thread(failing(), StopSignal()):
            if isinstance(item, WaitFor):
                await item.until
            else:
                found.append(item)

    with pytest.raises(ValueError, match="torn"):
        asyncio.run(run())
    assert found == [0, 1, 2]


def test_the_next_rows_are_read_while_others_are_worked_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "BATCH", 1)
    is_second_taken = threading.Event()

    def numbers() -> Iterator[int]:
        yield 1
        is_second_taken.set()
        yield 2

    async def run() -> bool:
        rows = read_in_thread(numbers(), StopSignal())
        while isinstance(found := next(rows), WaitFor):
            await found.until
        assert found == 1
        return await asyncio.to_thread(is_second_taken.wait, 30)

    assert asyncio.run(run())


@pytest.mark.parametrize("how", ["stopped", "cancelled"])
def test_who_gives_up_doesnt_wait_for_a_row(how: str) -> None:
    async def run() -> float:
        stop_signal = StopSignal()
        pool = WorkerPool[object](lambda _: asyncio.sleep(0), width=2, stop_signal=stop_signal)
        pool.add(read_in_thread(slow(1, pause_s=5), stop_signal))
        give_up = partial(stop_signal.set, "interrupted") if how == "stopped" else pool.cancel
        asyncio.get_running_loop().call_later(0.1, give_up)
        started = time.monotonic()
        await pool.join()
        return time.monotonic() - started

    assert asyncio.run(run()) < 3


def test_a_session_goes_on_while_broken_lines_are_read(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    folder = write_sums(root / "broken", 1)
    document = json.loads((folder / "test.json").read_text())
    document |= {"dataset": "rows.jsonl", "model": "dummy/dummy"}
    (folder / "test.json").write_text(json.dumps(document))
    (folder / "rows.jsonl").write_text("{\n" * 150_000)

    async def run() -> float:
        async def tests() -> None:
            options = RunOptions(keep=False)
            await run_tests([folder, folder.parent], options, warn=lambda _: None)

        return await longest_pause(asyncio.ensure_future(tests()))

    # Explaining the first thousand, and a slow machine, included; it was five seconds.
    assert asyncio.run(run()) < 2
