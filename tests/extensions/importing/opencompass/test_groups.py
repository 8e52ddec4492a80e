"""Groups of data sets have the scores that OpenCompass' own summarizer gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.results import make_result

from lve.extensions.breakdown.groups import all_scores
from lve.extensions.importing.opencompass import groups as module
from lve.extensions.importing.opencompass import read_configs
from lve.spec.spec import Expectation
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary

CASE = json.loads(
    (Path(__file__).parents[3] / "cases/importers/opencompass/groups.json").read_text("utf-8")
)
"""Made by `DefaultSummarizer._calculate_group_metrics` of OpenCompass, over these counts."""
HEAD = """
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever
from opencompass.openicl.icl_inferencer import GenInferencer
def data_set(abbr, evaluator='AccEvaluator'):
    return dict(abbr=abbr, path=abbr, reader_cfg=dict(input_columns=['q'], output_column='a'),
        infer_cfg=dict(prompt_template=dict(type=PromptTemplate, template='{q}'),
            retriever=dict(type=ZeroRetriever), inferencer=dict(type=GenInferencer)),
        eval_cfg=dict(evaluator=dict(type=evaluator)))
"""
LETTERS = "".join(CASE["counts"])


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def imported(groups: list[Any], sets: str = "", more: str = "") -> Any:
    named = sets or ", ".join(
        f"data_set({name!r}, {'EMEvaluator' if name in 'gh' else 'AccEvaluator'!r})"
        for name in LETTERS
    )
    summarizer = f"summarizer = dict(summary_groups={groups!r}{more})\n"
    Path("eval.py").write_text(f"{HEAD}datasets = [{named}]\n{summarizer}")
    return read_configs(Path("eval.py"))


def losses(*args: Any, **more: Any) -> list[str]:
    told = [str(sentence) for sentence in imported(*args, **more).left_out]
    return [text.partition("left out: ")[2] for text in told if "eval.py" in text]


def scores_of(tests: Any) -> dict[tuple[str, str], Any]:
    summary = Summary()
    for test in tests:
        own = test.document.get("groups", ())
        summary.expect(test.folder, "m", Expectation(), numbers=Breakdown(member_of=own))
        passed, rows = CASE["counts"][test.folder]
        for line in range(1, rows + 1):
            is_right = line <= passed
            verdict = "passed" if is_right else "failed"
            of = {"test": test.folder, "model": "m", "line": line}
            summary.add(make_result(**of, verdict=verdict, score=float(is_right)))
    summary.complete()
    scores, without = all_scores(summary)
    assert without == []
    return {(each.test, each.name): each for each in scores if each.tests is not None}


def test_scores_are_those_of_upstream() -> None:
    tests = imported(CASE["groups"])
    scores = scores_of(tests.tests)
    of_several = {
        (group["name"], label)
        for group in CASE["groups"]
        for label in CASE["scores"][group["name"]]
        if label != "accuracy"
    }
    beside = {("sum of groups", "naive_average"), ("of both", "naive_average")}
    """What upstream has of a group beside its score, as all its subsets have it."""
    lost = {("of both", "weighted_average")}  # the accuracy in it became a harmonic mean
    assert set(scores) == of_several - beside - lost
    for (name, label), score in scores.items():
        assert score.value == pytest.approx(CASE["scores"][name][label], rel=1e-12), name
        assert score.low < score.value < score.high, name
    [loss] = [str(text) for text in tests.left_out if "eval.py" in str(text)]
    assert "of the group of both, weighted_average: of both, lve has" in loss


def test_groups_run(tmp_path: Path) -> None:
    groups = [{"name": "mean", "subsets": ["a", "b"]}, {"name": "off", "subsets": ["z"]}]
    sets = "data_set('a'), data_set('b'), data_set('c')"
    assert losses(groups, sets) == []
    Path("answers.yaml").write_text("{default: x}")
    own = "{provider: scripted, options: {answers: answers.yaml}}"
    Path("lve.yaml").write_text(f"models: {{my/script: {own}}}")
    for name, answers in (("a", "xy"), ("b", "xxxx"), ("c", "x")):
        rows = "".join(json.dumps({"q": "say x", "a": answer}) + "\n" for answer in answers)
        Path(f"data/{name}").mkdir(parents=True)
        Path(f"data/{name}/test.jsonl").write_text(rows)
    lve("import", "opencompass", "eval.py", "--data", "data", "-o", "tests")
    document = json.loads(call("run", "tests", "--model", "my/script", "--json")[1])
    [score] = [each for each in document["summary"]["scores"] if "tests" in each]
    assert (score["test"], score["name"], score["value"], score["tests"]) == (
        *("mean", "naive_average", 75),
        2,
    )
    assert 0 < score["low"] < 75 < score["high"] <= 100


@pytest.mark.parametrize(
    ("group", "reason"),
    [
        ({"name": "g", "subsets": ["a", "z"]}, "naive_average: not all its tests can be had: z"),
        ({"name": "g", "subsets": [["a", "f1"]]}, "of a, lve has accuracy, and nothing else"),
        ({"name": "g", "subsets": ["a", ["b", "accuracy"]]}, "which has no name or no subsets"),
        ({"name": "g", "subsets": []}, "which has no name or no subsets"),
        ({"subsets": ["a"]}, "which has no name or no subsets"),
        ({"name": "g", "subsets": 3}, "which has no name or no subsets"),
        ({"name": "x" * 201, "subsets": ["a"]}, "its name has more than 200 characters"),
        ({"name": "g", "subsets": ["a"], "weights": {"b": 1}}, "numbers of its subsets"),
        ({"name": "g", "subsets": ["a"], "weights": {"a": "1"}}, "numbers of its subsets"),
        ({"name": "g", "subsets": ["a"], "weights": {"a": 1e99}}, "numbers of its subsets"),
        ({"name": "g", "subsets": ["a"], "weights": [1]}, "numbers of its subsets"),
        ({"name": "g", "subsets": ["a", "b"], "weights": {"a": 1, "b": -1}}, "can't be added up"),
        ({"name": "g", "subsets": ["a"], "transforms": {"a": "exit()"}}, "transforms are code"),
        (3, "which has no name or no subsets"),
    ],
)
def test_what_cannot_be_carried_is_told(group: Any, reason: str) -> None:
    [loss] = losses([group])
    assert loss.startswith("of the group ")
    assert reason in loss


def test_other_summarizers_and_names_are_told() -> None:
    groups = [{"name": "g", "subsets": ["a"]}]
    [loss] = losses(groups, more=", type='opencompass.summarizers.FofoSummarizer'")
    assert loss == "the summarizer FofoSummarizer: reports have the score of each data set"
    assert losses(groups, more=", type='opencompass.summarizers.DefaultSummarizer'") == []
    [loss] = losses(groups, "data_set('a'), data_set('a', 'EMEvaluator')")
    assert "of a, lve has none" in loss
    assert losses(groups, more=", dataset_abbrs=['a']") == []


def test_what_counts_of_a_test() -> None:
    sets = (
        "data_set('a', 'opencompass.datasets.OwnEvaluator'), data_set('b', 'CircularEvaluator'), "
        "data_set('c', 'TydiQAEvaluator'), data_set('d', 'HumanEvalEvaluator')"
    )
    named = [["a", "own"], ["b", "acc_4"], ["c", "f1"], ["d", "humaneval_pass@1"]]
    groups = [{"name": "named", "subsets": named}, {"name": "main", "subsets": ["a", "c", "d"]}]
    first, *_ = imported(groups, sets).tests
    assert [group["tests"] for group in first.document["groups"]] == [
        {"a": "own", "b": "mean score", "c": "mean score", "d": "pass rate"},
        {"a": "main score", "c": "mean score", "d": "pass rate"},
    ]
    [loss] = losses([{"name": "g", "subsets": ["b"]}], sets)
    assert "of b, lve has acc_4, and nothing else adds up" in loss


def test_groups_of_groups_end(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = [{"name": "g0", "subsets": ["a"]}] + [
        {"name": f"g{n}", "subsets": [f"g{n - 1}"] * 9, "sum": True} for n in range(1, 60)
    ]
    told = losses(chain)
    assert "go above 1e+09" in told[0]
    assert all("not all its" in text or "go above" in text or "1e+09" in text for text in told)
    many = [{"name": f"n{n}", "subsets": ["a", "b"]} for n in range(51)]
    assert losses(many) == ["a test has more than 50 scores of groups"]
    monkeypatch.setattr(module, "MAX_TESTS", 1)
    [loss] = losses(many[:1])
    assert "more than 1 tests" in loss
