"""Labels: the same figures as scikit-learn's, whose values are recorded."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.results import make_transcript

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.library.choice import Choice, Option
from lve.checkers.processes.wire import verdict_from_json, verdict_to_json
from lve.checkers.valid_verdict import valid_verdict
from lve.extensions.breakdown.labels import LabelTable
from lve.verdicts.rates.statistics import pass_rate

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "cases/labels/scikit_learn.json").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_the_figures_are_those_of_scikit_learn(case: dict[str, Any]) -> None:
    table = LabelTable("t", "m", Counter(map(tuple, case["pairs"])))
    labels = case["labels"]
    assert table.chosen == labels
    whole = dict(zip(table.right, table.matrix, strict=True))
    assert [whole.get(label, [0] * len(labels)) for label in labels] == case["matrix"]
    for name in ("precision", "recall", "f1"):
        values = [getattr(each, name).value or 0.0 for each in table.scores]
        assert values == pytest.approx(case[name], abs=1e-12)
    assert [each.support for each in table.scores] == case["support"]
    assert table.accuracy.value == pytest.approx(case["accuracy"])
    assert table.macro() == pytest.approx(case["macro"])


def test_the_intervals_are_exact_and_hold_the_values() -> None:
    table = LabelTable("t", "m", Counter({("a", "a"): 8, ("a", "b"): 2, ("b", "b"): 5}))
    a, b = table.scores
    exact = pass_rate(8, 10)
    assert (a.recall.low, a.recall.high) == (exact.low, exact.high)
    joint = pass_rate(5, 7)
    assert b.f1.low == pytest.approx(2 * joint.low / (1 + joint.low))
    for each in (a.precision, a.f1, b.precision, b.f1):
        low, value, high = each.low or 0, each.value or 0, each.high or 0
        assert 0 < low < value <= high


def test_what_is_not_defined_has_no_value() -> None:
    table = LabelTable("t", "m", Counter({("a", "(none)"): 3}))
    [a] = table.scores
    assert a.precision.value is None
    assert a.recall.value == 0
    assert table.macro() == (0, 0, 0)


@pytest.mark.parametrize(
    ("check", "answer", "labels"),
    [
        (Choice("yes", ("yes", "no")), "Yes.", ("yes", "yes")),
        (Choice("yes", ("yes", "no")), "No.", ("yes", "no")),
        (Choice("yes", ("yes", "no")), "Who knows?", ("yes", "(none)")),
        (Option("B"), "The answer is C.", ("B", "C")),
        (Option(("B", "D")), "B and D", ("B+D", "B+D")),
    ],
)
def test_what_an_answer_chose(check: Any, answer: str, labels: tuple[str, str]) -> None:
    verdict = check.check(CheckContext((make_transcript(answer),)))
    assert verdict.labels == labels
    assert verdict_from_json(json.loads(json.dumps(verdict_to_json(verdict)))).labels == labels


@pytest.mark.parametrize("labels", [("a",), ["a", "b"], ("a", 1), "ab", ("a", "b" * 201)])
def test_what_foreign_code_says_of_labels_is_checked(labels: Any) -> None:
    assert valid_verdict(Verdict("passed", labels=labels)).labels is None
    good = Verdict("passed", labels=("a", "b"))
    assert valid_verdict(good) is good
