"""Scores over all rows: values as recorded ones, with intervals that hold what they should."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from support.results import make_result

from lve.extensions.breakdown.scores import METRICS, Score, scores_of, value_of
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.breakdown import MAX_METRICS, SHARES
from lve.verdicts.summary import Summary


def summary_of(results: Iterable[InstanceResult]) -> Summary:
    summary = Summary()
    for result in results:
        summary.add(result)
    return summary


@pytest.mark.parametrize(
    ("name", "rows", "value"),
    [
        ("perplexity", [(-1.0,), (-3.0,)], 7.38905609893065),
        ("word_perplexity", [(-6.0, 2.0), (-6.0, 4.0)], 7.38905609893065),
        ("bits_per_byte", [(-8.0, 4.0), (-8.0, 4.0)], 2.8853900817779268),
        ("word_perplexity", [(-1.0, 0.0)], None),
        ("perplexity", [(-1e6,)], 1.0142320547350045e304),
        ("ter", [(0.0, 0.0)], 0.0),
        ("ter", [(2.0, 0.0)], 100.0),
    ],
)
def test_values(name: str, rows: list[Any], value: float | None) -> None:
    assert value_of(name, rows) == (value if value is None else pytest.approx(value))


def of_parts(count: int, name: str = "ter", **more: Any) -> list[Score]:
    chance = random.Random(5)
    results = [
        make_result(line=n + 1, parts={name: (float(chance.randint(0, 5)), 10.0)}, **more)
        for n in range(count)
    ]
    return list(scores_of(summary_of(results)))


def test_the_interval_is_about_that_of_the_mean() -> None:
    """TER of sentences of one length is a mean: two standard errors are known."""
    for count in (100, 3 * SHARES):
        [score] = of_parts(count)
        assert score.low is not None
        assert score.high is not None
        assert score.results == count
        error = 10 * (35 / 12) ** 0.5 / count**0.5
        assert score.high - score.low == pytest.approx(3.92 * error, rel=0.25)
        assert score.low < score.value < score.high


def test_the_interval_of_labels_is_about_as_wide() -> None:
    def width(count: int) -> float:
        pairs = [("a", "a")] * 7 + [("a", "b")] * 1 + [("b", "b")] * 8
        results = [make_result(line=n + 1, labels=pairs[n % 16]) for n in range(count)]
        [score] = [each for each in scores_of(summary_of(results)) if each.name == "f1_weighted"]
        assert score.low is not None
        assert score.high is not None
        return score.high - score.low

    assert width(16 * 100) == pytest.approx(width(16 * 25) / 2, rel=0.2)
    assert width(16 * 400) == pytest.approx(width(16 * 25) / 4, rel=0.2)  # more than are drawn


def test_a_single_row_has_no_interval() -> None:
    [score] = of_parts(1)
    assert (score.low, score.high) == (None, None)


def test_what_is_not_judged_does_not_count() -> None:
    assert of_parts(3, verdict="error") == []


def test_equal_results_give_equal_intervals() -> None:
    assert of_parts(40) == of_parts(40)


def test_parts_that_code_made_up_are_skipped() -> None:
    assert of_parts(3, name="mine") == []
    results = [make_result(line=n, parts={"bleu": (1.0,)}) for n in (1, 2)]
    assert list(scores_of(summary_of(results))) == []


def test_a_test_keeps_few_metrics() -> None:
    results = [make_result(line=n, parts={f"m{n}": (1.0,)}) for n in range(1, 100)]
    [tally] = summary_of(results).tallies.values()
    assert len(tally.numbers.parts) == MAX_METRICS


def test_each_metric_has_a_size() -> None:
    for name, metric in METRICS.items():
        assert metric.value([1.0, *[1.0] * metric.size]) is not None, name


def test_perfect_answers_have_no_interval() -> None:
    """Each resample of them is perfect, too, so the bootstrap would claim certainty."""
    results = [make_result(line=n, labels=("ab"[n % 2], "ab"[n % 2])) for n in range(6)]
    scores = {score.name: score for score in scores_of(summary_of(results))}
    assert scores["f1_macro"].value == 1.0
    assert (scores["f1_macro"].low, scores["f1_macro"].high) == (None, None)
