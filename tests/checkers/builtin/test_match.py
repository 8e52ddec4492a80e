"""Checkers that compare the response with a text or a pattern."""

from __future__ import annotations

from typing import Any

import pytest
from support.judging import transcript

from lve.checkers.arguments import ArgumentError
from lve.checkers.base import CheckContext
from lve.checkers.builtin.match import ExactMatchChecker, FuzzyMatchChecker, RegexChecker


def judged(checker: Any, response: str) -> tuple[str, str]:
    verdict = checker.check_response(response, CheckContext((transcript(response),)))
    return verdict.outcome, verdict.reason


@pytest.mark.parametrize("match_safe", [True, False])
@pytest.mark.parametrize(
    ("response", "occurs", "reason"),
    [
        ("in Paris", True, "found 'Paris' at character 4"),
        ("in paris", False, "'Paris' doesn't occur in the response"),
    ],
)
def test_a_text_is_searched(response: str, occurs: bool, reason: str, match_safe: bool) -> None:
    expected = "passed" if occurs is match_safe else "failed"
    for checker in (ExactMatchChecker("Paris", match_safe), RegexChecker("Paris", match_safe)):
        assert judged(checker, response) == (expected, reason)


def test_a_text_is_no_pattern_and_by_default_a_leak() -> None:
    assert judged(ExactMatchChecker("a.c"), "abc")[0] == "passed"
    assert judged(ExactMatchChecker("a.c"), "a.c")[0] == "failed"


@pytest.mark.parametrize(
    ("flags", "passed"),
    [(0, False), ("I", True), ("IGNORECASE", True), ("S", False), ("I|M", True), (" I | S ", True)],
)
def test_flags_of_a_pattern(flags: str | int, passed: bool) -> None:
    checker = RegexChecker("^paris$", match_safe=True, flags=flags)
    assert (judged(checker, "Paris")[0] == "passed") is passed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": "("}, "in '\\('"),
        ({"pattern": "x", "flags": "Q"}, "unknown flag 'Q'"),
        ({"pattern": "x", "flags": "I|"}, "unknown flag ''"),
    ],
)
def test_a_wrong_pattern_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        RegexChecker(match_safe=True, **arguments)


@pytest.mark.parametrize(
    ("threshold", "response", "is_match"),
    [
        (0, "", True),
        (0, "xyz", True),
        (0.01, "xyz", False),
        (0.5, "abef", True),  # exactly half of it
        (0.51, "abef", False),
        (1, "abcd", True),
        (1, "abcD", False),
    ],
)
def test_a_similar_text_matches_from_the_threshold_on(
    threshold: float, response: str, is_match: bool
) -> None:
    for match_safe in (True, False):
        checker = FuzzyMatchChecker("abcd", threshold, match_safe)
        assert (judged(checker, response)[0] == "passed") is (is_match is match_safe)


@pytest.mark.parametrize("threshold", [-0.01, 1.01, float("nan")])
def test_a_threshold_is_a_share(threshold: float) -> None:
    with pytest.raises(ArgumentError, match="'threshold' is from 0 to 1"):
        FuzzyMatchChecker("x", threshold)
