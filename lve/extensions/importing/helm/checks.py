"""HELM's metrics as checks with the same scores (`compute_reference_metrics` in
helm/benchmark/metrics/evaluate_reference_metrics.py)."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence

from lve.json_types import JsonObject, JsonValue

REFERENCES = "references"
"""The column with the right answers; of options, with the letters of the right ones."""
MAX_PATTERN = 1_000
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_PLACE = f"{{{REFERENCES}}}"
_LETTER: JsonObject = {"exact_match": _PLACE, "normalise": "none"}
CHECKS: Mapping[str, JsonObject] = {
    "exact_match": {**_LETTER, "extract": ["trim"]},
    "quasi_exact_match": {"exact_match": _PLACE, "normalise": "helm"},
    "prefix_exact_match": {"evals_match": _PLACE, "compare": "match", "extract": ["trim"]},
    "quasi_prefix_exact_match": {"exact_match": _PLACE, "normalise": "helm_prefix"},
    "f1_score": {"f1": _PLACE, "normalise": "helm"},
}
"""Metric -> the check of a written answer."""


class NoCounterpartError(ValueError):
    """A part of a run has no counterpart in lve. The message says which and why."""


def _normalized(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


_OF_OPTIONS: Mapping[str, Callable[[str, str], bool]] = {
    "exact_match": lambda gold, text: gold.strip() == text.strip(),
    "quasi_exact_match": lambda gold, text: _normalized(gold) == _normalized(text),
    "prefix_exact_match": lambda gold, text: text.strip().startswith(gold.strip()),
    "quasi_prefix_exact_match": lambda gold, text: _normalized(text).startswith(_normalized(gold)),
}
"""Metric -> whether an option's text counts as a right answer."""


def check_of(metric: str, pattern: str | None, *, has_options: bool) -> JsonObject:
    """Return the check of a metric.

    Args:
        metric: its name in HELM.
        pattern: by which the letter is taken from an answer; None if that is the letter.
        has_options: whether an answer is the letter of an option.

    Raises:
        NoCounterpartError: there is none.
    """
    if metric not in (_OF_OPTIONS if has_options else CHECKS):
        raise NoCounterpartError(f"lve has no such metric{' of options' if has_options else ''}")
    if not has_options:
        return CHECKS[metric]
    steps: list[JsonValue] = ["trim"]
    if pattern:
        if len(pattern) > MAX_PATTERN or _groups(pattern) > 1:
            raise NoCounterpartError(
                "its output_mapping_pattern has several groups, or is too long"
            )
        steps.append({"type": "match", "pattern": pattern, "group": 0, "otherwise": ""})
    return {**_LETTER, "extract": steps}


def right_letters(metric: str, golds: Sequence[str], options: Mapping[str, str]) -> list[str]:
    """Return the letters whose options get a score of 1 by a metric."""
    fits = _OF_OPTIONS[metric]
    return [
        letter for letter, text in options.items() if text and any(fits(g, text) for g in golds)
    ]


def _groups(pattern: str) -> int:
    try:
        return re.compile(pattern).groups
    except (re.error, RecursionError, OverflowError) as error:
        raise NoCounterpartError(f"its output_mapping_pattern is no pattern: {error}") from None
