"""Runs on workers give what they give without: also when workers die, and with judges, repeats and
several dialects."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from extensions.ray.cluster import LocalLauncher, cluster_of
from support.command_line import call
from support.folders import workspace, write_dataset_test, write_sums, write_test
from support.judges import yes
from support.openai_answers import sum_or_echo
from support.server import Answer, Received, model_server

import lve
from lve.errors import SessionError, UsageError
from lve.extensions.ray.connections import WorkerLostError
from lve.extensions.ray.messages import NewTest
from lve.extensions.ray.worker import Worker
from lve.pipeline.result import RunResult

CODE = """
from lve import Verdict

class C:
    def check(self, context):
        word = context.response
        return Verdict("passed" if len(word) % 2 else "failed", f"{word} has {len(word)}")
"""
ALL = "LVE_FUZZ_INPUTS" in os.environ
"""Whether workers are killed at all random times: in `make fuzz`."""
VARYING = ("latency_s", "time", "cached", "usage", "cost")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-run")


def words(root: Path, number: int, **document: Any) -> Path:
    """Write a test of recorded answers with code of its own."""
    lines = [{"args": {"n": n}, "response": "x" * (n % 7 + 1)} for n in range(number)]
    folder = write_test(
        root / "words",
        prompt=[{"role": "user", "content": "Say {n}."}],
        prompt_parameters=["n"],
        checker_args={"checker_name": "C"},
        instances=lines,
        **document,
    )
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(CODE, encoding="utf-8")
    return folder


def rows(result: RunResult) -> list[dict[str, Any]]:
    """Return what the journal says, without what differs from run to run."""
    assert result.folder is not None
    text = (result.folder.path / "results.jsonl").read_text(encoding="utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    kept = [without(one, VARYING) for one in found]
    return sorted(kept, key=lambda one: (one["test"], one["line"], one["repeat"]))


def without(value: Any, names: tuple[str, ...]) -> Any:
    """Return a value without all keys of these names."""
    if isinstance(value, list):
        return [without(one, names) for one in value]
    if isinstance(value, dict):
        return {key: without(one, names) for key, one in value.items() if key not in names}
    return value


def run(root: Path, *, ray: str | None = "local", state: str = "a", **options: Any) -> RunResult:
    return lve.run(str(root), state=root / state, ray=ray, **options)


def test_recorded_answers_are_judged_as_here(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    words(root, 60)
    options = {"model": "replay", "trust": True}
    with cluster_of(LocalLauncher(3)) as launcher:
        there = run(root, state="b", **options)
    assert rows(there) == rows(run(root, ray=None, **options))
    assert len(launcher.connections) == 3
    assert all(
        any(type(m).__name__ == "Done" for m in connection.said)
        for connection in launcher.connections
    )


def judged(request: Received) -> Answer:
    return yes() if request.json["model"] == "judge" else sum_or_echo(request)


def test_all_dialects_and_a_judge(tmp_path: Path) -> None:
    root = workspace(
        tmp_path, "roles: {judge: openai/judge}\nmodels: {openai/judge: {base_url: URL}}\n"
    )
    write_sums(root / "sums", 12)
    write_dataset_test(
        root / "rows",
        [{"question": f"{n} + 2", "answer": str(n + 2)} for n in range(6)],
        reader_cfg={"input_columns": ["question"], "output_column": "answer"},
        prompt_template={"type": "PromptTemplate", "template": "Compute {question}"},
        retriever={"type": "ZeroRetriever"},
        inferencer={"type": "GenInferencer"},
    )
    write_test(
        root / "turns",
        prompt=[
            {"role": "user", "content": "One?"},
            {"role": "assistant", "content": None, "variable": "first"},
            {"role": "user", "content": "Two?"},
        ],
        checker_args=None,
        check={"contains": "Two"},
        instances=[{"args": {}}],
        repeats=3,
    )
    write_test(
        root / "rated",
        checker_args=None,
        check={"judge": "It is polite."},
        instances=[{"args": {}}],
    )
    with model_server(judged) as server:
        settings = root / "lve.yaml"
        settings.write_text(settings.read_text().replace("URL", server.url))
        options = {"model": "openai/test", "base_url": server.url}
        with cluster_of(LocalLauncher(2)):
            there = run(root, state="b", **options)
        here = run(root, ray=None, **options)
    assert rows(there) == rows(here)
    assert len(rows(here)) > 15
    assert there.requests == here.requests


@pytest.mark.parametrize("seed", range(20 if ALL else 4))
def test_whatever_dies_nothing_is_lost_and_what_arrived_is_not_asked_again(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine, one instance may meet five of these kills, which aren't its fault.
    monkeypatch.setattr("lve.extensions.ray.cluster.MAX_LOST", 1000)
    root = workspace(tmp_path)
    write_sums(root / "sums", 80)
    options = {"model": "openai/test", "max_connections": 8}
    with model_server(latency_s=0.03) as server:
        here = run(root, ray=None, base_url=server.url, **options)
        before = len(server.requests)
        launcher = LocalLauncher(3, kill_every_s=0.12, seed=seed)
        with cluster_of(launcher):
            there = run(root, state="b", base_url=server.url, **options)
        asked = len(server.requests) - before
    assert rows(there) == rows(here)
    assert asked <= 80 + 4 * launcher.killed  # what was under way at a worker: 8 / 3 connections


def test_what_is_in_the_cache_of_the_run_is_not_asked_for(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 20)
    with model_server() as server:
        options = {"model": "openai/test", "base_url": server.url}
        run(root, ray=None, **options)
        with cluster_of(LocalLauncher(2)):
            again = run(root, **options)
        assert len(server.requests) == 20
    assert again.requests == 0
    assert again.summary.results()["passed"] == 20


@pytest.mark.parametrize("seed", range(3 if ALL else 1))
@pytest.mark.parametrize("kill_every_s", [0.0, 0.05])
def test_sixteen_workers_keep_to_one_budget(tmp_path: Path, seed: int, kill_every_s: float) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 300)
    faults = ["500", None, "429", None, None, "disconnect"] * 1000
    with (
        model_server(faults=faults) as server,
        cluster_of(LocalLauncher(16, kill_every_s=kill_every_s, seed=seed)),
    ):
        result = run(root, model="openai/test", base_url=server.url, max_requests=100)
        asked = len(server.requests)
    assert result.status == "budget"
    assert result.stopped_by is not None
    assert "100 of 100 requests" in result.stopped_by
    assert asked <= 100
    if not kill_every_s:
        assert asked == 100


def test_tokens_and_a_role_have_one_budget_too(tmp_path: Path) -> None:
    settings = (
        "roles: {judge: {model: openai/judge, max_requests: 7}}\n"
        "models: {openai/judge: {base_url: URL}}\n"
    )
    root = workspace(tmp_path, settings)
    lines = [{"args": {"n": n}} for n in range(40)]
    write_test(
        root / "rated",
        prompt=[{"role": "user", "content": "Say {n}."}],
        prompt_parameters=["n"],
        checker_args=None,
        check={"judge": "It is polite."},
        instances=lines,
    )
    with model_server("yes") as server, cluster_of(LocalLauncher(4)):
        (root / "lve.yaml").write_text(settings.replace("URL", server.url))
        result = run(root, model="openai/test", base_url=server.url)
        judged = [one for one in server.requests if one.json["model"] == "judge"]
    assert result.status == "budget"
    assert len(judged) == 7


def test_workers_keep_to_one_rate(tmp_path: Path) -> None:
    """Each request is compared with the beginning of the run: on a busy machine requests arrive
    late, and then together, but none arrives before the rate allows it."""
    root = workspace(tmp_path, "models: {openai/test: {requests_per_minute: 1200}}\n")
    write_sums(root / "sums", 80)
    times: list[float] = []

    def answer(request: Received) -> str:
        times.append(time.monotonic())
        return "4"

    with model_server(answer) as server, cluster_of(LocalLauncher(8)):
        began = time.monotonic()
        run(root, model="openai/test", base_url=server.url)
    assert len(times) == 80
    burst, per_second = 20, 20
    early = [n for n, at in enumerate(times, 1) if n > burst + 4 + per_second * (at - began)]
    assert early == []


def test_an_instance_that_ends_every_worker_is_an_error_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 6)
    launcher = LocalLauncher(1)
    launcher.ended_by = "line=3"
    with model_server() as server, cluster_of(launcher):
        result = run(root, model="openai/test", base_url=server.url, max_connections=1)
    found = rows(result)
    assert [one["verdict"] for one in found] == ["passed"] * 2 + ["error"] + ["passed"] * 3
    assert found[2]["error_kind"] == "worker_lost"
    assert "ended 5 workers" in found[2]["reason"]


def test_workers_that_end_as_soon_as_they_start_end_the_run_with_the_reason(
    tmp_path: Path,
) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 6)
    launcher = LocalLauncher(2)
    launcher.failures = [WorkerLostError("no memory") for _ in range(10)]
    with (
        cluster_of(launcher),
        pytest.raises(SessionError, match=r"as soon as they start .no memory"),
    ):
        run(root, model="dummy/dummy")


def test_a_machine_that_cannot_run_a_test_leaves_it_to_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    words(root, 8)
    monkeypatch.setattr(Worker, "add_files", _damaged)
    with cluster_of(LocalLauncher(2)), pytest.warns(match="runs on this machine"):
        result = run(root, model="replay", trust=True)
    assert sum(result.summary.results().values()) == 8
    assert {one["verdict"] for one in rows(result)} == {"passed", "failed"}


def _damaged(worker: Worker, key: str, content: bytes) -> None:
    real_add_files(worker, key, content)
    for file in worker.engine.workspace.root.rglob("checker.py"):
        file.unlink()


real_add_files = Worker.add_files


def test_a_test_that_only_this_machine_can_run_runs_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trust = "trust: [{path: words/checker/checker.py, sha256: SUM, env: [HOME]}]\n"
    root = workspace(tmp_path)
    folder = words(root, 10)
    from hashlib import sha256

    sum_ = sha256((folder / "checker" / "checker.py").read_bytes()).hexdigest()
    (root / "lve.yaml").write_text(trust.replace("SUM", sum_))
    with cluster_of(LocalLauncher(2)) as launcher:
        result = run(root, model="replay")
    assert result.summary.results()["passed"] > 0
    assert not any(isinstance(one, NewTest) for link in launcher.connections for one in link.sent)


def test_a_worker_gets_the_keys_of_its_models_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-other")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sk-aws")
    root = workspace(tmp_path)
    write_sums(root / "sums", 4)
    with model_server() as server, cluster_of(LocalLauncher(2)) as launcher:
        run(root, model="openai/test", base_url=server.url)
    sent = [
        one
        for connection in launcher.connections
        for one in connection.sent
        if isinstance(one, NewTest)
    ]
    assert sent
    assert all(dict(one.variables) == {"OPENAI_API_KEY": "sk-of-the-run"} for one in sent)
    assert "sk-" not in repr(sent)


def test_fail_fast_stops_all_workers(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 200)
    with model_server("99", latency_s=0.01) as server, cluster_of(LocalLauncher(4)):
        result = run(root, model="openai/test", base_url=server.url, fail_fast=3)
    assert result.status == "stopped"
    assert 3 <= result.summary.results()["failed"] < 200


def test_a_session_goes_on_on_a_cluster_where_it_ended_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 30)
    with model_server() as server, cluster_of(LocalLauncher(3)):
        options = {"model": "openai/test", "base_url": server.url}
        first = run(root, ray=None, max_requests=10, **options)
        assert first.folder is not None
        monkeypatch.chdir(root)
        more = ("--max-requests", "100", "--base-url", server.url)
        state = root / "a"
        done = call("run", "--resume", first.folder.id, "--ray", "--session-dir", state, *more)
        assert done[0] == 0, done
        assert len(server.requests) == 30
    assert len(rows(first)) == 30


def test_a_cache_that_cannot_be_written_ends_the_run_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: Any, **__: Any) -> None:
        raise SessionError("the disk is full")

    monkeypatch.setattr("lve.execution.cache.cache.CompletionCache.put", full)
    root = workspace(tmp_path)
    write_sums(root / "sums", 20)
    with (
        model_server() as server,
        cluster_of(LocalLauncher(2)),
        pytest.raises(SessionError, match="the disk is full"),
    ):
        run(root, model="openai/test", base_url=server.url)


def test_what_a_run_gave_up_may_have_been_spent(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 20)

    async def go() -> None:
        loop = asyncio.get_running_loop()
        running = asyncio.ensure_future(
            lve.arun(
                str(root),
                state=root / "a",
                ray="local",
                model="openai/test",
                base_url=server.url,
                max_requests=10,
                max_connections=2,
            )
        )
        while len(server.requests) < 2:  # noqa: ASYNC110 (another thread's)
            await asyncio.sleep(0.01)
        loop.call_soon(running.cancel)
        with pytest.raises(asyncio.CancelledError):
            await running

    with model_server(latency_s=30) as server, cluster_of(LocalLauncher(2)):
        asyncio.run(go())
    info = json.loads(next((root / "a" / "runs").glob("*/session.json")).read_text())
    assert info["spent_unrecorded"]["requests"] == 2


def test_batches_and_a_cluster_exclude_each_other(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 2)
    with model_server() as server, pytest.raises(UsageError, match="--batch exclude each other"):
        run(root, model="openai/test", base_url=server.url, batch=True)


def test_one_that_was_alone_leaves_its_worker_to_the_others(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 12)
    launcher = LocalLauncher(1)
    launcher.ended_by, launcher.ends = "line=3", 3
    with model_server() as server, cluster_of(launcher):
        result = run(root, model="openai/test", base_url=server.url, max_connections=2)
    assert [one["verdict"] for one in rows(result)] == ["passed"] * 12
    assert len(launcher.connections) == 4


def test_workers_share_the_connections_of_a_model(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    write_sums(root / "sums", 60)
    with model_server(latency_s=0.05) as server, cluster_of(LocalLauncher(4)) as launcher:
        run(root, model="openai/test", base_url=server.url, max_connections=8)
        assert 4 <= server.stats()["max_in_flight"] <= 8
        run(root, state="b", model="openai/other", base_url=server.url, max_connections=2)
    assert len(launcher.connections) == 8
    asked = [any(type(m).__name__ == "Done" for m in one.said) for one in launcher.connections[4:]]
    assert asked.count(True) == 2, "there are fewer connections than workers"
