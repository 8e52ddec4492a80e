"""One engine, several models: what goes wrong with one costs the others nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums

from lve.errors import SessionError
from lve.execution.stop import FAIL_FAST
from lve.models.scripted import ScriptedAnswer, ScriptedModel
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.engine import BUDGET, Engine
from lve.pipeline.preparing.preparation import Preparation
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.sessions.instance_result import InstanceResult
from lve.settings.settings import Settings
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace


def made(preparing: Generator[Any, None, PreparedTest]) -> PreparedTest:
    """Return a test made ready that waits for nothing."""
    with pytest.raises(StopIteration) as end:
        next(preparing)
    assert isinstance(end.value.value, PreparedTest)
    return end.value.value


def test_a_failure_with_one_model_waits_for_what_is_under_way_with_the_others(
    tmp_path: Path,
) -> None:
    root = workspace(tmp_path)
    spec = load_spec(write_sums(root / "t", 3))
    quick = ScriptedModel([ScriptedAnswer("2", delay_s=0.01)] * 3)
    slow = ScriptedModel([ScriptedAnswer("2", delay_s=0.1)] * 3)
    options = RunOptions(own_models={"quick": quick, "slow": slow}, keep=False)
    arrived: list[InstanceResult] = []

    def full_disk(result: InstanceResult) -> None:
        raise SessionError("the disk is full")

    async def run() -> None:
        engine = Engine(Workspace(root, Settings()), options, warn=pytest.fail)
        preparation = Preparation(engine, warn=pytest.fail)
        found = select_instances(spec, options, engine.settings)
        instances = [item for item in found if isinstance(item, Instance)]
        tests = {model: made(preparation.prepare(spec, model)) for model in ("quick", "slow")}
        for model, done in (("slow", arrived.append), ("quick", full_disk)):
            engine.prepare_model(model)
            engine.add(model, iter([(tests[model], one, 0, done) for one in instances]))
        try:
            await engine.join()
        finally:
            await engine.close()

    with pytest.raises(SessionError, match="the disk is full"):
        asyncio.run(run())
    assert arrived, "an answer that had been asked for is taken"


def test_the_first_reason_to_stop_is_the_one_that_is_kept(tmp_path: Path) -> None:
    engine = Engine(Workspace(workspace(tmp_path)), RunOptions(keep=False), warn=pytest.fail)
    engine.stop(BUDGET, "3 of 3 requests were sent")
    engine.stop(FAIL_FAST, "2 tests failed")
    engine.stop()
    assert engine.stopped_by == "3 of 3 requests were sent"
    assert engine.stop_signal.reason == BUDGET


@pytest.mark.parametrize("most", [1, 2, 3])
def test_as_few_submitted_tests_are_ready_as_may_run_together(tmp_path: Path, most: int) -> None:
    """The latest ones: a test whose rows come after many others' is made ready again."""
    root = workspace(tmp_path)
    specs = [load_spec(write_sums(root / name, 1)) for name in "abcd"]
    options = RunOptions(own_models={"m": ScriptedModel([])}, max_tests=most, keep=False)
    ready: list[str] = []

    async def run() -> None:
        engine = Engine(Workspace(root, Settings()), options, warn=pytest.fail)
        preparation = Preparation(engine, warn=pytest.fail)

        def submit(spec: Spec) -> PreparedTest:
            return made(preparation.shared(spec, "m", lambda test: ready.append(test.spec.path)))

        tests = [submit(spec) for spec in specs]
        for spec, test in [*zip(specs, tests, strict=True)][-most:]:
            assert submit(spec) is test
        assert ready == ["a", "b", "c", "d"]
        assert submit(specs[-most - 1]) is not tests[-most - 1]
        assert len(ready) == 5
        await engine.close()

    asyncio.run(run())


@pytest.mark.parametrize("connections", [1, 3])
def test_each_connection_has_two_workers(tmp_path: Path, connections: int) -> None:
    """While one waits for an answer, the other one judges or prepares."""
    options = RunOptions(
        own_models={"m": ScriptedModel([])}, max_connections=connections, keep=False
    )
    engine = Engine(Workspace(workspace(tmp_path)), options, warn=pytest.fail)
    engine.prepare_model("m")
    pool = engine.pools["m"]
    assert pool._width == 2 * connections
    engine.prepare_model("m")
    assert engine.pools["m"] is pool, "rows may be waiting in it"
