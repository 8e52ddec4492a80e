"""Judges of OpenCompass are asked what upstream asks, and their replies have upstream's scores
(tests/cases/opencompass_judge)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.questions import Answer, Answers, UnansweredError
from lve.errors import CheckerError
from lve.extensions.opencompass.checks.judge_check import READINGS, OpencompassJudge
from lve.messages import Completion, Message, Role, Transcript

VECTORS = json.loads(
    (Path(__file__).parents[3] / "cases" / "opencompass_judge" / "vectors.json").read_text("utf-8")
)
TEMPLATE = {"type": "PromptTemplate", "template": "{question}: {prediction} {obj_gold}? A or B"}
RULE = {"opencompass_score": "AccEvaluator"}
ROUNDED = 1e-4
"""Upstream rounds some scores to two digits of a percentage."""


def judged(
    check: Mapping[str, Any], run: Mapping[str, Any]
) -> tuple[list[dict[str, Any]] | None, Verdict]:
    """Return what the judge is asked about an answer, and the verdict on it."""
    checker = build(OpencompassJudge, check)
    answers = Answers()
    messages = (Message("?"), Message(run["answer"], Role.assistant))
    runs = (Transcript(messages, (Completion(run["answer"]),), None, (1,)),)
    context = CheckContext(runs, run["row"], run["reference"], run["row"], answers=answers)
    asked = None
    try:
        verdict = checker.check(context)
    except UnansweredError:
        (question,) = answers.missing.values()
        assert question.role == "judge"
        asked = [
            {"role": message.role.value, "content": message.content}
            for message in question.messages
        ]
        answers.add([Answer(question.key, "judge", "m", Completion(run["reply"]))])
        verdict = checker.check(context)
    return asked, verdict


@pytest.mark.parametrize("case", VECTORS, ids=[case["file"] for case in VECTORS])
def test_judges_are_asked_and_read_as_upstream_does(case: dict[str, Any]) -> None:
    differing = []
    for run in case["runs"]:
        asked, verdict = judged(case["check"], run)
        expected = run["sent"]
        if (asked != expected if isinstance(expected, list) else bool(asked) != bool(expected)) or (
            (verdict.score or 0.0) != pytest.approx(run["score"], abs=ROUNDED)
        ):
            differing.append((asked, expected, verdict, run["score"]))
    assert differing == []


def test_every_reading_has_vectors_that_differ() -> None:
    scores: dict[str, set[float]] = {}
    for case in VECTORS:
        reading = case["check"]["dict_postprocessor"]
        name = reading if isinstance(reading, str) else reading["type"].rpartition(".")[2]
        scores.setdefault(name, set()).update(run["score"] for run in case["runs"])
    assert set(scores) == set(READINGS)
    assert [name for name, values in scores.items() if len(values) < 2] == []


def test_a_judge_is_asked_only_if_the_rule_fails() -> None:
    check = {"opencompass_judge": TEMPLATE, "dict_postprocessor": "cascade", "rule": RULE}
    run = {"answer": "4", "row": {"question": "2+2"}, "reference": "4", "reply": "A"}
    asked, verdict = judged(check, run)
    assert asked is None
    assert verdict.passed
    asked, verdict = judged(check, {**run, "answer": "four"})
    assert asked == [{"role": "user", "content": "2+2: four 4? A or B"}]
    assert verdict.passed
    assert verdict.reason == "the judge said 'A'"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"opencompass_judge": {"template": "Say A"}}, "has no {prediction}"),
        ({"opencompass_judge": {**TEMPLATE, "type": "Own"}}, "there is no template 'Own'"),
        ({"dict_postprocessor": "generic_judge"}, "'generic_judge' isn't supported"),
        ({"dict_postprocessor": [1]}, "an object with `type`"),
        ({"dict_postprocessor": {"type": "simpleqa_postprocess", "n": 1}}, "unexpected keyword"),
        *(
            ({"dict_postprocessor": {"type": "generic_llmjudge_postprocess", **tags}}, "are diff")
            for tags in ({"true_tag": ""}, {"true_tag": True}, {"true_tag": "B"}, {"false_tag": []})
        ),
        ({"pred_postprocessor": "own"}, "'own' isn't supported"),
        ({"rule": {"opencompass_score": "Own"}}, "the rule: the evaluator 'Own' isn't supported"),
        ({"threshold": 0}, "more than 0"),
    ],
)
def test_what_cant_be_is_told(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        build(OpencompassJudge, {"opencompass_judge": TEMPLATE, **more})
    assert message in str(caught.value)
    assert caught.value.argument in {*more, "template"}


def test_a_row_whose_template_hides_the_answer_is_an_error() -> None:
    check = {"opencompass_judge": {"type": "PromptTemplate", "template": "{asked} A or B?"}}
    run = {"answer": "4", "reference": "4", "reply": "A"}
    asked, _ = judged(check, {**run, "row": {"asked": "Is {prediction} right?"}})
    assert asked == [{"role": "user", "content": "Is 4 right? A or B?"}]
    for row in ({"asked": "Is it right?"}, {"asked": "?", "other": "{prediction}"}):
        with pytest.raises(CheckerError, match=r"nor a column that it names has {prediction}"):
            judged(check, {**run, "row": row})


@pytest.mark.parametrize(
    ("reading", "reply"),
    [
        ("eese_score_postprocess_dict", "100"),
        ("eese_score_postprocess_dict", "-5"),
        ("eese_score_postprocess_dict", "9" * 4000),
        ("eese_score_postprocess_dict", "9" * 5000),
        ("chem_exam_score_llmjudge_postprocess", "\\boxed{85}"),
        ("chem_exam_score_llmjudge_postprocess", f"\\boxed{{{'9' * 400}}}"),
    ],
)
def test_a_number_that_is_no_score_is_an_error(reading: str, reply: str) -> None:
    check = {"opencompass_judge": TEMPLATE, "dict_postprocessor": reading}
    run = {"answer": "4", "row": {"question": "2+2"}, "reference": "4", "reply": reply}
    with pytest.raises(CheckerError, match="no score between 0 and 1"):
        judged(check, run)


def test_a_row_whose_right_answer_has_the_wrong_kind_is_told() -> None:
    check = {"opencompass_judge": TEMPLATE, "dataset_postprocessor": "gsm8k_dataset_postprocess"}
    run = {"answer": "4", "row": {"question": "2+2"}, "reference": "4", "reply": "A"}
    with pytest.raises(CheckerError, match="can't prepare '4'"):
        judged(check, run)
