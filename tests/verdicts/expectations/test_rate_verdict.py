"""The verdict of a test that expects a rate or a count."""

from __future__ import annotations

from typing import Any

import pytest
from support.results import make_result, tally_of

from lve.spec.expectation import expectation_of
from lve.spec.spec import Expectation
from lve.verdicts.rates.statistics import pass_rate
from lve.verdicts.tally import Tally

RATE = Expectation("rate", ">=", 0.8)


def test_numbers_that_were_looked_at_before_are_judged_more_strictly() -> None:
    assert tally_of("13p", RATE).verdict()[0] == "inconclusive"
    assert tally_of("14p", RATE).verdict()[0] == "passed"
    checked = tally_of("19p", RATE)
    checked.is_sequential = True
    assert checked.verdict()[0] == "inconclusive"
    assert checked.rate.low < 0.8


def claimed(verdicts: list[str], repeats: int = 1, **keys: Any) -> Tally:
    """Return a tally about the population: one instance per letter, all of whose repeats agree."""
    tally = Tally("a", "m", Expectation("rate", ">=", 0.7, claim="population", **keys))
    names = {"p": "passed", "f": "failed", "e": "error"}
    for line, letters in enumerate(verdicts, 1):
        for repeat, letter in enumerate(letters * repeats):
            args = {"group": line // 5}
            tally.add(
                make_result(
                    source="rows.csv", line=line, repeat=repeat, verdict=names[letter], args=args
                )
            )
    tally.coverage.complete()
    return tally


def test_a_claim_about_the_population_counts_instances() -> None:
    outcome, reason = claimed(["p"] * 9).verdict()
    assert outcome == "passed"
    assert "of rows like these 1 (at least 0.716 with 95 % confidence) from 9 rows" in reason
    assert claimed(["p"] * 8, repeats=50).verdict()[0] == "inconclusive"
    assert claimed(["f"] * 8 + ["p"], repeats=3).verdict()[0] == "failed"
    assert claimed(["p"] * 9 + ["e"] * 3).verdict()[0] == "error", "the errors could have failed"
    assert claimed(["p"] * 90 + ["e"]).verdict()[0] == "passed"
    assert "no results" in claimed([]).verdict()[1]


def test_clusters_are_the_values_of_a_column() -> None:
    outcome, reason = claimed(["p"] * 30, cluster="group").verdict()
    assert outcome == "inconclusive"
    assert "from 7 clusters by group" in reason
    assert claimed(["p"] * 60, cluster="group").verdict()[0] == "passed"


def test_what_is_shown_of_the_population_agrees_with_the_verdict() -> None:
    found = claimed(["p"] * 9).population()
    assert found is not None
    assert found.has_bounds
    assert found.low >= 0.7
    beside = tally_of("9p", RATE).population()
    assert beside is not None
    assert not beside.has_bounds


def test_a_rate_whose_repeats_are_alike_is_a_count() -> None:
    expect = Expectation("rate", ">=", 0.7, has_alike_repeats=True)
    tally = Tally("a", "m", expect)
    for line in range(1, 12):
        for repeat in range(5):
            verdict = "passed" if line <= 8 else "failed"
            tally.add(make_result(source="rows.csv", line=line, repeat=repeat, verdict=verdict))
    tally.coverage.complete()
    assert tally.verdict() == (
        "passed",
        "40 of 55 passed (72.7%), expected at least 70% (counted, because repeats would be alike)",
    )
    apart = pass_rate(40, 55)
    assert not tally.rate.has_bounds
    assert tally.rate.low < apart.low - 0.05, "the interval doesn't take repeats for new evidence"


def test_of_a_population_alike_repeats_say_no_more_than_one() -> None:
    expect = Expectation("rate", ">=", 0.7, claim="population", has_alike_repeats=True)
    tally = Tally("a", "m", expect)
    for line in range(1, 12):
        for repeat in range(5):
            tally.add(make_result(source="rows.csv", line=line, repeat=repeat, verdict="passed"))
            tally.coverage.complete()
        if line == 10:
            assert tally.verdict()[0] == "inconclusive"
    assert tally.verdict()[0] == "passed"
    assert str(tally.rate) == "55/55 = 1 (at least 0.716 with 95 % confidence)"


@pytest.mark.parametrize(
    ("expect", "passed", "verdict"),
    [
        ({"at_least": 3}, 3, "inconclusive"),
        ({"at_least": 0.1}, 3, "inconclusive"),
        ({"at_least": 0.9}, 0, "inconclusive"),
        ({"at_most": 3}, 3, "inconclusive"),
        ({"at_most": 3}, 4, "failed"),
        ({"at_most": 0.1}, 4, "inconclusive"),
    ],
)
def test_what_an_unfinished_count_decides(
    expect: dict[str, object], passed: int, verdict: str
) -> None:
    """Only what no further result can change, and never that it passed: not all was looked at."""
    tally = Tally("a", "m", expectation_of({"expect": expect}))
    for line in range(1, 6):
        tally.add(
            make_result(
                source="rows.csv", line=line, verdict="passed" if line <= passed else "failed"
            )
        )
    outcome, reason = tally.verdict()
    assert outcome == verdict
    assert "unfinished: 5 done" in reason


def test_a_count_of_results_is_a_fact_about_them() -> None:
    """44 of 60 were undecided: "about 540 instances would decide"."""
    expect = expectation_of({"expect": {"at_least": 0.7}})
    tally = Tally("a", "m", expect)
    for line in range(1, 61):
        tally.add(
            make_result(source="rows.csv", line=line, verdict="passed" if line <= 44 else "failed")
        )
    assert tally.verdict() == (
        "inconclusive",
        "unfinished: 60 done; 44 of 60 passed (73.3%), expected at least 70%",
    )
    tally.coverage.complete()
    assert tally.verdict() == ("passed", "44 of 60 passed (73.3%), expected at least 70%")
    assert not tally.rate.has_bounds
    tally.add(make_result(source="rows.csv", line=61, verdict="error"))
    assert tally.verdict()[0] == "passed", "44 of 61 are at least 70 %, too"
    for line in range(62, 65):
        tally.add(make_result(source="rows.csv", line=line, verdict="error"))
    outcome, reason = tally.verdict()
    assert outcome == "error"
    assert reason.startswith("4 of 64 ended in an error; 44 of 60 passed")


SHARES = [
    ({"at_least": 0.5}, "2p", 2, "passed"),
    ({"at_least": 0.75}, "2p", 2, "inconclusive"),
    ({"at_least": 0.75}, "2f", 2, "failed"),
    ({"at_least": 0.75}, "1p 1f", 2, "inconclusive"),
    ({"at_most": 0.5}, "2f", 2, "passed"),
    ({"at_most": 0.25}, "2f", 2, "inconclusive"),
    ({"at_most": 0.25}, "2p", 2, "failed"),
    ({"at_least": 2}, "2p", 2, "passed"),
    ({"at_least": 3}, "2p", 2, "inconclusive"),
    ({"at_least": 3}, "2f", 2, "failed"),
    ({"at_most": 2}, "2p", 2, "inconclusive"),
    ({"at_most": 1}, "2p", 2, "failed"),
    ({"at_least": 0.5, "max_errors": 1}, "2p 1e", 2, "passed"),
    ({"at_least": 0.75, "max_errors": 1}, "2p 1e", 2, "inconclusive"),
    ({"pass_rate": ">=0.5"}, "30p", 1, "passed"),
    ({"pass_rate": ">=0.8"}, "30p", 5, "inconclusive"),
    ({"pass_rate": ">=0.5", "claim": "population"}, "1p", 0, "inconclusive"),
]


@pytest.mark.parametrize(("expect", "counts", "missing", "verdict"), SHARES)
def test_what_is_not_recorded_could_pass_or_fail(
    expect: dict[str, object], counts: str, missing: int, verdict: str
) -> None:
    """2 of 4 recorded rows were green for "at least 75 %": 2 of 2."""
    document = {"expect": expect, "default_model_args": {"temperature": 1}}
    tally = tally_of(counts, expectation_of(document))
    for line in range(missing):
        tally.coverage.not_recorded.add(f"t/x.jsonl:{line}")
    outcome, reason = tally.verdict()
    assert outcome == verdict
    words = f"{missing} rows have no recorded answer, which could change that: `lve record "
    assert (words in reason) == (verdict == "inconclusive" and missing > 0)


@pytest.mark.parametrize("cluster", [None, "g"])
def test_a_claim_about_the_population_does_not_rest_on_what_happens_to_be_recorded(
    cluster: str | None,
) -> None:
    tally = Tally("t", "m", Expectation("rate", ">=", 0.8, claim="population", cluster=cluster))
    for line in range(1, 41):
        tally.add(make_result(source="rows.csv", line=line, args={"g": line}))
    tally.coverage.complete()
    assert tally.verdict()[0] == "passed"
    for line in range(20):
        tally.coverage.not_recorded.add(f"t/x.jsonl:{line}")
    outcome, reason = tally.verdict()
    assert outcome == "inconclusive"
    assert "20 rows have no recorded answer" in reason


@pytest.mark.parametrize(
    ("rows", "repeats", "words"),
    [(1, 3, "1 row has"), (0, 3, "3 repeats have"), (0, 1, "1 repeat has"), (2, 0, "2 rows have")],
)
def test_missing_repeats_are_missing_results(rows: int, repeats: int, words: str) -> None:
    tally = tally_of("2p", expectation_of({"expect": {"at_least": 0.75}}))
    tally.coverage.not_recorded.count, tally.coverage.not_recorded.repeats = rows, repeats
    tally.coverage.not_recorded.folder = "a/t"
    outcome, reason = tally.verdict()
    assert outcome == "inconclusive"
    assert f"; {words} no recorded answer, which could change that: `lve record a/t` asks" in reason


@pytest.mark.parametrize(
    ("expect", "counts", "verdict"),
    [
        ({"at_least": 0.5}, "2p 2i", "passed"),
        ({"at_least": 0.75}, "2p 2i", "inconclusive"),
        ({"at_least": 0.75}, "2f 2i", "failed"),
        ({"at_least": 3}, "2p 2i", "inconclusive"),
    ],
)
def test_a_result_without_a_clear_verdict_could_pass_or_fail(
    expect: dict[str, object], counts: str, verdict: str
) -> None:
    outcome, reason = tally_of(counts, expectation_of({"expect": expect})).verdict()
    assert outcome == verdict
    assert ("2 results without a clear verdict could" in reason) == (verdict == "inconclusive")


@pytest.mark.parametrize(
    ("expect", "counts", "left", "verdict"),
    [
        ({"at_least": 0.9}, "3p 2f", 5, "failed"),
        ({"at_least": 0.9}, "4p 1f", 5, "inconclusive"),
        ({"at_least": 0.9}, "4p 1f", 4, "failed"),
        ({"at_least": 0.9}, "3p 2f", None, "inconclusive"),
        ({"at_least": 9}, "3p 2f", 5, "failed"),
        ({"at_least": 8}, "3p 2f", 5, "inconclusive"),
        ({"at_least": 42}, "3p 2f", 5, "inconclusive"),
        ({"at_least": 3}, "3p 2f", 5, "inconclusive"),
        ({"at_most": 0.2}, "3p 2f", 5, "failed"),
        ({"at_most": 0.3}, "3p 2f", 5, "inconclusive"),
        ({"at_least": 0.9}, "3p 1f 1e", 5, "inconclusive"),
        ({"at_least": 0.9}, "3p 2e", 5, "error"),
        ({"at_least": 0.9}, "2p 2f 1e", 5, "failed"),
        ({"pass_rate": ">=0.9"}, "0p 40f", 5, "inconclusive"),
    ],
)
def test_an_expectation_that_is_lost_has_failed_before_all_has_run(
    expect: dict[str, object], counts: str, left: int | None, verdict: str
) -> None:
    tally = tally_of(counts, expectation_of({"expect": expect}), complete=False)
    tally.coverage.left = left
    outcome, reason = tally.verdict()
    assert outcome == verdict
    assert "unfinished: " in reason
    lost = f"; what is left ({left} results) can't change that"
    assert (lost in reason) == (verdict == "failed")


@pytest.mark.parametrize(("left", "is_told"), [(1, False), (0, True)])
def test_rows_that_are_still_to_come_are_not_too_few(left: int, is_told: bool) -> None:
    counts = tally_of("2p", expectation_of({"expect": {"at_least": 3}}))
    counts.coverage.left, counts.coverage.is_complete = left, False
    assert ("too few results to tell" in counts.verdict()[1]) is is_told
