"""Scores of groups of tests: equal to lm-evaluation-harness' own, and none where a part lacks."""

from __future__ import annotations

import io
import json
import random
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace
from support.results import make_result

from lve.extensions.breakdown.documents import breakdown_json, breakdown_markdown
from lve.extensions.breakdown.groups import all_scores
from lve.extensions.breakdown.rates import interval_of
from lve.extensions.breakdown.scores import RESAMPLES, Score
from lve.extensions.breakdown.text import breakdown_lines
from lve.reporting.terminal import Terminal
from lve.spec.spec import Expectation
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary

CASES = Path(__file__).parents[2] / "cases" / "importers" / "lm_eval" / "groups.json"
GROUPS = json.loads(CASES.read_text("utf-8"))["groups"]


def group(*tests: str, score: str = "pass rate", **more: Any) -> dict[str, Any]:
    return {"name": "g", "metric": "acc", "tests": dict.fromkeys(tests, score), **more}


def summary_of(counts: dict[str, tuple[int, int]], own: dict[str, Any], **more: Any) -> Summary:
    """`counts`: test -> how many rows passed, of how many."""
    summary = Summary()
    for test, (passed, rows) in counts.items():
        summary.expect(test, "m", Expectation(), numbers=Breakdown(member_of=(own,)))
        for line in range(1, rows + 1):
            verdict = "passed" if line <= passed else "failed"
            summary.add(make_result(test=test, model="m", line=line, verdict=verdict, **more))
    summary.complete()
    return summary


def only(summary: Summary) -> Score:
    scores, without = all_scores(summary)
    assert without == []
    [score] = [each for each in scores if each.tests is not None]
    return score


def why(summary: Summary) -> str:
    scores, [(of, model, reason)] = all_scores(summary)
    assert [each for each in scores if each.tests is not None] == []
    assert (of, model) == ("g, acc", "m")
    return reason


@pytest.mark.parametrize("case", GROUPS, ids=lambda case: f"{len(case['sizes'])}{case['by_size']}")
def test_the_value_is_what_the_harness_gives(case: dict[str, Any]) -> None:
    """Recorded with `lm_eval.api.group.Group.aggregate` of lm-eval 0.4.13, to the last digit."""
    pairs = zip(case["passed"], case["sizes"], strict=True)
    counts = {f"t/{n}": pair for n, pair in enumerate(pairs)}
    names = [f"{n}" for n in range(len(counts))]
    score = only(summary_of(counts, group(*names, by_size=case["by_size"])))
    assert score.value == case["value"]
    assert (score.test, score.name, score.tests) == ("g", "acc", len(counts))
    assert score.results == sum(case["sizes"])
    assert score.low is not None
    assert score.high is not None
    assert 0 <= score.low < score.value < score.high <= 1
    # Exact intervals of the tests are a little wider than two standard errors.
    assert 1 < (score.high - score.low) / (3.92 * case["stderr"]) < 1.3


def test_the_interval_has_the_true_value_often_enough() -> None:
    chance, rates, rows = random.Random(7), (0.5, 0.9, 0.99), (20, 60, 30)
    truth = sum(rate * n for rate, n in zip(rates, rows, strict=True)) / sum(rows)
    hits = 0
    for _ in range(200):
        counts = {
            f"{test}": (sum(chance.random() < rate for _ in range(n)), n)
            for test, rate, n in zip("abc", rates, rows, strict=True)
        }
        score = only(summary_of(counts, group("a", "b", "c")))
        hits += (score.low or 0) <= truth <= (score.high or 0)
    assert hits >= 0.95 * 200


def test_rows_that_all_passed_claim_no_certainty() -> None:
    score = only(summary_of({"a": (5, 5), "b": (9, 9)}, group("a", "b")))
    assert (score.value, score.high) == (1, 1)
    assert score.low == pytest.approx(0.718, abs=0.01)


def test_repeats_of_a_row_change_no_weight() -> None:
    summary = summary_of({"a": (1, 1), "b": (0, 3)}, group("a", "b"))
    for repeat in range(1, 9):
        summary.add(make_result(test="a", model="m", line=1, repeat=repeat))
    assert only(summary).value == 0.25


def test_paths_begin_above_the_test() -> None:
    own = {"s/x/acc": group("acc", "../y"), "s/y": group("x/acc", "y")}
    summary = summary_of({"s/x/acc": (1, 2)}, own["s/x/acc"])
    summary.expect("s/y", "m", Expectation(), numbers=Breakdown(member_of=(own["s/y"],)))
    summary.add(make_result(test="s/y", model="m", verdict="failed"))
    summary.complete()
    assert only(summary).value == pytest.approx(1 / 3)
    assert only(summary_of({"": (1, 2)}, group("."))).value == 0.5


def test_a_group_has_no_score_without_all_its_tests() -> None:
    summary = summary_of({"a": (1, 2), "b": (1, 2)}, group("a", "b", "c", "d", "e"))
    summary.skipped["c"] = "for a reason"
    summary.invalid["d"] = ("wrong",)
    assert why(summary) == "skipped: c; invalid: d; not run: e"


