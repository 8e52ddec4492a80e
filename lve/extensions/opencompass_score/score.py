"""The check that scores answers as one of the evaluators of OpenCompass or AISBench does."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar

from lve.checkers.answer_selection import NO_REFERENCE
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import quoted
from lve.extensions.opencompass_score import evaluators as own
from lve.extensions.opencompass_score import rouges
from lve.extensions.opencompass_score.evaluators import Evaluator
from lve.extensions.opencompass_score.functions import FUNCTIONS
from lve.suggest import did_you_mean

_ENGLISH = {"language": ("en",)}
EVALUATORS: Mapping[str, Evaluator] = {
    "AGIEvalEvaluator_mcq": Evaluator(own.as_values, {}),
    "AccEvaluator": Evaluator(own.as_texts, {}),
    "AccwithDetailsEvaluator": Evaluator(own.as_values, {}),
    "BBHEvaluator": Evaluator(own.bbh_free, {}),
    "BBHEvaluator_mcq": Evaluator(own.as_values, {}),
    "BabiLongEvaluator": Evaluator(own.babi_long, {}),
    "CharmReasonEvaluator": Evaluator(own.as_values, {}),
    "CircularEvaluator": Evaluator(own.circular, {}),
    "DropOpenAIEvaluator": Evaluator(own.drop, {}),
    "EMEvaluator": Evaluator(own.em, {}),
    "GPQAEvaluator": Evaluator(own.as_values, {}),
    "Gsm8kEvaluator": Evaluator(own.gsm8k, {}),
    "LVEvalF1Evaluator": Evaluator(rouges.first_f1, _ENGLISH, graded=True),
    "LVEvalOPTF1Evaluator": Evaluator(rouges.keyword_f1, _ENGLISH, graded=True),
    "LVEvalOPTRougeEvaluator": Evaluator(rouges.keyword_rouge, _ENGLISH, graded=True),
    "LambadaEvaluator": Evaluator(own.lambada, {}),
    "LongBenchClassificationEvaluator": Evaluator(rouges.classification, {}, graded=True),
    "LongBenchCodeSimEvaluator": Evaluator(rouges.code_similarity, {}, graded=True),
    "LongBenchCountEvaluator": Evaluator(rouges.count, {}, graded=True),
    "LongBenchF1Evaluator": Evaluator(rouges.long_f1, _ENGLISH, graded=True),
    "LongBenchRetrievalEvaluator": Evaluator(
        rouges.retrieval, {"language": ("en", "zh")}, graded=True
    ),
    "LongBenchRougeEvaluator": Evaluator(rouges.long_rouge, _ENGLISH, graded=True),
    "LongBenchv2Evaluator": Evaluator(own.as_values, {}),
    "MATHEvaluator": Evaluator(own.math, {"version": ("v1", "v2")}),
    "MGSM_Evaluator": Evaluator(own.as_values, {}),
    "MMLUProBaseEvaluator": Evaluator(own.mmlu_pro, {}),
    "MRCREvaluator": Evaluator(own.mrcr, {}, graded=True),
    "MusrEvaluator": Evaluator(
        own.musr, {"answer_index_modifier": (1,), "self_consistency_n": (1,)}
    ),
    "NQEvaluator": Evaluator(own.natural_questions, {}),
    "NeedleBenchATCEvaluator": Evaluator(own.stripped, {}),
    "NeedleBenchMultiEvaluator": Evaluator(own.needles_multi, {}, graded=True),
    "NeedleBenchOriginEvaluator": Evaluator(own.needle, {}, graded=True),
    "NeedleBenchParallelEvaluator": Evaluator(own.needles_parallel, {}, graded=True),
    "RougeEvaluator": Evaluator(rouges.rouge_1, {}, graded=True),
    "RulerCweEvaluator": Evaluator(own.ruler_all, {}, graded=True),
    "RulerFweEvaluator": Evaluator(own.ruler_all, {}, graded=True),
    "RulerNiahEvaluator": Evaluator(own.ruler_all, {}, graded=True),
    "RulerQaEvaluator": Evaluator(own.ruler_any, {}),
    "RulerVtEvaluator": Evaluator(own.ruler_all, {}, graded=True),
    "SQuAD20Evaluator": Evaluator(own.squad, {}),
    "TriviaQAEvaluator": Evaluator(own.trivia_qa, {}),
    "TydiQAEvaluator": Evaluator(own.tydi_qa, {}, graded=True),
    "needlebench_v2.NeedleBenchOriginEvaluator": Evaluator(own.needle_keyword, {}),
}
"""Name of an evaluator -> the evaluator. `needlebench_v2.` is a module of upstream whose evaluator
has the name of another."""


MAX_STEPS = 10
_QUADRATIC = ("LVEvalOPTRougeEvaluator", "LongBenchRougeEvaluator", "MRCREvaluator")
"""Evaluators that compare each word or character with each."""


@dataclass(frozen=True, slots=True)
class OpencompassScore(AnswerCheck):
    """Passes if an evaluator of OpenCompass or AISBench gives the answer a good enough score.

    The mean of the scores is what upstream reports, over 100. White space, case and notation count
    as they do there. For a new test, `option`, `number`, `math` and `text` are better.
    """

    needs_reference: ClassVar[bool] = True
    limit_s: ClassVar[float] = 60.0
    tier: ClassVar = "expr"

    opencompass_score: str
    """The name of the evaluator."""
    pred_postprocessor: object = None
    """The function for the answer: a name, an object with `type`, or a list of these."""
    dataset_postprocessor: object = None
    """The function for the right answer."""
    options: Mapping[str, Any] | None = None
    """The evaluator's own options."""
    threshold: float = 0.5
    """The lowest score that passes. Most evaluators give only 0 and 1."""

    examples: ClassVar = (
        CheckExample({"opencompass_score": "AccEvaluator"}),
        CheckExample(
            {
                "opencompass_score": "MATHEvaluator",
                "pred_postprocessor": "math_postprocess_v2",
                "options": {"version": "v2"},
            }
        ),
    )

    def __post_init__(self) -> None:
        own = self._evaluator()
        for name, value in (self.options or {}).items():
            if name not in own.options:
                raise ArgumentError("options", f"{self.opencompass_score} has no option {name!r}")
            if value not in own.options[name]:
                message = f"{self.opencompass_score} with {name}={value!r} isn't supported"
                raise ArgumentError("options", message)
        if not 0 < self.threshold <= 1:
            raise ArgumentError("threshold", "'threshold' is above 0 and at most 1")
        for argument in ("pred_postprocessor", "dataset_postprocessor"):
            for _ in steps(argument, getattr(self, argument)):
                pass

    def _evaluator(self) -> Evaluator:
        name = self.opencompass_score
        if name not in EVALUATORS:
            message = f"the evaluator {quoted(name)} isn't supported"
            raise ArgumentError("opencompass_score", message, hint=did_you_mean(name, EVALUATORS))
        return EVALUATORS[name]

    def work_on(self, length: int, context: CheckContext) -> int | None:
        reference = len(str(context.reference))
        each = length if self.opencompass_score in _QUADRATIC else 1000 + length // 50
        return 3000 * length + length * length // 10 + each * reference

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        if context.reference is None:
            raise CheckerError(NO_REFERENCE, code="missing_reference")
        own = self._evaluator()
        options = {name: values[0] for name, values in own.options.items()}
        options |= self.options or {}
        answer: object = response
        for step in steps("pred_postprocessor", self.pred_postprocessor):
            answer = step(answer)
        reference: object = context.reference
        try:
            for step in steps("dataset_postprocessor", self.dataset_postprocessor):
                reference = step(reference)
            chosen = {name: options[name] for name in options if name in _names(own)}
            score = own.score(answer, reference, **chosen)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError):
            right = quoted(str(context.reference))
            message = f"{self.opencompass_score} can't compare {quoted(str(answer))} with {right}"
            raise CheckerError(message, code="argument_of_row") from None
        reason = f"{self.opencompass_score} {score:.3g}: found {quoted(str(answer))}"
        return judged(
            score >= self.threshold, f"{reason}, expected {quoted(str(reference))}", score
        )


