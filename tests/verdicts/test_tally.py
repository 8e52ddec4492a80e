"""Verdicts of tests: results compared with expectations."""

from __future__ import annotations

import pytest
from support.results import make_result, tally_of

from lve.spec.spec import Expectation
from lve.verdicts.summary import Summary

RATE = Expectation("rate", ">=", 0.8)
EXPECTATIONS = {
    "pass": Expectation("pass"),
    "fail": Expectation("fail"),
    "rate": RATE,
    "low rate": Expectation("rate", "<=", 0.2),
}


@pytest.mark.parametrize(
    ("expect", "counts", "complete", "verdict", "words"),
    [
        ("pass", "3p", True, "passed", ""),
        ("pass", "2p 1f", True, "failed", "1 of 3 failed"),
        ("pass", "2p 1e", True, "error", "1 of 3 ended in an error"),
        ("pass", "1p 1f 1e", True, "failed", "1 of 2 failed, 1 of 3 ended in an error"),
        ("pass", "2p 1i", True, "inconclusive", "no clear verdict"),
        ("pass", "", True, "inconclusive", "no row was run"),
        ("pass", "2p", False, "inconclusive", "unfinished: 2 done"),
        ("pass", "2p 1f", False, "failed", "1 of 3 failed; unfinished: 3 done"),
        ("pass", "2p 1e", False, "error", "ended in an error; unfinished: 3 done"),
        ("fail", "3f", True, "passed", "all 3 failed, as expected"),
        ("fail", "3f 1p", True, "failed", "1 of 4 passed, and the test expects all to fail"),
        ("fail", "3f 1e", True, "error", "1 of 4"),
        ("fail", "3f", False, "inconclusive", "unfinished"),
        ("fail", "", True, "inconclusive", "no row was run"),
        ("rate", "100p", True, "passed", "100/100"),
        ("rate", "100f", True, "failed", "expected >= 0.8"),
        ("rate", "4p 1f", True, "inconclusive", "at least 0.342"),
        ("rate", "100p 1e", True, "passed", "100/100"),
        ("rate", "100p 60e", True, "error", "60 of 160 ended in an error"),
        ("rate", "20f", True, "failed", "0/20"),
        ("rate", "20f 400e", True, "error", "400 of 420 ended in an error"),
        ("low rate", "20p 400e", True, "error", "400 of 420 ended in an error"),
        ("rate", "100p 60e", False, "error", "ended in an error; unfinished: 160 done; pass rate"),
        ("rate", "4p 1f", False, "inconclusive", "unfinished: 5 done; pass rate"),
        ("rate", "100p", False, "inconclusive", "unfinished"),
        ("low rate", "100f", True, "passed", "expected <= 0.2"),
        ("low rate", "100p", True, "failed", "expected <= 0.2"),
    ],
)
def test_verdicts(expect: str, counts: str, complete: bool, verdict: str, words: str) -> None:
    found, reason = tally_of(counts, EXPECTATIONS[expect], complete=complete).verdict()
    assert found == verdict
    assert words in reason


def test_a_summary_adds_up_its_tests() -> None:
    summary = Summary()
    summary.expect("a", "m", Expectation("pass")).coverage.complete()
    summary.expect("never", "m", Expectation("pass"))
    for line in range(3):
        summary.add(make_result(test="a", model="m", line=line + 1, cost=0.1))
    summary.add(make_result(test="a", model="n", verdict="failed", recorded="passed"))
    summary.add(make_result(test="a", model="n", verdict="error", error_kind="timeout"))
    summary.skipped["s"] = "later"
    summary.invalid["i"] = ("test.json:1:1: no",)
    data = summary.to_json()
    assert data["tests"] == {
        "total": 3,
        "passed": 1,
        "failed": 1,
        "error": 0,
        "inconclusive": 1,
        "skipped": 1,
        "invalid": 1,
        "advisory": 0,
    }
    assert data["instances"]["total"] == 5
    assert data["instances"]["error"] == 1
    assert data["error_kinds"] == {"timeout": 1}
    assert data["agreement"] == {"compared": 1, "same": 0, "now_failed": 1, "now_passed": 0}
    assert data["usage"] == {"prompt_tokens": 15, "completion_tokens": 20}
    assert data["cost"] == pytest.approx(0.3)
    assert data["served_models"] == {"m": ["m-1"], "n": ["m-1"]}


def test_advice_fails_nothing_unless_results_that_count_do() -> None:
    summary = Summary()
    for line in (1, 2):
        summary.add(make_result(test="a", line=line, verdict="failed", advisory=True))
    summary.add(make_result(test="b", verdict="error", advisory=True, error_kind="checker"))
    summary.complete()
    assert summary.advisory() == {"failed": 1}
    assert summary.verdicts() == {"error": 1}
    assert summary.tests_text() == "2 tests: 1 with errors, 1 advisory (1 failed)"
    summary.add(make_result(test="a", line=3, verdict="failed"))
    assert summary.verdicts() == {"error": 1, "failed": 1}


def test_a_test_without_a_rate_counts_what_is_recorded() -> None:
    tally = tally_of("2p", Expectation())
    tally.coverage.not_recorded.add("t/x.jsonl:3")
    assert tally.verdict() == ("passed", "")
