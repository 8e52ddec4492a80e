"""Grading by criteria, scale and votes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, ask, broken, no, text_of, yes
from support.judging import judge_of

from lve.errors import SpecError

SCALE = {"judge": {"clear": "Easy to read.", "true": "Correct."}, "scale": [1, 5], "threshold": 4}


def outcome(check: Any, folder: Path, *says: Any, answer: str = "Hello!") -> tuple[str, str, Any]:
    verdict = ask(judge_of(check, folder), Panel(list(says)), answer)
    return verdict.outcome, verdict.reason, verdict.score


@pytest.mark.parametrize(
    ("check", "says", "expected", "reason"),
    [
        ({"judge": "c"}, [yes()], "passed", "yes: It is so."),
        ({"judge": "c"}, [no()], "failed", "no: It is not so."),
        ({"judge": ["a", "b"]}, [yes(**{"1": "yes", "2": "no"})], "failed", "'1' yes, '2' no"),
        (SCALE, [yes(clear=4, true=5)], "passed", "'clear' 4, 'true' 5 of 1 to 5 (threshold 4)"),
        (SCALE, [yes(clear=3, true=5)], "failed", "'clear' 3"),
        ({**SCALE, "votes": 2, "vote": "mean"}, [yes(clear=3, true=5), yes(clear=5, true=3)],
         "passed", "'clear' 4, 'true' 4"),
        ({**SCALE, "votes": 2, "vote": "mean"}, [yes(clear=3, true=5), yes(clear=4, true=5)],
         "failed", "'clear' 3.5"),
        ({"judge": "c", "votes": 3}, [yes(), no(), yes()], "passed", "2 of 3 votes pass: yes"),
        ({"judge": "c", "votes": 3}, [yes(), no(), no()], "failed", "1 of 3 votes passes: no"),
        ({"judge": "c", "votes": 4, "vote": "mean"}, [yes(), no(), no(), yes()], "passed", "0.5"),
        ({"judge": "c", "scale": {"0": "bad", "10": "good"}, "threshold": 10}, [yes(**{"1": 0})],
         "failed", "0 of 0 to 10"),
        ({"judge": "c", "scale": [-2, 2], "threshold": 0}, [yes(**{"1": 0})],
         "passed", "0 of -2 to 2 (threshold 0)"),
        ({"closed_qa": "c"}, ['{"reasoning": "r", "meets": "yes"}'], "passed", "yes: r"),
        ({"closed_qa": "c"}, ['{"reasoning": "r", "meets": "no"}'], "failed", "no: r"),
    ],
)  # fmt: skip
def test_verdict(check: Any, says: list[str], expected: str, reason: str, tmp_path: Path) -> None:
    found, why, _ = outcome(check, tmp_path, *says)
    assert (found, reason in why) == (expected, True), why


def test_the_score_is_the_mean_grade_from_0_to_1(tmp_path: Path) -> None:
    assert outcome(SCALE, tmp_path, yes(clear=1, true=5))[2] == 0.5
    assert outcome({"judge": "c", "votes": 3}, tmp_path, yes(), no(), no())[2] == pytest.approx(
        1 / 3
    )


@pytest.mark.parametrize("problem", [broken(), "I can't say."])
def test_votes_decide_without_one_that_can_not_be_had(problem: Any, tmp_path: Path) -> None:
    def outcome_of(*votes: Any, **more: Any) -> tuple[str, str]:
        panel = Panel(lambda question: votes[question.vote])
        verdict = ask(judge_of({"judge": "c", **more}, tmp_path), panel, "Hello!")
        return verdict.outcome, verdict.reason

    outcome, reason = outcome_of(yes(), problem, yes(), votes=3)
    assert outcome == "passed"
    assert reason.startswith("2 of 3 votes pass (1 without a verdict): yes")
    assert outcome_of(problem, no(), no(), votes=3)[0] == "failed"
    outcome, reason = outcome_of(yes(), problem, no(), votes=3)
    assert outcome == "error"
    assert "the judge panel" in reason
    assert outcome_of(problem, problem, yes(), votes=3)[0] == "error"
    assert outcome_of(yes(), yes(), yes(), problem, votes=4, vote="mean")[0] == "passed"
    assert outcome_of(no(), no(), no(), problem, votes=4, vote="mean")[0] == "failed"
    assert outcome_of(yes(), no(), problem, problem, votes=4, vote="mean")[0] == "error"


def test_votes_are_asked_apart_and_not_alike(tmp_path: Path) -> None:
    panel = Panel([yes()])
    ask(judge_of({"judge": "c", "votes": 3}, tmp_path), panel, "Hello!")
    assert [question.vote for question in panel.asked] == [0, 1, 2]
    assert len({question.key for question in panel.asked}) == 3
    assert panel.asked[0].args["temperature"] == 1.0
    ask(judge_of({"judge": "c"}, tmp_path), panel, "Hello!")
    assert panel.asked[-1].args["temperature"] == 0.0


def test_what_the_judge_sees(tmp_path: Path) -> None:
    panel = Panel([yes()])
    check = {"judge": "c", "with_reference": True, "steps": ["Count.", "Compare."]}
    ask(judge_of(check, tmp_path), panel, "Hello!", reference="Good day!")
    said = text_of(panel.asked[0])
    for text in ("Say it.", "Hello!", "Good day!", "1. Count.", "2. Compare."):
        assert text in said
    hidden = {"judge": "c", "with_prompt": False}
    ask(judge_of(hidden, tmp_path), panel, "Hello!", reference="Good day!")
    assert "Say it." not in text_of(panel.asked[-1])
    assert "Good day!" not in text_of(panel.asked[-1])
    missing = ask(judge_of(check, tmp_path), panel, "Hello!")
    assert (missing.outcome, "no right answer" in missing.reason) == ("error", True)


def test_a_scale_with_meanings_tells_them(tmp_path: Path) -> None:
    panel = Panel([yes(**{"1": 2})])
    check = {"judge": "c", "scale": {"1": "wrong", "2": "right"}, "threshold": 2}
    assert ask(judge_of(check, tmp_path), panel, "Hello!").outcome == "passed"
    assert "Grade 1: wrong" in text_of(panel.asked[0])


def test_each_run_is_judged_and_all_are_asked_together(tmp_path: Path) -> None:
    panel = Panel(lambda question: no() if "second" in text_of(question) else yes())
    verdict = ask(judge_of({"judge": "c"}, tmp_path), panel, "first", "second", "third")
    assert (verdict.outcome, "run 2 of 3" in verdict.reason) == ("failed", True)
    assert len(panel.asked) == 3


@pytest.mark.parametrize(
    ("check", "says", "expected", "questions"),
    [
        ({"all": [{"contains": "Hello"}, {"judge": "a"}, {"judge": "b"}]}, [yes()], "passed", 2),
        ({"any": [{"contains": "x"}, {"judge": "a"}]}, [broken()], "error", 1),
        ({"any": [{"contains": "Hello"}, {"judge": "a"}]}, [broken()], "passed", 1),
        ({"not": {"judge": "a"}}, [no()], "passed", 1),
        ({"not": {"judge": "a"}}, ["x", yes()], "failed", 2),
        ({"weighted": [{"judge": "a", "weight": 3}, {"contains": "x"}]}, [yes()], "passed", 1),
        ({"all": [{"regex": "(a|b)+$"}, {"judge": "a"}]}, [yes()], "failed", 1),
        ({"judge": "a", "extract": {"type": "strip-think"}}, [yes()], "passed", 1),
        ([{"judge": "a"}, {"judge": "b"}, {"contains": "Hello"}], [yes()], "passed", 2),
        ([{"judge": "a"}, {"contains": "x"}], [yes()], "failed", 1),
    ],
)
def test_inside_of_and_beside_other_checks(
    check: Any, says: list[Any], expected: str, questions: int, tmp_path: Path
) -> None:
    panel = Panel(says)
    verdict = ask(judge_of(check, tmp_path), panel, "Hello!")
    assert verdict.outcome == expected, verdict.reason
    assert len(panel.asked) == questions


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ({"majority": {"judge": "c"}}, "passed"),
        ({"consistency": {"judge": "c"}}, "failed"),
        ({"judge": "c", "on": "all"}, "failed"),
    ],
)
def test_across_runs(check: Any, expected: str, tmp_path: Path) -> None:
    panel = Panel(lambda question: no() if "second" in text_of(question) else yes())
    runs = {"prompt": [{"role": "user", "content": "Say it."}], "repetitions": 3}
    judge = judge_of(check, tmp_path, prompt=None, multi_run_prompt=runs)
    verdict = ask(judge, panel, "first", "second", "third")
    assert verdict.outcome == expected, verdict.reason
    assert len(panel.asked) == 3


def test_an_extracted_part_is_all_that_the_judge_sees(tmp_path: Path) -> None:
    panel = Panel([yes()])
    check = {"judge": "c", "extract": "boxed"}
    assert ask(judge_of(check, tmp_path), panel, r"long talk \boxed{42}").outcome == "passed"
    assert len(panel.asked) == 1
    assert "long talk" not in text_of(panel.asked[0])


def test_placeholders_are_filled_from_the_instance(tmp_path: Path) -> None:
    panel = Panel([yes()])
    prompt = [{"role": "user", "content": "{topic}"}]
    judge = judge_of(
        {"judge": "It is about {topic}."}, tmp_path, prompt=prompt, prompt_parameters=["topic"]
    )
    ask(judge, panel, "Hello!", args={"topic": "rain"})
    assert "It is about rain." in text_of(panel.asked[0])


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        ({"judge": ""}, "no criterion"),
        ({"judge": []}, "no criterion"),
        ({"judge": {}}, "no criterion"),
        ({"judge": 3}, "'judge' is a text or"),
        ({"judge": [str(n) for n in range(21)]}, "more than 20 criteria"),
        ({"judge": "c", "scale": [1, 5]}, "needs a 'threshold'"),
        ({"judge": "c", "threshold": 3}, "needs a 'scale'"),
        ({"judge": "c", "scale": {"1": "a", "01": "b", "2": "c"}, "threshold": 2}, "a grade twice"),
        ({"judge": "c", "scale": [5, 1], "threshold": 3}, "lowest and the highest"),
        ({"judge": "c", "scale": [1, 1000], "threshold": 3}, "lowest and the highest"),
        ({"judge": "c", "scale": {"a": "x", "b": "y"}, "threshold": 3}, "whole numbers"),
        ({"judge": "c", "scale": {"1": "x"}, "threshold": 1}, "from 2 to 101 grades"),
        ({"judge": "c", "scale": [1, 5], "threshold": 6}, "at most 5, not 6"),
        ({"judge": "c", "scale": [1, 5], "threshold": 1}, "above 1"),
        ({"judge": "c", "votes": 2}, "may have no majority (take 3, or `vote: mean`)"),
        ({"judge": "c", "votes": 0}, "from 1 to 25"),
        ({"judge": "c", "votes": 1001}, "from 1 to 25"),
        ({"closed_qa": "c", "votes": 2}, "may have no majority (take 3)"),
        ({"judge": "c", "rubric": "x"}, "no argument 'rubric'"),
        ({"judge": "{nobody}"}, "names no parameter"),
    ],
)
def test_wrong_arguments_are_reported_before_a_judge_is_asked(
    check: Any, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError) as error:
        judge_of(check, tmp_path)
    assert problem in str(error.value)


def test_a_long_reasoning_is_shortened_in_the_reason(tmp_path: Path) -> None:
    said = json.dumps({"reasoning": "so " * 1000, "grades": {"1": "yes"}})
    assert len(outcome({"judge": "c"}, tmp_path, said)[1]) < 400
