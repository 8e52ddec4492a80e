"""Processes that answer for a target."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from lve.errors import PermanentModelError
from lve.extensions.targets.workers import Command, Workers, printed_by
from lve.settings.trusted_file import CodeRights

FREE = CodeRights(sandbox=None, memory_bytes=None)


def command(folder: Path, source: str, *, lines: bool = False) -> Command:
    return Command([sys.executable, "-c", source], folder, FREE, is_long_lived=lines)


def test_requests_wait_for_a_free_process(tmp_path: Path) -> None:
    source = "import os, sys\nfor line in sys.stdin: print(os.getpid(), flush=True)"

    async def ask() -> list[str]:
        workers = Workers(command(tmp_path, source, lines=True), 2, "it")
        answers = await asyncio.gather(*[workers.ask("x", 20) for _ in range(8)])
        await workers.close()
        return answers

    assert len(set(asyncio.run(ask()))) == 2


def test_closing_ends_what_is_in_flight(tmp_path: Path) -> None:
    async def ask() -> float:
        workers = Workers(command(tmp_path, "import time; time.sleep(100)"), 1, "it")
        asking = asyncio.ensure_future(workers.ask("x", 200))
        await asyncio.sleep(0.5)
        begun = time.monotonic()
        await workers.close()
        with pytest.raises(PermanentModelError):
            await asking
        return time.monotonic() - begun

    assert asyncio.run(ask()) < 10


def test_a_command_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = Command(["no-such-program-1"], tmp_path, FREE)
    with pytest.raises(
        PermanentModelError, match=r"can't be started: No such file.*no-such-program"
    ):
        printed_by(missing, "it", 10)


def test_what_a_command_prints_last_is_kept(tmp_path: Path) -> None:
    source = "import sys\nfor n in range(5000): print('line', n, file=sys.stderr)\nsys.exit(2)"
    with pytest.raises(PermanentModelError, match=r"exit code 2.*line 4999"):
        printed_by(command(tmp_path, source), "it", 10)


def test_no_key_in_what_it_prints_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_SECRET_KEY", "abcdefghijklmnopqrst")
    source = "import sys; sys.exit('bad key abcdefghijklmnopqrst')"
    with pytest.raises(PermanentModelError, match="bad key") as error:
        printed_by(command(tmp_path, source), "it", 10)
    assert "abcdefgh" not in str(error.value)


def test_it_gets_no_more_of_the_environment_than_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_SECRET_KEY", "abcdefghijklmnopqrst")
    source = "import os; print(os.environ.get('APP_SECRET_KEY'), bool(os.environ.get('PATH')))"
    assert printed_by(command(tmp_path, source), "it", 10).split() == ["None", "True"]


def test_what_a_long_lived_command_started_ends_with_it(tmp_path: Path) -> None:
    source = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n"
        "for line in sys.stdin: print(child.pid, flush=True)"
    )

    async def ask() -> int:
        workers = Workers(command(tmp_path, source, lines=True), 1, "it")
        pid = int(await workers.ask("x", 20))
        await workers.close()
        return pid

    assert has_ended(asyncio.run(ask()))


def test_a_request_that_nobody_waits_for_ends_its_process(tmp_path: Path) -> None:
    source = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\n"

    async def ask() -> bool:
        workers = Workers(command(tmp_path, source + "time.sleep(100)"), 1, "it")
        asking = asyncio.ensure_future(workers.ask("x", 200))
        while not pid_in(tmp_path):  # noqa: ASYNC110 (no event tells)
            await asyncio.sleep(0.02)
        asking.cancel()
        await asyncio.wait({asking})
        ended = await asyncio.to_thread(has_ended, pid_in(tmp_path))
        await workers.close()
        return ended

    assert asyncio.run(ask())


def pid_in(folder: Path) -> int:
    """Return the number in the file `pid`; 0 if it isn't there yet."""
    file = folder / "pid"
    return int(file.read_text("utf-8") or 0) if file.exists() else 0


def has_ended(pid: int) -> bool:
    """Return whether a process ends within some seconds."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if "Z" in Path(f"/proc/{pid}/stat").read_text("utf-8").split()[2]:
            return True
        time.sleep(0.05)
    return False


def test_who_is_cancelled_while_waiting_takes_no_process_away(tmp_path: Path) -> None:
    source = "import sys, time\nfor line in sys.stdin: time.sleep(0.2); print('a', flush=True)"

    async def ask() -> str:
        workers = Workers(command(tmp_path, source, lines=True), 1, "it")
        first = asyncio.ensure_future(workers.ask("x", 20))
        await asyncio.sleep(0)
        second, third = (asyncio.ensure_future(workers.ask("x", 20)) for _ in range(2))
        first.add_done_callback(lambda _: second.cancel())  # just when it gets the process
        answer = await asyncio.wait_for(third, 15)
        await workers.close()
        return answer

    assert asyncio.run(ask()) == "a\n"
