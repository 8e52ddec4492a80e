"""The check `opencompass_score`: what runs before, its options, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.contract import CheckContext
from lve.errors import CheckerError
from lve.extensions.opencompass_score.score import OpencompassScore
from lve.messages import Message, Role, Transcript

OPTION = {"type": "opencompass.utils.text_postprocessors.first_option_postprocess", "options": "AB"}


def score(answer: str, reference: object, **check: Any) -> float | None:
    """Return the score of an answer."""
    messages = (Message("?"), Message(answer, Role.assistant))
    context = CheckContext((Transcript(messages, filled=(1,)),), reference=reference)
    return build(OpencompassScore, check).check(context).score


@pytest.mark.parametrize(
    ("answer", "reference", "check", "expected"),
    [
        ("The answer is B", "B", {"pred_postprocessor": OPTION}, 1),
        (" B", "B", {}, 0),
        ("3", 3, {}, 1),
        ("x 7", "so\n#### 7", {"pred_postprocessor": "gsm8k_postprocess",
                               "dataset_postprocessor": "gsm8k_dataset"}, 1),
        ("The answer is (B).\nA", "B",
         {"pred_postprocessor": ["first_line_of", OPTION]}, 1),
    ],
)  # fmt: skip
def test_functions_run_before_the_evaluator(
    answer: str, reference: object, check: dict[str, Any], expected: float
) -> None:
    names = {"first_line_of": "trec_postprocess", "gsm8k_dataset": "gsm8k_dataset_postprocess"}
    value = {
        key: [names.get(str(step), step) for step in steps]
        if isinstance(steps, list)
        else names.get(str(steps), steps)
        for key, steps in check.items()
    }
    assert score(answer, reference, opencompass_score="AccEvaluator", **value) == expected


def test_an_option_selects_the_version() -> None:
    check = {"opencompass_score": "MATHEvaluator"}
    assert score("5.00", "5", **check) == 0
    assert score("5.00", "5", **check, options={"version": "v2"}) == 1


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"opencompass_score": "AccEvaluatr"}, "isn't supported"),
        ({"pred_postprocessor": "first_optoin"}, "the function 'first_optoin' isn't supported"),
        ({"pred_postprocessor": "mathbench_postprocess"}, "missing"),
        ({"pred_postprocessor": {"type": "xml_tag_postprocessor", "tag": ""}}, "not empty"),
        ({"dataset_postprocessor": {"types": "x"}}, "a name, an object with `type`"),
        ({"pred_postprocessor": ["gsm8k"] * 11}, "more than 10"),
        ({"options": {"version": "v2"}}, "has no option 'version'"),
        ({"opencompass_score": "LongBenchF1Evaluator", "options": {"language": "zh"}},
         "language='zh' isn't supported"),
        ({"threshold": 0}, "above 0"),
    ],
)  # fmt: skip
def test_what_it_does_not_know_is_refused(check: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        build(OpencompassScore, {"opencompass_score": "AccEvaluator", **check})


@pytest.mark.parametrize("reference", ["no numbers", 7, {"a": 1}])
def test_a_right_answer_of_another_form_is_an_error_not_a_failure(reference: object) -> None:
    check = {
        "opencompass_score": "AccEvaluator",
        "dataset_postprocessor": "gsm8k_dataset_postprocess",
    }
    with pytest.raises(CheckerError, match="can't compare"):
        score("7", reference, **check)


def test_without_a_right_answer_nothing_is_judged() -> None:
    with pytest.raises(CheckerError, match="output_column"):
        score("7", None, opencompass_score="AccEvaluator")


def test_a_list_of_right_answers_reaches_the_evaluator_whole(tmp_path: Path) -> None:
    document = {
        "prompt": None,
        "dataset": [{"question": "?", "answer": ["Sucre", "La Paz"]}],
        "reader_cfg": {"input_columns": ["question"], "output_column": "answer"},
        "infer_cfg": {
            "prompt_template": {"type": "PromptTemplate", "template": "{question}"},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
        },
    }
    judge = judge_of({"opencompass_score": "TriviaQAEvaluator"}, tmp_path, **document)
    for answer, expected in (("it is la paz", "passed"), ("Lima", "failed")):
        verdict = judge_answers(judge, answer, args={}, reference=["Sucre", "La Paz"])
        assert verdict.outcome == expected, verdict.reason


@pytest.mark.parametrize("answer", ["\\boxed{" * 500, "{" * 20_000, "$" * 10_000, "1," * 9_999])
def test_hostile_answers_end(answer: str) -> None:
    """Longer ones are judged in another process, with a deadline."""
    check = {"opencompass_score": "MATHEvaluator", "options": {"version": "v2"}}
    assert score(answer, "5", **check, pred_postprocessor="math_postprocess_v2") == 0
