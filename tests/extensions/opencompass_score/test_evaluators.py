"""Scores and extracted answers are upstream's (tests/cases/opencompass_score: what its own code, at
OpenCompass a5acc4bb, said of texts of our making)."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from lve.extensions.opencompass_score.functions import FUNCTIONS
from lve.extensions.opencompass_score.score import EVALUATORS

VECTORS = json.loads(
    (Path(__file__).parents[2] / "cases" / "opencompass_score" / "vectors.json").read_text("utf-8")
)
SAME = {
    "Xsum": "Xsum_postprocess",
    "bbh-mcq": "bbh_mcq_postprocess",
    "gsm8k": "gsm8k_postprocess",
    "needlebench_dataset_postprocess": "needlebench_postprocess",
}
"""Names of a function that another name has vectors for."""
UNCHANGED = "needlebench_postprocess"
ROUNDED = 1e-4
"""Upstream rounds some scores to two digits of a percentage."""


def test_functions_return_what_upstreams_return() -> None:
    differing = [
        (name, arguments, text, expected)
        for name, arguments, text, expected in VECTORS["functions"]
        if FUNCTIONS[name](text, **arguments) != expected
    ]
    assert len(VECTORS["functions"]) > 600
    assert differing == []


def test_scores_are_upstreams() -> None:
    assert len(VECTORS["evaluators"]) > 700
    differing = []
    for name, options, answer, reference, expected in VECTORS["evaluators"]:
        evaluator = EVALUATORS[name]
        known = inspect.signature(evaluator.score).parameters
        named = {key: values[0] for key, values in evaluator.options.items()} | options
        score = evaluator.score(
            answer, reference, **{key: value for key, value in named.items() if key in known}
        )
        if score != pytest.approx(expected, abs=ROUNDED):
            differing.append((name, options, answer, reference, expected, score))
    assert differing == []


def test_every_name_has_vectors_that_differ() -> None:
    for kind, names in (("functions", FUNCTIONS), ("evaluators", EVALUATORS)):
        results: dict[str, set[str]] = {}
        for name, *_, expected in VECTORS[kind]:
            results.setdefault(name, set()).add(repr(expected))
        assert {SAME.get(name, name) for name in names} - {UNCHANGED} == set(results)
        assert [name for name, said in results.items() if len(said) < 2] == []
    assert FUNCTIONS[UNCHANGED](" a\n") == FUNCTIONS["needlebench_dataset_postprocess"](" a\n")
    assert FUNCTIONS[UNCHANGED](" a\n") == " a\n"
