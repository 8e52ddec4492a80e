"""A pytest session that is killed says what it was to run; `lve run --resume` goes on with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.forked import python
from support.pytest_runs import against, sessions, verdicts
from support.server import ModelServer, model_server

from lve.sessions.session_folder import SessionFolder

Write = Callable[..., Path]
COUNT = 30
PATIENCE_S = 60

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


@pytest.fixture
def _two(pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write_test("a", [("Paris", True)] * COUNT)
    write_test("b", [("Paris", True)] * COUNT, expect={"pass_rate": ">=0.5", "max_repeats": 1})
    monkeypatch.chdir(pytester.path)


def wait_for(what: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end, "it doesn't happen"
        time.sleep(0.02)


def kill_midway(server: ModelServer, root: Path, *more: str) -> None:
    """Run pytest and kill it, and with pytest-xdist its controller, when some results are there."""
    command = [*python(), "-m", "pytest", *against(server.url, "--lve-max-connections=2")]
    process = subprocess.Popen([*command, *more], cwd=root, stdout=subprocess.DEVNULL)

    def has_results() -> bool:
        assert process.poll() is None, "it wasn't killed in time"
        return any(file.stat().st_size for file in root.glob(".lve/runs/*/results*.jsonl"))

    wait_for(has_results)
    process.send_signal(signal.SIGKILL)
    process.wait()


def resume(server: ModelServer) -> dict[str, Any]:
    """Resume the session as soon as no process writes it any more; return its report."""
    words = ("--model", "openai/m", "--base-url", server.url, "--json")
    results = []

    def is_over() -> bool:
        results.append(lve("run", "--resume", "last", *words, code=None))
        return "being run by another process" not in str(results[-1].exception)

    wait_for(is_over)
    assert results[-1].exit_code == 0, results[-1].output
    found = json.loads(results[-1].stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.usefixtures("_two")
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["plain", "xdist"])
def test_a_killed_session_is_resumed(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    with model_server("Paris", latency_s=0.1) as server:
        kill_midway(server, pytester.path, *workers)
        (info,) = sessions(pytester)
        assert info["status"] == "running"
        assert [Path(path).parent.name for path in info["paths"]] == ["a", "b"]
        assert set(info["tests"]) == {"repository/a", "repository/b"}
        assert info["selected"] == []
        earlier = {result.id for result in SessionFolder.find(pytester.path / ".lve").results()}
        assert 0 < len(earlier) < 2 * COUNT
        report = resume(server)
    assert report["summary"]["instances"]["passed"] == 2 * COUNT
    assert report["summary"]["tests"]["passed"] == 2
    (info,) = sessions(pytester)
    assert info["status"] == "complete"
    assert len(verdicts(pytester, info["session"])) == 2 * COUNT
    assert not list(pytester.path.glob(".lve/runs/*/part-*")), "they are put together"
    assert not list(pytester.path.glob(".lve/runs/*/results-*"))


@pytest.mark.usefixtures("_two")
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["plain", "xdist"])
def test_a_killed_shard_goes_on_with_its_part(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    with model_server("Paris", latency_s=0.1) as server:
        kill_midway(server, pytester.path, *workers, "--lve-shard=1/2")
        part = resume(server)["summary"]["instances"]["passed"]
        pytester.runpytest(*against(server.url, "--lve-shard=2/2"))
    assert 0 < part < 2 * COUNT
    merged = lve("session", "merge", "last", "last~1")
    assert len(verdicts(pytester, merged.stdout.strip())) == 2 * COUNT


@pytest.mark.usefixtures("_two")
def test_only_what_was_selected_is_resumed(pytester: pytest.Pytester) -> None:
    words = " or ".join(f"jsonl[{n}]" for n in (2, 3, 5, 7, 11, 13, 17, 19))
    with model_server("Paris", latency_s=0.2) as server:
        kill_midway(server, pytester.path, "-k", words)
        (info,) = sessions(pytester)
        (selected,) = info["selected"]
        assert selected["test"] == "repository/a"
        resume(server)
    (info,) = sessions(pytester)
    found = {(test, line) for test, _, _, line, _, _ in verdicts(pytester, info["session"])}
    assert {test for test, _ in found} == {"repository/a"}
    assert sorted(line for _, line in found) == selected["instances"]["instances/instances.jsonl"]


def test_a_session_that_does_not_say_what_it_ran_is_not_marked_complete(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test("a")
    monkeypatch.chdir(pytester.path)
    pytester.runpytest("repository")
    (file,) = pytester.path.glob(".lve/runs/*/session.json")
    info = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**info, "paths": [], "status": "running"}), encoding="utf-8")
    result = lve("run", "--resume", "last", code=2)
    assert "doesn't say which tests it ran" in str(result.exception)
    assert sessions(pytester)[0]["status"] == "running"


@pytest.mark.usefixtures("_two")
def test_what_killed_workers_had_under_way_counts_for_the_budget(pytester: pytest.Pytester) -> None:
    price = "models: {openai/m: {price: {input: 1.0, output: 1.0}}}"
    (pytester.path / "lve.yaml").write_text(price)
    with model_server("Paris", latency_s=0.1) as server:
        kill_midway(server, pytester.path, "-n2", "--lve-budget=100")
        assert list(pytester.path.glob(".lve/runs/*/spent-gw*.json"))
        resume(server)
        sent = len(server.requests)
    (info,) = sessions(pytester)
    assert sent <= info["spent"]["requests"] <= sent + 4, "two workers, each with two under way"
    assert not list(pytester.path.glob(".lve/runs/*/spent*"))


@pytest.mark.usefixtures("_two")
@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_sigterm_ends_pytest_with_a_session_that_can_be_resumed(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    with model_server("Paris", latency_s=0.05) as server:
        options = against(server.url, "--lve-max-connections=2", *workers)
        command = [*python(), "-m", "pytest", *options]
        process = subprocess.Popen(
            command, cwd=pytester.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        wait_for(lambda: len(server.requests) > 4)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130, out
        assert sessions(pytester)[0]["status"] == "interrupted"
        resume(server)
        assert len(server.requests) <= 2 * COUNT + (4 if workers else 2)
    assert sessions(pytester)[0]["status"] == "complete"


@pytest.mark.parametrize("workers", [(), ("-n1",)])
def test_sigterm_keeps_its_meaning_where_there_are_no_tests_of_lve(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pid = "os.getppid()" if workers else "os.getpid()"
    pytester.makepyfile(
        "import os, signal, time\n\n"
        "def test_it():\n"
        f"    os.kill({pid}, signal.SIGTERM)\n"
        "    time.sleep(9)\n"
    )
    # A forked worker wouldn't be the controller's child.
    here = [sys.executable] if workers else python()
    done = subprocess.run([*here, "-m", "pytest", *workers], cwd=pytester.path, check=False)
    assert done.returncode == -signal.SIGTERM
