"""The death of Ray's own processes, with a real cluster of this machine: a sentence and exit code 3
on the command line, an error from Python; what is done is kept, and nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from support.folders import workspace, write_sums
from support.packages import needs
from support.server import model_server, sum_or_echo

pytestmark = [
    needs("ray"),
    pytest.mark.skipif(sys.platform != "linux", reason="Linux ends and adopts processes"),
]
ROWS = 40
SENTENCE = "Ray has ended the run, because its raylet or an agent died"
FROM_PYTHON = """
import subprocess, lve
mine = subprocess.Popen(["sleep", "300"])
try:
    lve.run("sums", ray="local", max_connections=1)
except lve.LveError as error:
    print(f"{type(error).__name__}: {error}")
assert mine.poll() is None, "the script's own children live"
mine.kill()
print("the script goes on")
"""
DOORS = {
    "command line": ["-m", "lve", "run", "sums", "--ray", "local", "--max-connections", "1"],
    "Python": ["-c", FROM_PYTHON],
}
VICTIMS = {"raylet": "raylet/raylet", "agent": "ray::DashboardAgent"}
BOTH = "LVE_FUZZ_INPUTS" in os.environ
CASES = [(door, name) for door in DOORS for name in VICTIMS if BOTH or name == "agent"]


def below(pid: int) -> list[int]:
    """Return all processes that a process has started, directly or not."""
    try:
        threads = [*Path(f"/proc/{pid}/task").iterdir()]
        children = [int(c) for t in threads for c in (t / "children").read_text().split()]
    except OSError:
        return []
    return [*children, *(further for child in children for further in below(child))]


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def wait_until(is_so: Callable[[], object], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 240
    while not is_so():
        if process.poll() is not None:
            out, err = process.communicate()
            if "no such cluster can be used" in out + err:
                pytest.skip("Ray didn't start in its time on this busy machine")
            raise AssertionError((out, err))
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize(("door", "victim"), CASES)
def test_what_dies_is_said_and_nothing_is_lost(door: str, victim: str, tmp_path: Path) -> None:
    root = workspace(tmp_path / "w")
    write_sums(root / "sums", ROWS, model="openai/test")
    journal: list[Path] = []

    def results() -> int:
        journal[:] = root.glob(".lve/runs/*/results.jsonl")
        return sum(path.read_text(encoding="utf-8").count("\n") for path in journal)

    with model_server(sum_or_echo, latency_s=0.5) as server:
        (root / "lve.yaml").write_text(
            f"models: {{openai/test: {{base_url: '{server.url}'}}}}\n", encoding="utf-8"
        )
        process = subprocess.Popen(
            [sys.executable, *DOORS[door]],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            wait_until(lambda: results() >= 2, process)
        except BaseException:
            for pid in (process.pid, *below(process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            raise
        started = below(process.pid)
        [pid] = [pid for pid in started if VICTIMS[victim] in command(pid)]
        os.kill(pid, signal.SIGKILL)
        out, err = process.communicate(timeout=240)
        assert SENTENCE in out + err
        if door == "Python":
            assert (process.returncode, "SessionError: " in out) == (0, True), (out, err)
            assert "the script goes on" in out
        else:
            assert process.returncode == 3
        left = [one for one in started if command(one) and "multiprocessing" not in command(one)]
        assert left == []
        assert 2 <= (done := results()) < ROWS
        asked = len(server.requests)
        resumed = subprocess.run(
            [sys.executable, "-m", "lve", "run", "--resume", "last", "--ray=off", "--json"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        counts = json.loads(resumed.stdout)["summary"]["instances"]
        assert counts["passed"] == ROWS, resumed.stderr
        assert len(server.requests) - asked <= ROWS - done
