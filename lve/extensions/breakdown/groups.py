"""Scores of groups of tests, as lm-evaluation-harness and OpenCompass print them, with intervals.

A group's score is the mean of those of its tests, of each once, as often as it has rows, or by
weights; or their sum, harmonic mean or standard deviation. Its interval is put together from those
of its tests, which are independent: the squares of the distances of a test's ends from its score,
times its weight, are added up, for the lower and for the upper ends (Zou and Donner, 2008,
"Construction of confidence limits about effect measures: a general approach"). Where a test's
interval is symmetric that is the variance of a weighted mean; where all rows passed it doesn't
claim certainty. What is no sum is taken as one near the scores (the delta method).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot, isfinite, nan, sqrt
from posixpath import dirname, join, normpath
from typing import cast

from lve.escape import first_names
from lve.extensions.breakdown.rates import CONFIDENCE, counted_share, interval_of
from lve.extensions.breakdown.scores import Score, scores_of, scores_of_test, unscored
from lve.named_tuples import NamedTuple
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

PASS_RATE = "pass rate"
"""What counts of a test, if it is no score over all rows."""
MEAN_SCORE = "mean score"
"""What counts, if it is the mean of the scores of its rows."""
MAIN_SCORE = "main score"
"""What counts of a test with a scorer, if it is the score that OpenCompass shows."""
PERCENT = 100.0
_MAIN = (
    *("score", "auc_score", "accuracy", "humaneval_pass@1", "rouge1", "avg_toxicity_score"),
    *("bleurt_diff", "matthews_correlation", "truth", "f1", "exact_match", "extract_rate"),
)
_NEVER_MAIN = frozenset(("bp", "sys_len", "ref_len", "type"))
"""Of several scores of a data set, those that OpenCompass shows first, and never
(`METRIC_WHITELIST`, `METRIC_BLACKLIST` in opencompass/summarizers/default.py)."""
SHOWN = 20
"""Tests without a score that are named, for each reason."""


class Group(NamedTuple):
    """A group of tests with a score, of one model."""

    model: str
    name: str
    metric: str
    is_by_size: bool
    tests: tuple[tuple[str, str, float], ...]
    """Path of each test, what counts of it and how much, in the order in which upstream adds them
    up."""
    form: str = "mean"
    unit: float = 1.0
    """What pass rates and mean scores are multiplied by."""


Unscored = tuple[str, str, str]
"""Test or group, model, and why it has no score."""


def all_scores(summary: Summary) -> tuple[list[Score], list[Unscored]]:
    """Return the scores of tests, then those of groups; and what has none, in this order."""
    scores, without = list(scores_of(summary)), list(unscored(summary))
    for group in sorted(_groups(summary)):
        score = _score_of(group, summary)
        if isinstance(score, Score):
            scores.append(score)
        else:
            without.append((f"{group.name}, {group.metric}", group.model, score))
    return scores, without


def _score_of(group: Group, summary: Summary) -> Score | str:
    """Return the score of a group, or why it has none: a test without one is never left out."""
    parts, sizes, missing = list[Score](), list[float](), dict[str, list[str]]()
    for path, name, weight in group.tests:
        part = _part(summary, (path, group.model), name, group.unit)
        if isinstance(part, Score):
            parts.append(part)
            rows = summary.tallies[path, group.model].numbers.whole.rows
            sizes.append(weight * max(1, rows) if group.is_by_size else weight)
        else:
            missing.setdefault(part, []).append(path or ".")
    if missing:
        return "; ".join(f"{why}: {first_names(each, SHOWN)}" for why, each in missing.items())
    score = None
    if all(isfinite(part.value) for part in parts):
        score = _combined(group, parts, sizes)
    return score if score and isfinite(score.value) else "its score is no finite number"


def _groups(summary: Summary) -> set[Group]:
    groups = set[Group]()
    for tally in summary.tallies.values():
        above = dirname(tally.test)
        for own in tally.numbers.member_of:
            assert isinstance(own["tests"], Mapping)
            weights = own.get("weights", {})
            assert isinstance(weights, Mapping)
            tests = tuple(
                (_path(above, path), str(of), cast("float", weights.get(path, 1)))
                for path, of in own["tests"].items()
            )
            names = tally.model, str(own["name"]), str(own["metric"])
            is_by_size = own.get("by_size") is not False and not weights and "form" not in own
            unit = PERCENT if own.get("percent") else 1.0
            groups.add(Group(*names, is_by_size, tests, str(own.get("form", "mean")), unit))
    return groups


def _path(above: str, relative: str) -> str:
    path = normpath(join(above, relative))
    return "" if path == "." else path


def _part(summary: Summary, key: tuple[str, str], name: str, unit: float) -> Score | str:
    """Return the score of a test that counts in its group, or why there is none."""
    tally = summary.tallies.get(key)
    if key[0] in summary.invalid:
        return "invalid"
    if tally is None:
        return "skipped" if key[0] in summary.skipped else "not run"
    if not tally.coverage.is_complete:
        return "not finished"
    whole = tally.numbers.whole
    if whole.rate is None:
        return "without a judged row"
    is_rate = name == PASS_RATE or (name == MEAN_SCORE and not tally.numbers.is_scale)
    if name == MEAN_SCORE and whole.score is not None and not is_rate:
        low, high = _ends_of_mean(tally, unit)
        return Score(*key, name, whole.score * unit, low, high, whole.scored, True, tally.total)
    if not is_rate:
        return _named(list(scores_of_test(tally)), name) or f"without {name}"
    counted = whole.judged * counted_share(tally)
    low, high = interval_of(whole.counts["passed"], whole.judged, counted)
    ends = low * unit, high * unit
    return Score(*key, name, whole.rate * unit, *ends, whole.judged, True, tally.total)


def _ends_of_mean(tally: Tally, unit: float) -> tuple[float | None, float | None]:
    """Return the ends of the interval of a mean score; None where all are alike, which claims
    certainty."""
    sure = tally.instances.score(confidence=CONFIDENCE)
    if sure is None or sure.low == sure.high:
        return None, None
    return sure.low * unit, sure.high * unit


def _named(scores: Sequence[Score], name: str) -> Score | None:
    """Return the score over all rows that has a name, or that OpenCompass shows."""
    if name != MAIN_SCORE:
        return next((score for score in scores if score.name == name), None)
    main = [score for score in scores if score.name not in _NEVER_MAIN]
    return min(main, key=lambda s: (*_MAIN, s.name).index(s.name), default=None)


def _combined(group: Group, parts: list[Score], sizes: list[float]) -> Score:
    """Return the score of a group."""
    value, slopes = _value(group.form, [part.value for part in parts], sizes)
    lows, highs = list[float](), list[float]()
    for part, slope in zip(parts, slopes, strict=False):
        if part.low is not None and part.high is not None:
            down, up = (part.value - part.low) * slope, (part.high - part.value) * slope
            lows.append(down if slope >= 0 else up)
            highs.append(up if slope >= 0 else down)
    ends: tuple[float | None, float | None] = (None, None)
    if len(lows) == len(parts):
        ends = value - hypot(*lows), value + hypot(*highs)
    of, is_high = (group.name, group.model, group.metric), all(p.is_better_high for p in parts)
    results, total = sum(p.results for p in parts), sum(p.total for p in parts)
    is_high = is_high and group.form != "deviation"
    return Score(*of, value, *ends, results, is_high, total, len(parts))


def _value(
    form: str, values: Sequence[float], sizes: Sequence[float]
) -> tuple[float, Sequence[float]]:
    """Return the score of a group, and how fast it grows with that of each test; without that where
    it is too bent for an interval.

    `lm_eval.api.metrics.aggregate_subtask_metrics` and OpenCompass' `_calculate_group_metrics`, in
    their order of additions.
    """
    number = len(values)
    if form == "deviation":
        mean = sum(values) / number
        spread = sqrt(sum([(value - mean) * (value - mean) for value in values]) / number)
        return spread, [(value - mean) / number / spread for value in values if spread]
    if form == "harmonic_mean":
        is_positive = all(value > 0 for value in values)
        mean = number / sum([1 / (value if is_positive else max(value, 1)) for value in values])
        return mean, [(mean / value) ** 2 / number for value in values if is_positive]
    whole = 1 if form == "sum" else sum(sizes) or nan
    value = sum([value * size for value, size in zip(values, sizes, strict=True)])
    return value / whole, [size / whole for size in sizes]
