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
            "pass rate of instances like these < 0.5 (confidence 0.9)",
        ),
        ({"at_least": 0.9}, "at least 90% of the results pass"),
        ({"at_least": 1234}, "at least 1,234 of the results pass"),
        ({"at_most": "2.5%"}, "at most 2.5% of the results pass"),
    ],
)
def test_an_expectation_in_words(expect: object, words: str) -> None:
    assert expectation_of({"expect": expect}).in_words == words


@pytest.mark.parametrize(
    ("expect", "results", "clusters"),
    [
        ("pass", False, False),
        ({"pass_rate": 0.9}, False, False),
        ({"pass_rate": 0.9, "claim": "population"}, False, True),
        ({"at_least": 0.9}, True, False),
    ],
)
def test_what_an_expectation_counts(expect: object, results: bool, clusters: bool) -> None:
    expectation = expectation_of({"expect": expect, "default_model_args": {"temperature": 1}})
    assert (expectation.counts_results, expectation.counts_clusters) == (results, clusters)


def test_repeats_at_temperature_0_count_once() -> None:
    document = {"expect": {"pass_rate": 0.9}, "default_model_args": {"temperature": 0}}
    assert expectation_of(document).counts_clusters
    assert not expectation_of({**document, "expect": {"at_least": 0.9}}).counts_clusters
