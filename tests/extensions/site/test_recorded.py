"""What is recorded of a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_test

from lve.data.instances import iter_instances
from lve.extensions.site import recorded
from lve.extensions.site.recorded import HANDWRITTEN, RecordedInstances, recorded_instances
from lve.pipeline.choosing.loading import load_test
from lve.workspace import Workspace


def kept_of(root: Path, instances: list[Any], **document: Any) -> RecordedInstances:
    workspace(root)
    parameters = {"prompt": [{"content": "{n}"}], "prompt_parameters": ["n"]}
    folder = write_test(root / "t", instances=instances, **{**parameters, **document})
    spec = load_test(folder, Workspace(root))
    return recorded_instances(spec, iter_instances(spec))


def line(n: int, passed: bool | None, **run_info: Any) -> dict[str, Any]:
    answer = {"response": f"answer {n}", "run_info": run_info}
    return {"args": {"n": n}, **answer, **({} if passed is None else {"passed": passed})}


def test_answers_are_kept_by_verdict_with_who_gave_them_and_where(tmp_path: Path) -> None:
    kept = kept_of(
        tmp_path,
        [line(1, True, model="a/b"), line(2, False), line(3, None), {"args": {"n": 4}}],
    )
    assert kept.total == 4
    assert kept.counts == {"passed": 1, "failed": 1, "unjudged": 1}
    (one,) = kept.passed
    assert (one.model, one.place) == ("a/b", "instances/main.jsonl:1")
    assert [(name, value.text) for name, value in one.args] == [("n", "1")]
    assert [answer.text.text for answer in one.answers] == ["answer 1"]
    assert kept.unjudged[0].place == "instances/main.jsonl:3"


@pytest.mark.parametrize(
    ("run_info", "models", "who"),
    [
        ({"source": "handwritten", "model": "m"}, ["m"], HANDWRITTEN),
        ({"model": "x"}, ["m"], "x"),
        ({}, ["m"], "m"),
        ({}, ["m", "n"], "unknown"),
        ({"source": "scripted"}, ["m"], "unknown"),
        ({"model": ["x"]}, ["m"], "m"),
    ],
)
def test_who_answered(tmp_path: Path, run_info: Any, models: list[str], who: str) -> None:
    names = {"model": None, "models": models} if len(models) > 1 else {"model": models[0]}
    kept = kept_of(tmp_path, [line(1, True, **run_info)], **names)
    assert kept.passed[0].model == who


def test_results_are_of_models_and_never_of_people(tmp_path: Path) -> None:
    kept = kept_of(
        tmp_path,
        [
            *[line(n, n > 1, model="b") for n in range(4)],
            *[line(9, n > 0, model="a") for n in range(4)],
            line(5, False, source="handwritten"),
        ],
    )
    found = [(one.model, one.where, one.passed, one.failed) for one in kept.results]
    assert found == [("a", "recorded", 3, 1), ("b", "recorded", 2, 2)]
    same_args, others = (one.estimate for one in kept.results)
    assert same_args is not None
    assert others is not None
    assert same_args.clusters == 1  # answers to the same args are one
    assert others.clusters == 4


def test_of_many_instances_the_first_are_shown_and_all_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line(n, True) for n in range(60)]
    kept = kept_of(tmp_path, lines)
    assert (len(kept.passed), kept.counts["passed"]) == (recorded.SHOWN, 60)
    assert not kept.has_more
    monkeypatch.setattr(recorded, "MAX_ROWS", 50)
    kept = kept_of(tmp_path, lines)
    assert (kept.total, kept.has_more) == (50, True)


def test_a_bad_line_is_a_problem_and_the_others_count(tmp_path: Path) -> None:
    kept = kept_of(tmp_path, [line(1, True), {"args": 3}, line(2, True)])
    assert kept.counts["passed"] == 2
    assert [problem.line for problem in kept.problems] == [2]


def test_rows_are_counted_by_their_file(tmp_path: Path) -> None:
    rows = [line(1, True), line(2, None), {"args": {"n": 3}}]
    kept = kept_of(tmp_path, rows, dataset=[{"n": 4}, {"n": 5}])
    assert sorted(kept.sources.values()) == [2, 3]
    assert sum(kept.sources.values()) == kept.total == 5
