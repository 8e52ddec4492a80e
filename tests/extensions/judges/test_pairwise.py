"""Which of two answers is better, in both orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, ask, broken, text_of
from support.judging import judge_of

FIRST, SECOND, EQUAL = ({"reasoning": "r", "better": b} for b in ("first", "second", "equal"))
CHECK = {"pairwise": "It is clearer.", "against": "the other"}


@pytest.mark.parametrize(
    ("says", "more", "expected", "score"),
    [
        ([FIRST, SECOND], {}, "passed", 1.0),
        ([SECOND, FIRST], {}, "failed", 0.0),
        ([FIRST, FIRST], {}, "failed", 0.5),
        ([FIRST, FIRST], {"ties": "pass"}, "passed", 0.5),
        ([FIRST, FIRST], {"ties": "error"}, "error", None),
        ([SECOND, SECOND], {}, "failed", 0.5),
        ([EQUAL, EQUAL], {}, "failed", 0.5),
        ([EQUAL, EQUAL], {"ties": "pass"}, "passed", 0.5),
        ([EQUAL, EQUAL], {"ties": "error"}, "error", None),
        ([FIRST, EQUAL], {"ties": "fail"}, "passed", 0.75),
        ([EQUAL, FIRST], {}, "failed", 0.25),
        ([FIRST, FIRST, SECOND, SECOND], {"votes": 2, "ties": "fail"}, "passed", 1.0),
        ([FIRST, SECOND, SECOND, FIRST], {"votes": 2, "ties": "fail"}, "failed", 0.5),
        ([FIRST, broken()], {}, "error", None),
    ],
)
def test_verdict(
    says: list[Any], more: dict[str, Any], expected: str, score: float | None, tmp_path: Path
) -> None:
    panel = Panel(says)
    verdict = ask(judge_of({**CHECK, **more}, tmp_path), panel, "mine")
    assert (verdict.outcome, verdict.score) == (expected, score), verdict.reason
    assert len(panel.asked) == len(says)


def test_the_answers_change_places(tmp_path: Path) -> None:
    panel = Panel([FIRST, SECOND])
    ask(judge_of(CHECK, tmp_path), panel, "mine")
    one, other = map(text_of, panel.asked)
    assert one.index("mine") < one.index("the other")
    assert other.index("the other") < other.index("mine")
    assert "BEGIN FIRST ANSWER" in one


def test_a_judge_that_prefers_a_place_gives_a_tie(tmp_path: Path) -> None:
    for favourite in (FIRST, SECOND):
        panel = Panel(lambda _, say=favourite: say)  # type: ignore[misc]
        verdict = ask(judge_of({**CHECK, "votes": 3}, tmp_path), panel, "mine")
        assert (verdict.outcome, verdict.score) == ("failed", 0.5)
        place = favourite["better"]
        bias = f"a tie: the judge always prefers the {place} answer, whichever it is; "
        assert verdict.reason.startswith(bias)


def test_a_judge_that_prefers_an_answer_prefers_no_place(tmp_path: Path) -> None:
    for says in ([FIRST, SECOND], [EQUAL, EQUAL], [FIRST, EQUAL]):
        verdict = ask(judge_of(CHECK, tmp_path), Panel(says), "mine")
        assert "always prefers" not in verdict.reason


def test_votes_decide_without_one_that_can_not_be_had(tmp_path: Path) -> None:
    def outcome_of(*votes: Any) -> str:
        check = {**CHECK, "votes": len(votes) // 2}
        return ask(judge_of(check, tmp_path), Panel(votes), "mine").outcome

    problem = broken()
    assert outcome_of(FIRST, FIRST, problem, SECOND, SECOND, SECOND) == "passed"
    assert outcome_of(SECOND, SECOND, problem, FIRST, FIRST, FIRST) == "failed"
    assert outcome_of(FIRST, FIRST, SECOND, problem, SECOND, FIRST) == "error"
    assert outcome_of(problem, problem, SECOND, SECOND) == "error"


def test_equal_answers_are_a_tie_and_no_judge_is_asked(tmp_path: Path) -> None:
    for ties, outcome in (("pass", "passed"), ("fail", "failed"), ("error", "error")):
        panel = Panel([FIRST])
        verdict = ask(judge_of({**CHECK, "ties": ties}, tmp_path), panel, " the other\n")
        assert (verdict.outcome, panel.asked) == (outcome, [])
        assert "a tie: both answers are the same" in verdict.reason


def test_the_other_answer_is_the_right_one_or_the_recorded_one(tmp_path: Path) -> None:
    panel = Panel([FIRST, SECOND])
    assert ask(judge_of({"pairwise": "c"}, tmp_path), panel, "m", reference="REF").passed
    assert "REF" in text_of(panel.asked[0])
    judge = judge_of({"pairwise": "c", "recorded": True}, tmp_path)
    panel = Panel([FIRST, SECOND])
    assert ask(judge, panel, "m", reference="REF", recorded=("REC",)).passed
    assert "REC" in text_of(panel.asked[0])
    assert "REF" not in text_of(panel.asked[0])
    for check in ({"pairwise": "c"}, {"pairwise": "c", "recorded": True}):
        assert ask(judge_of(check, tmp_path), panel, "m").outcome == "error"


def test_the_judge_is_told_what_to_reply(tmp_path: Path) -> None:
    panel = Panel([FIRST, SECOND])
    ask(judge_of(CHECK, tmp_path), panel, "mine")
    schema = panel.asked[0].args["response_format"]["json_schema"]["schema"]
    assert schema == {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "better": {"type": "string", "enum": ["first", "equal", "second"]},
        },
        "required": ["reasoning", "better"],
        "additionalProperties": False,
    }
