"""Scores of groups of tests, as lm-evaluation-harness prints them, with intervals.

A group's score is the mean of those of its tests, of each once, or as often as it has rows. Its
interval is put together from those of its tests, which are independent: the squares of the
distances of a test's ends from its score, times its weight, are added up, for the lower and for
the upper ends (Zou and Donner, 2008, "Construction of confidence limits about effect measures: a
general approach"). Where a test's interval is symmetric that is the variance of a weighted mean;
where all rows passed it doesn't claim certainty.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot, isfinite
from posixpath import dirname, join, normpath

from lve.escape import first_names
from lve.extensions.breakdown.rates import counted_share, interval_of
from lve.extensions.breakdown.scores import Score, scores_of, scores_of_test, unscored
from lve.named_tuples import NamedTuple
from lve.verdicts.summary import Summary

PASS_RATE = "pass rate"
"""What counts of a test, if it is no score over all rows."""
SHOWN = 20
"""Tests without a score that are named, for each reason."""


class Group(NamedTuple):
    """A group of tests with a score, of one model."""

    model: str
    name: str
    metric: str
    is_by_size: bool
    tests: tuple[tuple[str, str], ...]
    """Path of each test and what counts of it, in the order in which upstream adds them up."""


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
    parts, missing = list[Score](), dict[str, list[str]]()
    for path, name in group.tests:
        part = _part(summary, (path, group.model), name)
        if isinstance(part, Score):
            parts.append(part)
        else:
            missing.setdefault(part, []).append(path or ".")
    if missing:
        return "; ".join(f"{why}: {first_names(each, SHOWN)}" for why, each in missing.items())
    wholes = [summary.tallies[part.test, part.model].numbers.whole for part in parts]
    score = _mean(group, parts, [max(1, w.rows) if group.is_by_size else 1 for w in wholes])
    return score if isfinite(score.value) else "its score is no finite number"


def _groups(summary: Summary) -> set[Group]:
    groups = set[Group]()
    for tally in summary.tallies.values():
        above = dirname(tally.test)
        for own in tally.numbers.member_of:
            assert isinstance(own["tests"], Mapping)
            tests = tuple((_path(above, path), str(of)) for path, of in own["tests"].items())
            is_by_size = own.get("by_size") is not False
            groups.add(Group(tally.model, str(own["name"]), str(own["metric"]), is_by_size, tests))
    return groups


def _path(above: str, relative: str) -> str:
    path = normpath(join(above, relative))
    return "" if path == "." else path


def _part(summary: Summary, key: tuple[str, str], name: str) -> Score | str:
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
    if name != PASS_RATE:
        scores = (score for score in scores_of_test(tally) if score.name == name)
        return next(scores, f"without {name}")
    counted = whole.judged * counted_share(tally)
    ends = interval_of(whole.counts["passed"], whole.judged, counted)
    return Score(*key, name, whole.rate, *ends, whole.judged, True, tally.total)


def _mean(group: Group, parts: list[Score], sizes: list[int]) -> Score:
    """Return the score of a group: `lm_eval.api.metrics.aggregate_subtask_metrics`, in its order of
    additions."""
    whole, pairs = sum(sizes), list(zip(parts, sizes, strict=True))
    value = sum([part.value * size for part, size in pairs]) / whole
    lows = [(p.value - p.low) * size / whole for p, size in pairs if p.low is not None]
    highs = [(p.high - p.value) * size / whole for p, size in pairs if p.high is not None]
    ends: tuple[float | None, float | None] = (None, None)
    if len(lows) == len(highs) == len(parts):
        ends = value - hypot(*lows), value + hypot(*highs)
    of, is_high = (group.name, group.model, group.metric), all(p.is_better_high for p in parts)
    results, total = sum(p.results for p in parts), sum(p.total for p in parts)
    return Score(*of, value, *ends, results, is_high, total, len(parts))