def _names(evaluator: Evaluator) -> Mapping[str, object]:
    return inspect.signature(evaluator.score).parameters


def steps(argument: str, value: object) -> Iterator[Any]:
    """Yield the functions that an argument names, in their order.

    Raises:
        ArgumentError: one is unknown, or has other arguments.
    """
    listed = value if isinstance(value, list | tuple) else [] if value is None else [value]
    if len(listed) > MAX_STEPS:
        raise ArgumentError(argument, f"{argument!r} has more than {MAX_STEPS} functions")
    for step in listed:
        document = {"type": step} if isinstance(step, str) else step
        if not isinstance(document, Mapping) or not isinstance(document.get("type"), str):
            message = f"{argument!r} is a name, an object with `type`, or a list of these"
            raise ArgumentError(argument, message)
        yield _function(argument, document)


def _function(argument: str, document: Mapping[str, Any]) -> Any:
    name = document["type"].rpartition(".")[2]
    if name not in FUNCTIONS:
        message = f"the function {quoted(name)} isn't supported"
        raise ArgumentError(argument, message, hint=did_you_mean(name, FUNCTIONS))
    arguments = {key: value for key, value in document.items() if key != "type"}
    function = FUNCTIONS[name]
    try:
        inspect.signature(function).bind("", **arguments)
        if function.__name__ == "extract":
            function("", **arguments)
    except TypeError as error:
        raise ArgumentError(argument, f"the function {quoted(name)}: {error}") from None
    return partial(function, **arguments)
