"""What each function and evaluator of OpenCompass makes of answers in many forms, and which forms
are the same answer (cases/recorded_calls/opencompass_score.json)."""

from __future__ import annotations

from support.recorded_calls import Calls, changed, grid, record, texts

from lve.checkers.arguments import ArgumentError
from lve.extensions.opencompass_score.boxes import boxed_answer, normal_answer, same_answer
from lve.extensions.opencompass_score.functions import FUNCTIONS
from lve.extensions.opencompass_score.program_check import mbpp_program
from lve.extensions.opencompass_score.program_child import same, with_types
from lve.extensions.opencompass_score.score import EVALUATORS

TEXTS = texts("opencompass_score")
ANSWERS, FORMS = TEXTS["answers"], TEXTS["forms"]
REFERENCES: tuple[object, ...] = ("B", "42", ["42", "forty-two"], ["Paris", "the Seine"], "yes", 42)
VALUES = (1, 1.0, True, "1", [1], (1,), [1.0000001], [1.1], {"a": 1}, {1}, None, float("nan"))
OPTIONS: dict[str, dict[str, str]] = {
    "mathbench_postprocess": {"name": "single_choice_en"},
    "last_option_postprocess": {"options": "ABCD"},
    "match_answer_pattern": {"answer_pattern": "(\\d+)"},
    "xml_tag_postprocessor": {"tag": "<a>"},
}
"""Those that a function needs."""
ERRORS = (ValueError, TypeError, IndexError, AttributeError, KeyError, ArgumentError)


def functions(text: str) -> dict[str, str]:
    """Return what each function makes of a text."""
    result = {}
    for name, function in FUNCTIONS.items():
        try:
            result[name] = repr(function(text, **OPTIONS.get(name, {})))
        except ERRORS as error:
            result[name] = type(error).__name__
    return {name: made for name, made in result.items() if made != repr(text)}


def scores(answer: str, reference: object) -> dict[str, str]:
    """Return the score that each evaluator gives an answer, with its default options; not 0."""
    result = {}
    for name, evaluator in EVALUATORS.items():
        options = {key: values[0] for key, values in evaluator.options.items()}
        try:
            result[name] = f"{evaluator.score(answer, reference, **options):.4g}"
        except ERRORS as error:
            result[name] = type(error).__name__[0]
    return {name: score for name, score in result.items() if score != "0"}


def sames(form: str, version: str) -> str:
    """Return which of all forms are the same answer."""
    return "".join(".+"[same_answer(form, other, version=version)] for other in FORMS)


def all_calls() -> Calls:
    return {
        **grid(functions, (*ANSWERS, *FORMS[::6])),
        **grid(scores, ANSWERS, REFERENCES),
        **grid(sames, FORMS, ("v1", "v2")),
        **grid(normal_answer, FORMS),
        **grid(boxed_answer, TEXTS["boxes"], unwrap=(False, True)),
        **grid(same, VALUES, VALUES),
        **grid(mbpp_program, ANSWERS),
        **grid(with_types, ("x", "def f(a: List[int]): pass", "Dict[str, Any]", "import typing")),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("opencompass_score", all_calls()) == {}


if __name__ == "__main__":
    record("opencompass_score", all_calls())
