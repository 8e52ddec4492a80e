"""The conversations of a test with messages, and the problems found before anything is sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompts.messages.message_plans import instance, make_plan

from lve.errors import SpecError
from lve.prompts.plan import build_plan
from lve.prompts.size import MAX_RUNS


def test_build_plan_finds_the_dialect(tmp_path: Path) -> None:
    spec = make_plan(tmp_path, prompt=[{"content": "x"}]).spec
    plan = build_plan(spec)
    assert [run.messages[0].content for run in plan.preview(instance())] == ["x"]


def test_repetitions_are_written_out_and_share_one_conversation(tmp_path: Path) -> None:
    run = {"name": "a", "prompt": [{"content": "{x}"}], "repetitions": 3}
    plan = make_plan(tmp_path, multi_run_prompt=run, prompt_parameters=["x"])
    runs = plan.preview(instance(x="1"))
    assert len(runs) == 3
    assert runs[0] is runs[2]
    assert (runs[0].name, runs[0].open_turns) == ("a", (1,))


def test_a_test_has_at_most_so_many_runs(tmp_path: Path) -> None:
    run = {"prompt": [{"content": "x"}], "repetitions": 100}
    make_plan(tmp_path, multi_run_prompt=[run] * (MAX_RUNS // 100))
    with pytest.raises(SpecError, match=r"10,100 runs; at most 10,000 are allowed"):
        make_plan(tmp_path, multi_run_prompt=[run] * (MAX_RUNS // 100 + 1))
