"""Expectations in words."""

from __future__ import annotations

import pytest

from lve.spec.expectation import expectation_of


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        ("pass", "pass"),
        ("fail", "fail"),
        ({"pass_rate": ">=0.9"}, "pass rate >= 0.9 (confidence 0.95)"),
        (
            {"pass_rate": "<0.5", "claim": "population", "confidence": 0.9},
            "pass rate of rows like these < 0.5 (confidence 0.9)",
        ),
        ({"at_least": 0.9}, "at least 90% of the results pass"),
        ({"at_least": 1234}, "at least 1,234 of the results pass"),
        ({"at_most": "2.5%"}, "at most 2.5% of the results pass"),
    ],
)
def test_an_expectation_in_words(expect: object, words: str) -> None:
    assert expectation_of({"expect": expect}).in_words == words


@pytest.mark.parametrize(
    ("expect", "results"),
    [
        ("pass", False),
        ({"pass_rate": 0.9}, False),
        ({"pass_rate": 0.9, "claim": "population"}, False),
        ({"at_least": 0.9}, True),
    ],
)
def test_what_an_expectation_counts(expect: object, results: bool) -> None:
    expectation = expectation_of({"expect": expect, "default_model_args": {"temperature": 1}})
    assert expectation.counts_results == results


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (">=0.9", "at least 90%"),
        (">0.9", "more than 90%"),
        ("<=0.9", "at most 90%"),
        ("<0.9", "less than 90%"),
    ],
)
def test_a_rate_of_these_instances_at_temperature_0_is_a_count(rate: str, words: str) -> None:
    document = {"expect": {"pass_rate": rate}, "default_model_args": {"temperature": 0}}
    expect = expectation_of(document)
    assert expect.counts_results
    assert expect.in_words == f"{words} of the results pass"
    about_others = {"pass_rate": rate, "claim": "population"}
    assert not expectation_of({**document, "expect": about_others}).counts_results
