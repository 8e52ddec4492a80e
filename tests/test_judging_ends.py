"""Whatever a judgement does, its deadline holds and Ctrl-C ends the run: through every door.

A checker is planted that stalls in one call into C, where no signal gets in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_test
from support.forked import python

PLANTED = Path(__file__).parent / "support" / "planted_checker"
SOON_S = 20.0
"""It takes about one second, most of it Python's or pytest's own; the machine may be busy. Before,
none of this ended."""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A workspace. What is started in it minds SIGHUP, even if `nohup` started the tests."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield workspace(tmp_path / "work")
    signal.signal(signal.SIGHUP, before)


def planted(root: Path, checker: str, *answers: str) -> Path:
    """Write a test whose recorded answers these are."""
    args = {"checker_name": checker, "marker": str(root / "judging")}
    lines = [{"args": {}, "response": answer, "passed": True} for answer in answers]
    return write_test(root / "t", checker_args=args, instances=lines)


def environment(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PLANTED), "LVE_TEST_ROOT": str(root)}


def command(*args: str) -> list[str]:
    return [*python(), "-m", *args]


def run(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*args),
        cwd=root,
        env=environment(root),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def start(root: Path) -> Iterator[Any]:
    started = []

    def begin(*args: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command(*args), cwd=root, env=environment(root), stdout=pipe, stderr=pipe, text=True
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def interrupt(process: subprocess.Popen[str], root: Path, kind: int) -> tuple[str, str, float]:
    """Send a signal to a process that stalls; return its output and how long it took to end."""
    wait_for_judging(process, root)
    time.sleep(0.3)
    sent = time.monotonic()
    process.send_signal(kind)
    out, err = process.communicate(timeout=60)
    return out, err, time.monotonic() - sent


def wait_for_judging(process: subprocess.Popen[str], root: Path) -> None:
    until = time.monotonic() + 60
    while not (root / "judging").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)


def verdicts(root: Path) -> list[tuple[int, str, str]]:
    results = next((root / ".lve/runs").iterdir()) / "results.jsonl"
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    return sorted((one["line"], one["verdict"], one["reason"]) for one in lines)


def test_a_deadline_holds_and_the_other_instances_go_on(root: Path) -> None:
    planted(root, "ImpatientChecker", "a", "stall", "b", "memory", "c", "exit", "d")
    ended = run(root, "lve", "run", "t", "--model", "replay")
    assert ended.returncode == 3, ended.stderr
    assert [line for line, verdict, _ in verdicts(root) if verdict == "passed"] == [1, 3, 5, 7]
    reasons = [reason for _, verdict, reason in verdicts(root) if verdict == "error"]
    late = "ImpatientChecker: judging this answer took longer than 0.5 s and was stopped"
    assert reasons[0] == late
    if sys.platform == "linux":
        assert reasons[1] == (
            "ImpatientChecker: judging this answer takes too much memory (more than 2 GB)"
        )
    assert reasons[2].endswith("judging this answer ended its process (exit code 3)")


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_a_run_that_stalls_and_it_can_be_resumed(
    root: Path, start: Any, kind: int
) -> None:
    planted(root, "StallingChecker", "a", "stall", "b")
    process = start("lve", "run", "t", "--model", "replay", "-j", "1")
    out, err, seconds = interrupt(process, root, kind)
    assert seconds < SOON_S
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "lve run --resume" in out
    assert all(verdict == "passed" for _, verdict, _ in verdicts(root))
    planted(root, "StallingChecker", "a", "a", "b")
    assert run(root, "lve", "run", "--resume").returncode == 0
    assert [line for line, _, _ in verdicts(root)] == [1, 2, 3]


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_begins_none_of_the_judgements_that_wait(
    root: Path, start: Any, kind: int
) -> None:
    planted(root, "StallingChecker", *["stall"] * 4)
    process = start("lve", "run", "t", "--model", "replay")
    _, err, seconds = interrupt(process, root, kind)
    assert seconds < SOON_S
    assert (process.returncode, "Traceback" in err) == (130, False), err


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_two_interrupts_end_what_nothing_gets_into(root: Path, start: Any, kind: int) -> None:
    planted(root, "LyingChecker", "a", "stall", "b")
    process = start("lve", "run", "t", "--model", "replay", "-j", "1")
    process_told_once(process, root, kind)
    _, _, seconds = interrupt(process, root, kind)
    assert seconds < SOON_S
    assert process.returncode == -signal.SIGKILL
    assert [line for line, _, _ in verdicts(root)] == [1]
    planted(root, "LyingChecker", "a", "a", "b")
    assert run(root, "lve", "run", "--resume").returncode == 0
    assert [line for line, _, _ in verdicts(root)] == [1, 2, 3]
    assert_no_process_is_left(root)


def process_told_once(process: subprocess.Popen[str], root: Path, kind: int) -> None:
    wait_for_judging(process, root)
    process.send_signal(kind)
    time.sleep(0.5)
    assert process.poll() is None


def assert_no_process_is_left(root: Path) -> None:
    """What was started for a run has its marker in its environment."""
    until = time.monotonic() + SOON_S
    while left := processes_with(f"LVE_TEST_ROOT={root}".encode()):
        assert time.monotonic() < until, left
        time.sleep(0.05)


def processes_with(variable: bytes) -> list[str]:
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):  # none but on Linux
        with suppress(OSError):
            if variable in environ.read_bytes().split(b"\0"):
                found.append(environ.parent.name)
    return found


@pytest.mark.parametrize("more", [[], ["-n", "1"]])
def test_an_interrupt_ends_pytest(root: Path, start: Any, more: list[str]) -> None:
    if more:
        pytest.importorskip("xdist")
    planted(root, "StallingChecker", "stall")
    process = start("pytest", "t", "--lve-model", "replay", "-p", "no:cacheprovider", *more)
    out, _, seconds = interrupt(process, root, signal.SIGINT)
    assert seconds < SOON_S + (20 if more else 0), "xdist itself takes ten seconds"
    assert process.returncode == pytest.ExitCode.INTERRUPTED, out


@pytest.mark.parametrize("verb", ["check", "score"])
def test_an_interrupt_ends_other_verbs(root: Path, start: Any, verb: str) -> None:
    planted(root, "StallingChecker", "a")
    run(root, "lve", "run", "t", "--model", "replay")
    (root / "judging").unlink()
    if verb == "score":
        results = next((root / ".lve/runs").iterdir()) / "results.jsonl"
        results.write_text(results.read_text().replace('"a"', '"stall"'))
        process = start("lve", "score", "last")
    else:
        document = json.loads((root / "t/test.json").read_text())
        document["examples"] = [{"response": "stall", "verdict": "passed"}]
        (root / "t/test.json").write_text(json.dumps(document))
        process = start("lve", "check", "t")
    out, err, seconds = interrupt(process, root, signal.SIGINT)
    assert seconds < SOON_S
    assert process.returncode == 130, (out, err)
    assert "Traceback" not in err


def test_a_deadline_holds_in_lve_check(root: Path) -> None:
    planted(root, "ImpatientChecker", "a")
    document = json.loads((root / "t/test.json").read_text())
    document["examples"] = [
        {"response": answer, "verdict": "passed"} for answer in ("stall", "fine")
    ]
    (root / "t/test.json").write_text(json.dumps(document))
    ended = run(root, "lve", "check", "t")
    assert ended.returncode == 2, ended.stderr
    said = ended.stdout + ended.stderr
    assert said.count("took longer than 0.5 s") == 1


def test_a_deadline_holds_in_any_thread_of_a_program(root: Path) -> None:
    planted(root, "ImpatientChecker", "a", "stall", "b")
    program = (
        "import lve, threading\n"
        "def main():\n"
        "    results = lve.run('t', model='replay').results\n"
        "    print(sorted(one.verdict for one in results))\n"
        "thread = threading.Thread(target=main)\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    (root / "program.py").write_text(program)
    ended = run(root, "program")
    assert ended.stdout == "['error', 'passed', 'passed']\n", ended.stderr


def test_a_process_that_ends_again_and_again_is_given_up(root: Path) -> None:
    planted(root, "ImpatientChecker", *["exit"] * 5)
    run(root, "lve", "run", "t", "--model", "replay", "-j", "1")
    reasons = [reason for _, _, reason in verdicts(root)]
    assert sum("not run any more" in reason for reason in reasons) == 2


def test_checkers_with_a_model_share_a_process_that_can_be_ended(root: Path) -> None:
    args = {"checker_name": "ModelChecker", "marker": str(root / "judging")}
    for name, answers in (("a", ["secret"]), ("b", ["stall", "my secret"])):
        lines = [{"args": {}, "response": answer} for answer in answers]
        write_test(root / name, checker_args=args, instances=lines)
    ended = run(root, "lve", "run", "a", "b", "--model", "replay", "-j", "1")
    assert ended.returncode == 3, ended.stderr
    results = (next((root / ".lve/runs").iterdir()) / "results.jsonl").read_text()
    assert "my ***" in results
    assert "secret" not in results
    assert sorted(verdict for _, verdict, _ in verdicts(root)) == ["error", "passed", "passed"]
    assert len(list(root.glob("judging.*"))) == 2, "one process, and one after it was ended"


def test_a_model_that_is_missing_skips_the_test(root: Path) -> None:
    args = {"checker_name": "ModelChecker", "marker": ""}
    write_test(root / "t", checker_args=args, instances=[{"args": {}, "response": "a"}])
    ended = run(root, "lve", "run", "t", "--model", "replay")
    assert "the model is not here" in ended.stdout + ended.stderr


@pytest.mark.parametrize("door", ["run", "pytest"])
def test_a_model_that_takes_long_to_load_holds_up_nothing_else(
    root: Path, start: Any, door: str
) -> None:
    planted(root, "LoadingChecker", "a")
    write_test(root / "z", instances=[{"args": {}, "response": "Hello", "passed": True}])
    run_command = ("lve", "run", "t", "z", "--model", "replay")
    test_command = ("pytest", "t", "z", "--lve-model", "replay", "-p", "no:cacheprovider")
    process = start(*(run_command if door == "run" else test_command))
    _, err, seconds = interrupt(process, root, signal.SIGINT)
    assert seconds < SOON_S
    assert process.returncode == (130 if door == "run" else pytest.ExitCode.INTERRUPTED), err
    assert "Traceback" not in err
    assert [verdict for _, verdict, _ in verdicts(root)] == ["passed"]