def test_a_group_has_no_score_before_its_tests_have_finished() -> None:
    summary = summary_of({"a": (1, 2), "b": (1, 2)}, group("a", "b"))
    summary.tallies["b", "m"].coverage.is_complete = False
    assert why(summary) == "not finished: b"


def test_a_group_has_no_score_if_a_test_has_none() -> None:
    summary = summary_of({"a": (1, 2)}, group("a", "b"))
    summary.expect("b", "m", Expectation())
    summary.add(make_result(test="b", model="m", verdict="error"))
    summary.complete()
    assert why(summary) == "without a judged row: b"
    assert why(summary_of({"a": (1, 2)}, group("a", score="bleu"))) == "without bleu: a"


def test_what_could_not_be_judged_is_told() -> None:
    summary = summary_of({"a": (1, 2), "b": (1, 2)}, group("a", "b"))
    summary.add(make_result(test="b", model="m", line=3, verdict="error"))
    assert only(summary).missing == ", over 4 of 5 results"


def test_scores_over_all_rows_count_too() -> None:
    summary = summary_of(
        {"a": (3, 3), "b": (2, 2)}, group("a", "b", score="ter"), parts={"ter": (2, 8)}
    )
    score = only(summary)
    assert (score.value, score.low, score.is_better_high) == (25, None, False)
    tally = summary.tallies["b", "m"]
    tally.numbers.parts["ter"] = {1: [1.0, 1e308, 1e-9], 2: [1.0, 1e308, 1e-9]}
    assert why(summary) == "its score is no finite number"


def test_a_damaged_score_without_rows_harms_nothing() -> None:
    summary = Summary()
    own = group("a", score="accuracy")
    numbers = Breakdown(member_of=(own,), overall={"accuracy": 0.5})
    summary.expect("a", "m", Expectation(), numbers=numbers)
    summary.complete()
    assert why(summary) == "without a judged row: a"


def test_reports_have_groups_apart() -> None:
    summary = summary_of({"a": (1, 2), "b": (1, 2)}, group("a", "b"), parts={"ter": (2.0, 8.0)})
    assert summary.is_broken_down
    lines = list(breakdown_lines(summary, Terminal(io.StringIO())))
    at = lines.index("scores of groups of tests (95 % intervals, from those of their tests)")
    assert lines[at + 1].split() == ["acc", "0.5", "(0.155-0.845)", "g,", "m"]
    assert "scores over all judged rows (95 % bootstrap intervals)" in lines
    tables = list(breakdown_markdown(summary))
    assert [table.split(" | ")[0] for table in tables] == ["| test", "| group of tests"]
    assert "| `g` | `m` | `acc` | 0.5 |" in tables[1]
    *_, score = breakdown_json(summary)["scores"]  # type: ignore[misc]
    assert (score["test"], score["tests"], score["value"]) == ("g", 2, 0.5)


