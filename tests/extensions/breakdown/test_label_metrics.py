"""Metrics of labels over all rows: those of scikit-learn, whose values are recorded."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lve.extensions.breakdown.labels import f1_macro, f1_weighted, mcc, metrics_of

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "cases/labels/scikit_learn.json").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_metrics_of_labels_are_those_of_scikit_learn(case: dict[str, Any]) -> None:
    pairs: Counter[Any] = Counter(map(tuple, case["pairs"]))
    assert f1_weighted(pairs) == pytest.approx(case["f1_weighted"], abs=1e-12)
    assert mcc(pairs) == pytest.approx(case["mcc"], abs=1e-12)
    assert f1_macro(pairs) == pytest.approx(case["macro"][2], abs=1e-12)


def test_zeros_and_ones_have_the_f1_of_ones() -> None:
    metrics = metrics_of({("0", "1"): 1, ("1", "1"): 2})
    assert metrics["f1_of_1"]({("0", "1"): 1, ("1", "1"): 2}) == pytest.approx(0.8)
    assert "f1_of_1" not in metrics_of({("0", "2"): 1})
