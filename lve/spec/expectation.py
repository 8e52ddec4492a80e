"""Parses the key `expect` of a test document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lve.model_arg_names import are_alike
from lve.spec.spec import Expectation

_COMPARISONS: tuple[Literal[">=", ">", "<=", "<"], ...] = (">=", "<=", ">", "<")


def expectation_of(data: Mapping[str, Any]) -> Expectation:
    """Return the expectation of a valid test document, or of an entry of its `models`."""
    expect = data.get("expect", "pass")
    if isinstance(expect, str):
        return Expectation(kind="fail" if expect == "fail" else "pass")
    if "pass_rate" not in expect:
        return _of_results(expect)
    comparison, threshold = _comparison(expect["pass_rate"])
    return Expectation(
        kind="rate",
        comparison=comparison,
        threshold=float(threshold),
        confidence=float(expect.get("confidence", 0.95)),
        max_repeats=int(expect.get("max_repeats", 100)),
        claim=expect.get("claim", "these"),
        cluster=expect.get("cluster"),
        has_alike_repeats=are_alike(data.get("default_model_args") or {}),
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


def _comparison(rate: str | float) -> tuple[Literal[">=", ">", "<=", "<"], str | float]:
    """Split a comparison such as `>=0.9` into sign and number. A number alone means `>=`."""
    if isinstance(rate, str):
        text = rate.strip()
        for sign in _COMPARISONS:
            if text.startswith(sign):
                return sign, text[len(sign) :]
    return ">=", rate