@pytest.fixture
def tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tests of a group, with recorded answers."""
    monkeypatch.chdir(workspace(tmp_path / "w"))
    for test, answers in (("a", "yyn"), ("b", "n")):
        folder = Path("tests", test, "instances")
        folder.mkdir(parents=True)
        document = {
            "description": "d",
            "model": "openai/m",
            "prompt": "{q}",
            "prompt_parameters": ["q"],
            "check": {"equals": "y"},
            "groups": [group("a", "b")],
        }
        (folder.parent / "test.json").write_text(json.dumps(document))
        rows = [{"args": {"q": f"{n}"}, "response": text} for n, text in enumerate(answers)]
        (folder / "m.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return Path("tests")


@pytest.mark.usefixtures("tests")
def test_every_door_has_them() -> None:
    def scores(*words: str) -> Any:
        said = json.loads(lve(*words, "--json", code=int(words[0] != "show")).stdout)["summary"]
        return [(each["test"], each["value"]) for each in said["scores"]], said["unscored"]

    whole = [("g", 0.5)], []
    assert scores("run", "tests", "--model", "replay") == whole
    assert scores("show", "last") == whole
    assert scores("score", "last") == whole
    assert call("report", "last", "-o", "r.html")[0] == call("report", "last", "-o", "r.md")[0] == 0
    assert '"name":"acc","value":0.5' in Path("r.html").read_text("utf-8")
    assert "| group of tests |" in Path("r.md").read_text("utf-8")
    [reason] = scores("run", "tests/a", "--model", "replay")[1]
    assert reason == {"test": "g, acc", "model": "replay", "reason": "not run: tests/b"}


@pytest.mark.parametrize("key", ["groups: 1", "groups: [{name: g, metric: acc}]"])
def test_a_wrong_group_is_told(key: str, tests: Path) -> None:
    (tests / "a" / "test.json").unlink()
    (tests / "a" / "test.yaml").write_text(
        f"description: d\nprompt: hi\ncheck: {{equals: y}}\n{key}\n"
    )
    code, out, _ = call("check", "tests/a")
    assert code == 2
    assert "test.yaml:4" in out


def test_weights_and_other_forms() -> None:
    counts = {"a": (1, 2), "b": (3, 4), "c": (1, 1)}
    weighted = only(summary_of(counts, group("a", "b", "c", weights={"a": 2, "b": 0})))
    assert weighted.value == pytest.approx((2 * 0.5 + 0 * 0.75 + 1 * 1) / 3)
    percent = only(summary_of(counts, group("a", "b", percent=True, by_size=False)))
    assert percent.value == 62.5
    assert 0 < (percent.low or 0) < 62.5 < (percent.high or 0) < 100
    total = only(summary_of(counts, group("a", "b", form="sum")))
    assert total.value == 1.25
    minus = only(summary_of(counts, group("a", "b", form="sum", weights={"b": -1})))
    assert minus.value == -0.25
    assert (minus.low or 0) < -0.25 < (minus.high or 0)
    assert minus.high - minus.low == pytest.approx(total.high - total.low)  # type: ignore[operator]


def test_a_deviation_and_a_harmonic_mean_have_intervals_where_they_can() -> None:
    counts = {"a": (50, 100), "b": (80, 100), "c": (0, 100)}
    spread = only(summary_of(counts, group("a", "b", form="deviation")))
    assert spread.value == pytest.approx(0.15)
    assert not spread.is_better_high
    assert 0.15 - (spread.low or 0) == pytest.approx(0.065, abs=0.01)
    mean = only(summary_of(counts, group("a", "b", form="harmonic_mean")))
    assert mean.value == pytest.approx(2 / (1 / 0.5 + 1 / 0.8))
    slopes = [(mean.value / rate) ** 2 / 2 for rate in (0.5, 0.8)]
    lows = [interval_of(passed, 100, 100)[0] for passed in (50, 80)]
    down = [(rate - low) * each for rate, low, each in zip((0.5, 0.8), lows, slopes, strict=True)]
    assert mean.value - (mean.low or 0) == pytest.approx(hypot(*down))
    assert mean.value < (mean.high or 0) < 0.8
    for form, names in (("deviation", ("a",)), ("harmonic_mean", ("a", "c"))):
        score = only(summary_of(counts, group(*names, form=form)))
        assert (score.low, score.high) == (None, None)


def test_a_mean_score_counts_with_its_own_interval() -> None:
    summary = summary_of({}, group())
    own = group("a", score="mean score", percent=True)
    for test, scores in (("a", (0.2, 0.4, 0.9)), ("b", (0.7, 0.7))):
        each = {**own, "tests": {test: "mean score"}, "name": test}
        summary.expect(test, "m", Expectation(), numbers=Breakdown(member_of=(each,)))
        for line, score in enumerate(scores, 1):
            of = {"test": test, "model": "m", "line": line, "args": {"n": line}}
            summary.add(make_result(**of, verdict="passed", score=score))
    summary.complete()
    first, second = [each for each in all_scores(summary)[0] if each.tests]
    assert first.value == pytest.approx(50)
    assert (first.high or 0) - 50 == pytest.approx(4.303 * 100 * (0.13 / 3) ** 0.5, rel=1e-3)
    assert (second.value, second.low, second.high) == (pytest.approx(70), None, None)


@pytest.mark.parametrize(
    ("overall", "value"),
    [({"f1": 3.0, "accuracy": 2.0, "bp": 9.0}, 2.0), ({"own": 7.0, "type": 1.0}, 7.0)],
)
def test_the_main_score_of_a_scorer(overall: dict[str, float], value: float) -> None:
    summary = summary_of({"a": (1, 2)}, group("a", score="main score", percent=True))
    summary.tallies["a", "m"].numbers.overall = overall
    assert only(summary).value == value
    summary.tallies["a", "m"].numbers.overall = {"bp": 1.0}
    assert why(summary) == "without main score: a"


def test_what_is_no_number_is_told() -> None:
    overall = {"a": {"x": float("inf")}, "b": {"x": 1e300}, "c": {"x": -1e300}}
    for names, more in (
        ("ab", {"form": "harmonic_mean"}),
        ("bc", {"form": "deviation"}),
        ("bc", {"weights": {"b": 1, "c": -1}}),
        ("bb", {"form": "sum", "weights": {"b": 1e9}}),
    ):
        own = group(*names, score="x", **more)
        summary = summary_of(dict.fromkeys("abc", (1, 2)), own)
        for test, scores in overall.items():
            summary.tallies[test, "m"].numbers.overall = scores
        assert why(summary) == "its score is no finite number"


def test_a_score_is_resampled_once_for_all_reports_and_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[int] = []
    choices = random.Random.choices

    def counted(self: random.Random, *args: Any, **more: Any) -> list[Any]:
        drawn.append(1)
        return choices(self, *args, **more)

    monkeypatch.setattr(random.Random, "choices", counted)
    summary = summary_of(
        {"a": (2, 3), "b": (1, 2)},
        group("a", "b", score="ter"),
        parts={"ter": (2.0, 7.25)},
        labels=("x", "y"),
    )
    only(summary)
    assert 0 < len(drawn) <= 4 * RESAMPLES, "parts and labels of each of two tests"
    drawn.clear()
    breakdown_json(summary)
    list(breakdown_markdown(summary))
    assert drawn == []
