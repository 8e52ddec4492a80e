"""What the statements of an answer are worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, ask, text_of
from support.judging import judge_of

from lve.checkers.questions import Question
from lve.errors import CheckerError, SpecError
from lve.extensions.judges.statements import f_score, misled
from lve.spec.check_names import roles_of

NOISE = {"noise_sensitivity": ["one", "two"], "reference": "R", "question": "Q?"}
CORRECT = {"answer_correctness": "R", "question": "Q?"}
FACTS = {**CORRECT, "similarity": 0}


def of(*statements: str) -> dict[str, Any]:
    return {"statements": [*statements]}


def supported(*verdicts: int) -> dict[str, Any]:
    items = [{"statement": f"S{n}", "reason": "r", "verdict": v} for n, v in enumerate(verdicts)]
    return {"statements": items}


def sorted_(both: int, extra: int, missing: int) -> dict[str, Any]:
    counts = {"TP": both, "FP": extra, "FN": missing}
    return {
        name: [{"statement": f"{name} {n}", "reason": "r"} for n in range(count)]
        for name, count in counts.items()
    }


MISLED = [of("r"), of("s", "t"), supported(1), supported(1, 0), supported(0), supported(0, 1)]


@pytest.mark.parametrize(
    ("check", "says", "expected", "reason"),
    [
        (NOISE, [*MISLED, supported(1, 0)], "passed", "0 of 2 statements are wrong by relevant"),
        (NOISE, [*MISLED, supported(0, 0)], "failed", "1 of 2 statements is wrong by relevant "
         "contexts (at most 0): 's'"),
        ({**NOISE, "mode": "irrelevant"}, [*MISLED, supported(0, 0)],
         "failed", "contexts (at most 0): 't'"),
        ({**NOISE, "max_share": 0.5}, [*MISLED, supported(0, 0)], "passed", "1 of 2"),
        (NOISE, [of("r"), of()], "error", "no statement in the answer"),
        (NOISE, [*MISLED, supported(0)], "error", "leaves out statements"),
        (FACTS, [of("a"), of("b"), sorted_(1, 0, 0)], "passed", "1.000 (threshold 0.7): F1 1.000"),
        (FACTS, [of("a"), of("b"), sorted_(1, 1, 1)], "failed", "1 wrong, 1 missing: 'FP 0'"),
        ({**FACTS, "beta": 2.0}, [of("a"), of("b"), sorted_(3, 3, 0)], "passed", "F2 0.833"),
        (FACTS, [of(), of("b")], "passed", "there are no statements to compare"),
    ],
)  # fmt: skip
def test_verdict(check: Any, says: list[Any], expected: str, reason: str, tmp_path: Path) -> None:
    verdict = ask(judge_of(check, tmp_path), Panel(says), "Hello!")
    assert (verdict.outcome, reason in verdict.reason) == (expected, True), verdict.reason


def test_an_empty_answer_is_not_correct(tmp_path: Path) -> None:
    panel = Panel([of()])
    verdict = ask(judge_of(FACTS, tmp_path), panel, " ")
    assert (verdict.outcome, verdict.score, panel.asked) == ("failed", 0.0, [])


def test_similarity_is_a_part_of_correctness(tmp_path: Path) -> None:
    def say(question: Question) -> Any:
        if question.text is not None:
            return [1.0, 0.0] if question.text == "R" else [0.6, 0.8]
        return sorted_(1, 0, 0) if "RIGHT STATEMENTS" in text_of(question) else of("a")

    verdict = ask(judge_of(CORRECT, tmp_path), Panel(say), "Hello!")
    assert verdict.score == pytest.approx(0.75 + 0.25 * 0.6)
    assert "similarity 0.600" in verdict.reason


def test_an_embedding_model_is_needed_for_similarity_alone() -> None:
    assert roles_of("answer_correctness", CORRECT) == ("judge", "embedding")
    assert roles_of("answer_correctness", {**CORRECT, "similarity": 0.5}) == ("judge", "embedding")
    assert roles_of("answer_correctness", FACTS) == ("judge",)
    assert roles_of("all", {"all": [FACTS, NOISE]}) == ("judge",)


@pytest.mark.parametrize(
    "check",
    [
        {**NOISE, "max_share": 1},
        {**NOISE, "max_share": -0.1},
        {**CORRECT, "similarity": 1.1},
        {**CORRECT, "beta": 0},
        {**CORRECT, "threshold": 0},
    ],
)
def test_arguments_are_checked(check: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        judge_of(check, tmp_path)


def test_who_is_misled() -> None:
    of_right, of_own = [[True, False], [False, False]], [[True, False, True], [True, True, False]]
    true = [False, False, True]
    assert misled(of_right, of_own, true, relevant=True) == [True, False, False]
    assert misled(of_right, of_own, true, relevant=False) == [False, True, False]
    with pytest.raises(CheckerError):
        misled([[True], [True, False]], of_own, true, relevant=True)


@pytest.mark.parametrize(
    ("counts", "beta", "score"),
    [
        ((0, 0, 0), 1.0, 1.0),
        ((0, 1, 1), 1.0, 0.0),
        ((0, 0, 2), 1.0, 0.0),
        ((2, 1, 1), 1.0, 2 / 3),
        ((1, 3, 0), 2.0, 5 / 8),
    ],
)
def test_f_score(counts: tuple[int, int, int], beta: float, score: float) -> None:
    assert f_score(*counts, beta=beta) == pytest.approx(score)
