"""`lve run` that is interrupted, killed, or served badly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.folders import write_sums
from support.forked import python
from support.run_command import Run, at, document, instances, verdicts
from support.server import PATIENCE_S, ModelServer, model_server


def start(root: Path, server: ModelServer, *args: str) -> subprocess.Popen[str]:
    command = [*python(), "-m", "lve", "run", "t", *at(server), "-j", "4", *args]
    return subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_one_interrupt_lets_what_is_under_way_end(root: Path, run: Run) -> None:
    write_sums(root / "t", 60)
    with model_server(hold_until=5) as server:
        process = start(root, server)
        server.wait_for(4)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "Ctrl-C again" in process.stderr.readline()
        server.release()
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        assert "lve run --resume" in out
        assert len(server.requests) == 4
        assert len(verdicts(root)) == 4, "what was under way has its result"
        run("--resume", *at(server))
        assert len(server.requests) == 60
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 61)]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_two_interrupts_stop_now(root: Path, run: Run) -> None:
    write_sums(root / "t", 30)
    with model_server(latency_s=0.02, quick=9) as server:
        process = start(root, server)
        server.wait_for(9 + 4)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "Ctrl-C again" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        had = verdicts(root)
        assert len(had) >= 5
        asked = len(server.requests)
        server.behaviour.quick = 0
        run("--resume", *at(server))
        missing = 30 - len(had)
        # Up to 4 answers had arrived and were in the cache, their verdicts not yet written.
        assert missing - 4 <= len(server.requests) - asked <= missing
    assert len(verdicts(root)) == 30


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("after", [1, 10, 35])
def test_kill_9_loses_nothing_that_has_arrived(root: Path, run: Run, after: int) -> None:
    write_sums(root / "t", 60)
    with model_server(latency_s=0.005) as server:
        process = start(root, server)
        server.wait_for(after)
        process.kill()
        process.communicate()
        run("--resume", *at(server))
        # Asked for again: what was under way (4), and what was just being written (4 at most).
        assert len(server.requests) <= 60 + 4 + 4
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 61)]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_one_interrupt_waits_for_no_file_that_is_being_read(root: Path) -> None:
    folder = write_sums(root / "t", 0)
    document = json.loads((folder / "test.json").read_text())
    document["dataset"] = {"path": "rows.csv", "where": {"a": "none has it"}}
    (folder / "test.json").write_text(json.dumps(document))
    with (folder / "rows.csv").open("w") as file:
        file.write("a,b\n" + "1,2\n" * 20_000_000)  # half a minute and more
        file.flush()
        # Now, not when the session syncs its own files: a slow disk takes seconds for 80 MB.
        os.fsync(file.fileno())
    write_sums(root / "t" / "quick", 1)
    with model_server() as server:
        process = start(root, server)
        server.wait_for(1)
        time.sleep(0.5)
        assert process.poll() is None, "the rows were read already"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)  # reading takes longer
    assert process.returncode == 130


def test_faults_end_in_correct_verdicts(root: Path, run: Run) -> None:
    write_sums(root / "t", 60)
    kinds = ("429nohdr", "500", "503", "reset", "truncated", "empty", "null")
    with model_server(fail_rate=0.2, fail_kinds=kinds, fail_attempts=2) as server:
        result = run("t", *at(server), "--json")
    assert [one["verdict"] for one in instances(result)] == ["passed"] * 60
    assert document(result)["summary"]["failed_attempts"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("moment", ["import click", "import lve.pipeline.engine"])
def test_sigterm_before_anything_runs_ends_as_an_interrupt_does(root: Path, moment: str) -> None:
    """It comes while modules are imported: a hook sends it at that moment."""
    write_sums(root / "t", 3)
    sends = (
        "import os, signal, sys\n"
        "class Sender:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {moment.removeprefix('import ')!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Sender())\n"
        "from lve.__main__ import main\n"
        "sys.argv = ['lve', 'run', 't', '-m', 'dummy/dummy']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", sends], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_sigterm_under_way_leaves_a_session_that_can_be_resumed(root: Path, run: Run) -> None:
    write_sums(root / "t", 60)
    with model_server(hold_until=5) as server:
        process = start(root, server)
        server.wait_for(4)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert process.stderr.readline()
        server.release()
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        assert "lve run --resume" in out
        run("--resume", *at(server))
    assert len(verdicts(root)) == 60
