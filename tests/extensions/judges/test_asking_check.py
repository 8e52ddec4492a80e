"""What checks that ask a model have in common."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from support.judges import Panel, ask, no, yes
from support.judging import judge_of

from lve.checkers.arguments import ArgumentError
from lve.checkers.contract import Verdict
from lve.checkers.questions import UnansweredError
from lve.errors import CheckerError
from lve.extensions.judges.asking_check import (
    ask_all,
    check_votes,
    majority_verdict,
    reasoning,
)

GOOD, BAD = Verdict("passed", "good", 1.0), Verdict("failed", "bad", 0.0)
UNREAD = CheckerError("says nothing")


def test_all_questions_are_asked_before_one_is_missed() -> None:
    asked: list[int] = []

    def answer(number: int) -> int:
        asked.append(number)
        if number != 1:
            raise UnansweredError(str(number))
        return number

    with pytest.raises(UnansweredError, match="2"):
        ask_all(partial(answer, number) for number in range(3))
    assert asked == [0, 1, 2]
    assert ask_all([partial(answer, 1)]) == [1]


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [
        ([GOOD], GOOD),
        ([BAD], BAD),
        ([BAD, GOOD, GOOD], Verdict("passed", "2 of 3 votes pass: good", 2 / 3)),
        ([BAD, GOOD, BAD], Verdict("failed", "1 of 3 votes passes: bad", 1 / 3)),
        ([GOOD, UNREAD, GOOD],
         Verdict("passed", "2 of 3 votes pass (1 without a verdict): good", 1.0)),
        ([UNREAD, BAD, BAD],
         Verdict("failed", "0 of 3 votes pass (1 without a verdict): bad", 0.0)),
        ([GOOD, UNREAD, UNREAD, GOOD, GOOD],
         Verdict("passed", "3 of 5 votes pass (2 without a verdict): good", 1.0)),
    ],
)  # fmt: skip
def test_the_majority_decides(votes: list[Verdict | CheckerError], verdict: Verdict) -> None:
    decided = majority_verdict(votes)
    assert (decided.outcome, decided.reason) == (verdict.outcome, verdict.reason)
    assert decided.score == pytest.approx(verdict.score)


@pytest.mark.parametrize(
    "votes", [[UNREAD], [GOOD, UNREAD, BAD], [GOOD, UNREAD, UNREAD], [UNREAD, BAD, UNREAD]]
)
def test_without_a_majority_it_is_an_error(votes: list[Verdict | CheckerError]) -> None:
    with pytest.raises(CheckerError, match="says nothing"):
        majority_verdict(votes)


@pytest.mark.parametrize(("votes", "needs_odd"), [(0, False), (26, False), (2, True)])
def test_a_number_of_votes_may_be_impossible(votes: int, needs_odd: bool) -> None:
    with pytest.raises(ArgumentError):
        check_votes(votes, needs_odd=needs_odd)


def test_a_number_of_votes_is_possible() -> None:
    check_votes(1, needs_odd=True)
    check_votes(25, needs_odd=True)
    check_votes(2, needs_odd=False)


def test_all_runs_have_to_pass(tmp_path: Path) -> None:
    judge = judge_of({"judge": "c"}, tmp_path)
    verdict = ask(judge, Panel([yes(), no()]), "Hello!", "Bye!")
    assert (verdict.outcome, verdict.reason) == ("failed", "run 2 of 2: no: It is not so.")
    assert ask(judge, Panel([yes()]), "Hello!", "Bye!").reason == "all 2 runs: yes: It is so."


def test_reasoning_is_one_short_line() -> None:
    assert reasoning({"reasoning": " a\n b "}) == "a b"
    assert reasoning({}) == "no reasoning given"
    assert len(reasoning({"reasoning": "x" * 1000})) < 400
