"""What a checker in lve's own process returns: an odd verdict is an error of that instance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from support.judging import judge_answers, transcript

from lve.checkers.binding.bound import BoundChecker, CheckerArguments
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import Judge
from lve.checkers.usable_names import Needs


@dataclass
class Odd:
    """A checker of a plugin."""

    answer: Any

    def check(self, context: CheckContext) -> Any:
        return self.answer

    def work(self, context: CheckContext) -> int:
        return 1

    def prepare(self) -> None: ...

    def postprocess_response(self, response: str) -> str:
        return response


def judge_with(*answers: object) -> Judge:
    return Judge(
        [BoundChecker("Odd", Odd, CheckerArguments({}), Odd(a), Needs("Odd")) for a in answers]
    )


WAYS: dict[str, Callable[[Judge], Verdict]] = {
    "judge": lambda judge: judge_answers(judge, "x"),
    "in process": lambda judge: judge.judge_in_process(CheckContext((transcript("x"),))),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Verdict("passed", score=float("nan")), "Odd: gave a score that is no number from"),
        (Verdict("passed", score=10**400), "Odd: gave a score that is no number from"),
        (Verdict("pass"), "Odd: gave the verdict 'pass', which is none of"),  # type: ignore[arg-type]
        (True, "Odd: gave no verdict: bool"),
        (None, "Odd: gave no verdict: NoneType"),
    ],
)
def test_an_odd_verdict_is_an_error_in_one_sentence(answer: object, reason: str, way: str) -> None:
    for judge in (judge_with(answer), judge_with(Verdict("passed"), answer)):
        verdict = WAYS[way](judge)
        assert (verdict.outcome, verdict.score) == ("error", None)
        assert reason in verdict.reason


@pytest.mark.parametrize("way", WAYS)
def test_a_reason_that_is_no_text_becomes_one(way: str) -> None:
    assert WAYS[way](judge_with(Verdict("failed", 7, 1))) == Verdict("failed", "7", 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", WAYS)
def test_a_long_reason_is_cut(way: str) -> None:
    reason = WAYS[way](judge_with(Verdict("failed", "x" * 10**6))).reason
    assert len(reason) == 100_000
