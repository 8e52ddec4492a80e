"""Checks that compare several answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.dialogues import groups, judge_of_group, prompts, said, said_context, wrong_verdicts
from support.judging import judge_of

from lve.checkers.judging_limits import NeedsProcessError
from lve.errors import SpecError

RUNS = {"turns": ["response"], "runs": 3}


@pytest.mark.parametrize("group", list(groups("across")))
def test_answers_are_compared_as_a_careful_reader_does(
    group: dict[str, Any], tmp_path: Path
) -> None:
    assert wrong_verdicts(group, tmp_path) == []


@pytest.mark.parametrize(
    ("check", "answers", "score", "reason"),
    [
        ({"consistency": "number"}, ["42", "**42**", "42"], 1, "all 3 answers: '42'"),
        (
            {"consistency": "number"},
            ["41", "42", "no", "42"],
            0.5,
            "'42' in 2 of 4 (run 2 of 4, run 4 of 4); '41' in 1 of 4 (run 1 of 4); nothing of the"
            " kind in 1 of 4 (run 3 of 4)",
        ),
        (
            {"consistency": "number", "threshold": 0.5},
            ["41", "42", "42"],
            2 / 3,
            "score 0.667 (threshold 0.5): '42' in 2 of 3 (run 2 of 3, run 3 of 3); '41' in 1 of 3"
            " (run 1 of 3)",
        ),
        (
            {"consistency": {"contains": "a"}},
            ["a", "b", "b"],
            2 / 3,
            "'failed' in 2 of 3 (run 2 of 3, run 3 of 3); 'passed' in 1 of 3 (run 1 of 3)",
        ),
        (
            {"majority": {"number": 42}},
            ["41", "42", "42"],
            2 / 3,
            "2 of 3 answers pass (run 1 of 3: expected 42, found 41)",
        ),
        (
            {"majority": {"LambdaChecker": {"func": "lambda r: int(r) > 3"}}},
            ["4", "1", "x"],
            None,
            "1 of 3 answers passes, and one can't be judged: ",
        ),
        (
            {"no_self_contradiction": "yes_no"},
            ["Well.", "Yes.", "No."],
            None,
            "run 2 of 3 says 'yes', run 3 of 3 says 'no'",
        ),
        (
            {"consistency": "number"},
            ["1e400", "1e400", "1e400"],
            1.0,
            "all 3 answers: 'a huge number'",
        ),
        ({"consistency": "number"}, ["?", "Who knows?"], 0, "nothing of the kind in 2 of 2"),
        ({"consistency": "number"}, ["?", "Hm.", "7"], 1 / 3, "'7' in 1 of 3 (run 3 of 3); not"),
    ],
)
def test_reasons_say_which_answer_says_what(
    check: Any, answers: list[str], score: float | None, reason: str, tmp_path: Path
) -> None:
    group = {"check": check, "turns": ["response"], "runs": len(answers)}
    verdict = said(group, judge_of_group(group, tmp_path), answers)
    assert verdict.reason.startswith(reason)
    assert verdict.score == (score if score is None else pytest.approx(score))


def test_many_different_answers_make_a_short_reason(tmp_path: Path) -> None:
    group = {"check": {"consistency": "text"}, "turns": ["response"], "runs": 40}
    verdict = said(
        group, judge_of_group(group, tmp_path), [f"{n} " + "word " * 500 for n in range(40)]
    )
    assert verdict.reason.endswith("; and 35 others")
    assert len(verdict.reason) < 1000


ONE = (
    "$.check.consistency: 'consistency' compares answers, and there is only one (ask several times"
)


@pytest.mark.parametrize(
    ("check", "shape", "message"),
    [
        ({"consistency": "text"}, {"turns": ["response"]}, ONE),
        ({"consistency": "text", "on": "first"}, {}, ONE),
        ({"consistency": "text", "on": ["first"]}, {}, ONE),
        ({"consistency": "text", "on": "transcript"}, {}, ONE),
        ({"majority": {"contains": "a"}}, {"turns": ["response"]}, "compares answers"),
        ({"consistency": "words"}, {}, "'consistency' is one of 'text', 'exact', 'number'"),
        ({"consistency": ["yes"]}, {}, "'consistency' is a list of at least two labels"),
        ({"consistency": ["yes", " "]}, {}, "'consistency' is a list of at least two labels"),
        ({"consistency": "text", "threshold": 0}, {}, "'threshold' is more than 0 and at most 1"),
        (
            {"consistency": {"contain": "x"}},
            {},
            "$.check.consistency: there is no checker 'contain'",
        ),
        ({"majority": {"contains": "x"}, "threshold": 2}, {}, "'threshold' is more than 0"),
        ({"majority": "x"}, {}, "'majority' is a check such as {contains: Paris}, not 'x'"),
        (
            {"majority": {"contains": "x", "on": "first"}, "on": "all"},
            {},
            "a check inside this one has an 'on', too",
        ),
        ({"no_self_contradiction": "yesno"}, {}, "'no_self_contradiction' is one of 'yes_no'"),
        (
            {"no_self_contradiction": "number", "negated": ["first"]},
            {},
            "'negated' goes with `no_self_contradiction: yes_no`",
        ),
        (
            {"no_self_contradiction": "yes_no", "negated": ["frst"]},
            {},
            "$.check.negated: 'frst' is no variable of an answer, and no name of a run (did you"
            " mean `first`?)",
        ),
    ],
)
def test_mistakes_are_explained(
    check: Any, shape: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError) as caught:
        judge_of(check, tmp_path, **prompts(shape))
    problems = [str(problem) for problem in caught.value.problems]
    assert any(message in problem for problem in problems), problems


def test_one_answer_can_not_be_compared(tmp_path: Path) -> None:
    judge = judge_of_group({"check": {"consistency": "text"}}, tmp_path)
    verdict = said({}, judge, {"first": "a"})
    assert verdict.outcome == "error"
    assert verdict.reason.startswith(
        "consistency: there is only one answer, and nothing to compare"
    )


def test_very_many_long_answers_are_compared_in_the_other_process(tmp_path: Path) -> None:
    group = {"check": {"consistency": "number"}, "turns": ["response"], "runs": 100}
    judge = judge_of_group(group, tmp_path)
    with pytest.raises(NeedsProcessError):
        judge.judge_in_process(said_context(group, ["1" * 12_000] * 100))
    verdict = said(
        group, judge, ["It is 42. " + "So it goes. " * 1_000 + "The answer is 42."] * 100
    )
    judge.stop()
    assert verdict.reason == "all 100 answers: '42'"
