"""What `lve report` takes: seconds, memory and size of each kind of file.

    python benchmarks/reports.py [RESULTS ...]

A session of that many results, in 40 tests against 3 models, is made up: each has a prompt and an
answer of 300 characters. Every file is written by a process of its own. The memory is its peak.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.reporting.files.outputs import WRITERS
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests

TESTS, MODELS = 40, 3
TEXT = "word " * 60


def main(counts: list[int]) -> None:
    """Measure and print a table."""
    print(f"{'results':>9} {'file':9} {'seconds':>8} {'CPU':>6} {'peak MB':>8} {'file MB':>8}")
    with tempfile.TemporaryDirectory() as place:
        for count in counts:
            state = Path(place) / str(count)
            make_session(state, count)
            for suffix in WRITERS:
                row(state, count, suffix)


def make_session(state: Path, count: int) -> None:
    """Make up a session."""
    folder = SessionFolder.create(
        state, {"options": {}, "models": ["openai/m0", "openai/m1", "openai/m2"]}
    )
    pairs = [(f"repository/t{t}", f"openai/m{m}") for t in range(TESTS) for m in range(MODELS)]
    append_tests(folder.path, [SessionTest(*pair) for pair in pairs])
    journal = folder.open_journal()
    for number in range(count):
        test, model = pairs[number % len(pairs)]
        journal.append(result(test, model, number // len(pairs) + 1, number))
    journal.close()
    folder.end("complete")


def result(test: str, model: str, line: int, number: int) -> InstanceResult:
    """Return a result; one in ten has failed."""
    answer = f"{number} {TEXT}"
    transcript = Transcript(
        (Message(f"{line} {TEXT}"), Message(answer, Role.assistant, "response")),
        (Completion(answer, "stop", Usage(60, 60), 0.2, model="m-1"),),
        filled=(1,),
    )
    return InstanceResult(
        test=test,
        model=model,
        source="instances/x.jsonl",
        line=line,
        repeat=0,
        args={"name": f"Ann {line}"},
        verdict="passed" if number % 10 else "failed",
        reason=f"expected {line}, found {number}",
        responses=(answer,),
        transcripts=(transcript,),
        usage=Usage(60, 60),
        cost=0.001,
        latency_s=0.2,
    )


def row(state: Path, count: int, suffix: str) -> None:
    """Write a file and print what that took."""
    file = state / f"report{suffix}"
    started = time.perf_counter()
    command = ["-m", "lve", "report", "--session-dir", str(state), "-o", str(file)]
    process = subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        print(f"{count:9,} {suffix:9} failed")
        return
    cpu, peak, size = (
        used.ru_utime + used.ru_stime,
        used.ru_maxrss / 1024,
        file.stat().st_size / 1e6,
    )
    print(f"{count:9,} {suffix:9} {seconds:8.2f} {cpu:6.2f} {peak:8.0f} {size:8.1f}")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [1000, 100_000])
