"""What lets a change pass, and what doesn't."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from comparison.compared import compared, verdicts, write_session

from lve.comparison.compare import compare
from lve.comparison.gate_verdict import decide_gate
from lve.comparison.session_side import SessionSide
from lve.settings.settings import ComparisonSettings


@pytest.mark.parametrize(
    ("before", "now", "settings", "verdict", "reason"),
    [
        # Ten rows that don't vary: each of them counts.
        ("P" * 10, "P" * 10, {}, "passed", ""),
        ("P" * 10, "P" * 9 + "F", {}, "regressed", "1 of 10 results broke"),
        ("PF" * 5, "FP" * 5, {}, "regressed", "5 of 10 results broke"),
        ("F" * 10, "P" * 10, {}, "passed", ""),
        # Hundreds of rows: single ones break by chance, and a loss would be seen.
        ("P" * 200 + "F" * 3, "F" * 2 + "P" * 201, {}, "passed", ""),
        ("P" * 200, "F" * 12 + "P" * 188, {}, "regressed", "significantly worse"),
        ("P" * 200, "F" + "P" * 199, {"gate": "any"}, "regressed", "1 of 200 results broke"),
        # Answers that vary so much hide a loss, however many rows there are: no green, and no red.
        ("PF" * 100, "PF" * 60 + "FP" * 40, {}, "undecided", "with 200 rows, only a drop of"),
        # Repeats vary, so that a flip alone says nothing; few of them say nothing at all.
        ("PPP " * 5, "PPF " * 5, {}, "undecided", "too few rows to tell: with 5 rows, no drop"),
        ("PPP " * 8, "PPF " * 8, {}, "regressed", "significantly worse"),
        ("PPP " * 8, "PPP " * 8, {}, "undecided", "with 8 rows, only a drop of"),
        ("PPP " * 8, "PPP " * 8, {"resolution": 1}, "passed", ""),
        ("PPP " * 8, "PPP " * 7 + "PPF", {"gate": "any"}, "regressed", "1 of 24 results broke"),
        # By significance alone, a small suite never passes.
        (
            "PPPPP",
            "FFFFF",
            {"gate": "significant"},
            "undecided",
            "with 5 rows, no drop would",
        ),
        (
            "P" * 40,
            "P" * 40,
            {"gate": "significant"},
            "undecided",
            "19.0 points or more would be noticed",
        ),
        ("P" * 40, "P" * 40, {"gate": "significant", "resolution": 0.2}, "passed", ""),
        # So few passed before that they can't lose more than `resolution`, however many rows.
        ("PPPP" + "F" * 196, "PPPP" + "F" * 196, {}, "passed", ""),
        (
            "PPPP" + "F" * 26,
            "PPPP" + "F" * 26,
            {"gate": "significant"},
            "undecided",
            "no drop would",
        ),
        # A number of rows that may break.
        ("P" * 9, "FF" + "P" * 7, {"max_broken": 2}, "passed", ""),
        (
            "P" * 9,
            "FFF" + "P" * 6,
            {"max_broken": 2},
            "regressed",
            "3 of 9 results broke, and 2 may",
        ),
        ("P" * 200, "F" * 50 + "P" * 150, {"max_broken": 50}, "passed", ""),
        # What wasn't compared.
        ("P" * 20, "P" * 10 + "E" * 10, {}, "unjudged", "10 results had a verdict before"),
        ("P" * 20, "F" + "P" * 9 + "E" * 10, {}, "regressed", "1 of 10 results broke"),
        ("P" * 20, "P" * 12, {}, "undecided", "8 results of before are gone"),
        ("P" * 20, "P" * 19, {}, "undecided", "1 result of before is gone"),
        ("P" * 20, "P" * 12, {"allow_missing": True}, "passed", ""),
        ("P" * 20, "P" * 19 + "E", {"allow_missing": True}, "passed", ""),
        ("EE", "PP", {}, "unjudged", "nothing was compared"),
        ("EP", "PP", {}, "passed", ""),
        ("PP", "PPP", {}, "passed", ""),
    ],
)
def test_a_gate_is_green_only_if_it_would_have_seen_a_loss(
    tmp_path: Path, before: str, now: str, settings: dict[str, Any], verdict: str, reason: str
) -> None:
    decision = decide_gate(compared(tmp_path, verdicts(before), verdicts(now), **settings))
    assert (decision.verdict.name, bool(decision.reasons)) == (verdict, bool(reason))
    assert reason in "; ".join(decision.reasons)


def test_advisory_tests_open_and_close_no_gate(tmp_path: Path) -> None:
    advice = {"test": "advice", "advisory": True}
    before = [*verdicts("PPP"), *verdicts("PPPP", **advice)]
    now = [*verdicts("PPP"), *verdicts("FFE", **advice)]
    decision = decide_gate(compared(tmp_path, before, now))
    assert decision.verdict.name == "passed"
    assert decision.rows == (3, 0, 0, 0, 0, 0)


def test_a_test_that_is_gone_closes_the_gate(tmp_path: Path) -> None:
    before = [*verdicts("PPP"), *verdicts("PP", "gone")]
    decision = decide_gate(compared(tmp_path, before, verdicts("PPP")))
    assert decision.verdict.name == "undecided"
    assert decision.rows.gone == 2


def test_exit_codes_are_those_of_the_other_verbs() -> None:
    from lve.comparison.gate_verdict import GateVerdict

    assert {verdict.name: int(verdict.value) for verdict in GateVerdict} == {
        "passed": 0,
        "regressed": 1,
        "unjudged": 3,
        "undecided": 4,
    }


@pytest.mark.parametrize(
    ("now", "words"),
    [("P" * 19, "1 result of before was not compared"), ("P" * 18, "2 results of before were not")],
)
def test_a_run_that_stopped_early_says_so_of_what_it_lacks(
    tmp_path: Path, now: str, words: str
) -> None:
    before = SessionSide(write_session(tmp_path, verdicts("P" * 20)), warn=print)
    stopped = write_session(tmp_path, verdicts(now), day=2, status="budget")
    sides = before, SessionSide(stopped, warn=print)
    decision = decide_gate(compare(*sides, models=None, settings=ComparisonSettings()))
    assert "not everything has run (budget)" in decision.reasons
    assert words in "; ".join(decision.reasons)
