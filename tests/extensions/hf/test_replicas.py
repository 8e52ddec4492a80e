"""Models of this machine on workers: each worker has one of its own, whose batches are full."""

from __future__ import annotations

import json
from pathlib import Path

from extensions.hf.tiny_model import make_tiny_model
from extensions.ray.cluster import LocalLauncher, cluster_of
from support.folders import workspace, write_test
from support.packages import needs

import lve
from lve.pipeline.result import RunResult

pytestmark = needs("torch", "transformers")


def answers(result: RunResult) -> list[tuple[int, str]]:
    return sorted((one.line, str(one.responses[0])) for one in result.results)


def test_replicas_answer_as_the_model_does_here(tmp_path: Path) -> None:
    tiny = make_tiny_model(tmp_path / "tiny", chat_template=None)
    entry = {"provider": "hf", "model": str(tiny), "worker": {"num_gpus": 1, "replicas": 2}}
    root = workspace(tmp_path / "w", json.dumps({"models": {"ours": entry}}))
    write_test(
        root / "t",
        prompt=[{"role": "user", "content": "Count from {n}."}],
        prompt_parameters=["n"],
        default_model_args={"max_tokens": 5},
        checker_args=None,
        check={"min_characters": 0},
        instances=[{"args": {"n": n}} for n in range(12)],
    )
    options = {"model": "ours", "use_cache": False}
    here = lve.run(str(root), state=tmp_path / "a", **options)
    with cluster_of(LocalLauncher(5)) as launcher:
        there = lve.run(str(root), state=tmp_path / "b", ray="local", **options)
    assert answers(there) == answers(here)
    assert len(answers(here)) == 12
    assert len(launcher.connections) == 2
    models = [one.worker.engine.models.completers["ours"] for one in launcher.connections]
    assert all(one.traffic.requests == 6 for one in models)
    assert {one.limits.concurrency.maximum for one in models} == {64}
