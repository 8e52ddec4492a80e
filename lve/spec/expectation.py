"""Parses the key `expect` of a test document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lve.spec.model_arg_names import are_alike
from lve.spec.spec import Expectation

Comparison = Literal[">=", ">", "<=", "<"]
_COMPARISONS: tuple[Comparison, ...] = (">=", "<=", ">", "<")
_OF_FAILURES: Mapping[Comparison, Comparison] = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
"""Comparison of a share of failures -> that of the share that passes."""


def expectation_of(data: Mapping[str, Any]) -> Expectation:
    """Return the expectation of a valid test document, or of an entry of its `models`."""
    expect = data.get("expect", "pass")
    if isinstance(expect, str):
        return Expectation(kind="fail" if expect == "fail" else "pass")
    if "attack_success" in expect:  # an attack succeeds where the test fails
        comparison, threshold = _comparison(expect["attack_success"], alone="<=")
        note = f" (attack success {comparison} {float(threshold):g})"
        comparison, threshold = _OF_FAILURES[comparison], round(1 - float(threshold), 12)
    elif "pass_rate" in expect:
        comparison, threshold = _comparison(expect["pass_rate"], alone=">=")
    else:
        return _of_results(expect)
    return Expectation(
        kind="rate",
        comparison=comparison,
        threshold=float(threshold),
        confidence=float(expect.get("confidence", 0.95)),
        max_repeats=int(expect.get("max_repeats", 100)),
        claim=expect.get("claim", "these"),
        cluster=expect.get("cluster"),
        has_alike_repeats=are_alike(data.get("default_model_args") or {}),
        note=note if "attack_success" in expect else "",
    )


def _of_results(expect: Mapping[str, Any]) -> Expectation:
    """Return an expectation of `at_least` or `at_most`: a whole number is a number of results, any
    other one is a share."""
    key = "at_least" if "at_least" in expect else "at_most"
    threshold = expect[key]
    if isinstance(threshold, str):
        threshold = float(threshold.strip().removesuffix("%")) / 100
    is_count = isinstance(threshold, int)
    return Expectation(
        kind="rate",
        claim="results",
        comparison=">=" if key == "at_least" else "<=",
        threshold=1.0 if is_count else float(threshold),
        number=threshold if is_count else None,
        max_errors=int(expect.get("max_errors", 0)),
    )


def _comparison(rate: str | float, *, alone: Comparison) -> tuple[Comparison, str | float]:
    """Split a comparison such as `>=0.9` into sign and number. A number alone has `alone`."""
    if isinstance(rate, str):
        text = rate.strip()
        for sign in _COMPARISONS:
            if text.startswith(sign):
                return sign, text[len(sign) :]
    return alone, rate
