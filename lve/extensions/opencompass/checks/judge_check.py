"""The check that asks a judge with an evaluator's template, as OpenCompass' LLM judges do: upstream
reads the score of one answer in the judge's reply, and reports their mean.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from lve.checkers.arguments import ArgumentError, build, check_threshold
from lve.checkers.builtin_checker import AnswerCheck, BuiltinChecker, CheckExample, judged
from lve.checkers.by_name import load_builtin
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.questions import Question, answers_to, work_of_asking
from lve.data_classes import dataclass
from lve.errors import CheckerError, TemplateError
from lve.escape import quoted
from lve.extension_table import extension_part
from lve.extensions.opencompass.by_name import make_template
from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.messages import Completion, Message, Role
from lve.spec.check_names import JUDGE
from lve.suggest import did_you_mean

Reading = Callable[..., float]
"""The judge's reply, and the function's own arguments -> 0 to 1."""
_EESE_HIGHEST = 10
_BOXED = re.compile(r"(?:<NUMBER>\s*|\\boxed\{)\s*(-?\d*\.?\d+)\s*(?:</NUMBER>|\})")


def first_tag(
    reply: str, *, true_tag: str = "A", false_tag: str = "B", metric_name: str = ""
) -> float:
    """Return 1 if the first of two tags in a reply is the first one: `A` is also in `WAIT`."""
    tag = re.search(f"{re.escape(true_tag)}|{re.escape(false_tag)}", reply)
    return float(tag is not None and tag[0] == true_tag)


def first_of_three(reply: str) -> float:
    """Return 1 if the first of the letters A, B and C is A."""
    letter = re.search("[ABC]", reply)
    return float(letter is not None and letter[0] == "A")


def correct(reply: str) -> float:
    """Return 1 if a reply has the word `correct`, and not `incorrect`."""
    text = reply.strip().upper()
    return float(not re.search(r"\bINCORRECT\b", text) and bool(re.search(r"\bCORRECT\b", text)))


def agreed(reply: str) -> float:
    """Return 1 if a reply is `A`, or begins with `correct`: how a cascade reads its judge."""
    text = reply.strip().upper()
    return float(text == "A" or text.startswith("CORRECT"))


def last_boxed(reply: str) -> float:
    """Return the last number in a box or between `<NUMBER>` and `</NUMBER>`; 0 without one."""
    numbers = _BOXED.findall(reply)
    return float(numbers[-1]) if numbers else 0.0


def of_ten(reply: str) -> float:
    """Return the first whole number, over ten."""
    try:
        return int(reply) / _EESE_HIGHEST
    except ValueError:
        pass
    number = re.search(r"(?<!\d)\d+(?!\d)", reply)
    return int(number[0]) / _EESE_HIGHEST if number else 0.0


READINGS: Mapping[str, Reading] = {
    "MedXpertQA_llmjudge_postprocess": first_tag,
    "aa_lcr_llmjudge_postprocess": correct,
    "cascade": agreed,
    "chem_exam_score_llmjudge_postprocess": last_boxed,
    "csimpleqa_postprocess": first_of_three,
    "eese_score_postprocess_dict": of_ten,
    "generic_llmjudge_academic_postprocess": first_tag,
    "generic_llmjudge_postprocess": first_tag,
    "medbullets_llmjudge_postprocess": first_tag,
    "medmcqa_llmjudge_postprocess": first_tag,
    "simpleqa_postprocess": first_of_three,
    "supergpqa_llmjudge_postprocess": first_tag,
}
"""Upstream's name of a function for judges' replies -> the function. `cascade` is what its
CascadeEvaluator reads, whatever function is named beside it."""


MAX_TOKENS = 16_384
"""As upstream's judges have."""
PREDICTION, REFERENCE = "prediction", "reference"
UNSEEN = "{prediction}: the judge wouldn't see the answer"
_NAME = re.compile(r"\{(\w+)\}")
_ROUND = [{"role": "HUMAN", "api_role": "HUMAN"}, {"role": "BOT", "api_role": "BOT"}]
_FORMAT = ModelFormat("api", {"round": [_ROUND[0], {**_ROUND[1], "generate": True}]})
"""The meta template of upstream's judges: what a template says as SYSTEM becomes HUMAN."""


@dataclass(frozen=True, slots=True)
class OpencompassJudge(AnswerCheck):
    """Passes if a model (the role `judge`) says so, asked with the template of an evaluator of
    OpenCompass or AISBench.

    The mean of the scores is what upstream reports, over 100. Nothing keeps the judged answer from
    giving orders to the judge; for a new test, `judge` does.
    """

    needs_reference: ClassVar[bool] = True
    takes_answers: ClassVar[bool] = False
    fills_objects: ClassVar[bool] = True
    own_templates: ClassVar[frozenset[str]] = frozenset({"opencompass_judge"})

    opencompass_judge: Mapping[str, Any]
    """The template (`PromptTemplate` or `RawPromptTemplate`). `{prediction}` is the answer,
    `{obj_gold}` the right one, other names are columns, whose texts may have `{prediction}`, too.
    `{reference}` is empty, as it is upstream, where it isn't in raw messages."""
    dict_postprocessor: object = "generic_llmjudge_postprocess"
    """How the reply is read: a name, or an object with `type`."""
    pred_postprocessor: object = None
    """The function for the answer, as in `opencompass_score`."""
    dataset_postprocessor: object = None
    """The function for the right answer."""
    rule: Mapping[str, Any] | None = None
    """A check that is tried first (`opencompass_score`). The judge is asked only if it fails."""
    threshold: float = 0.5
    """The lowest score that passes."""

    examples: ClassVar = (
        CheckExample(
            {
                "opencompass_judge": {
                    "type": "PromptTemplate",
                    "template": "Is {prediction} the same as {obj_gold}? Reply A: yes, or B: no.",
                },
            },
        ),
    )

    def __post_init__(self) -> None:
        try:
            make_template(self.opencompass_judge)
        except TemplateError as error:
            raise ArgumentError("opencompass_judge", str(error)) from None
        if not self._columns():
            raise ArgumentError("opencompass_judge", f"the template has no {UNSEEN}")
        check_threshold(self.threshold)
        self._reading()
        self._rule()
        for argument in ("pred_postprocessor", "dataset_postprocessor"):
            list(self._steps(argument))

    def work(self, context: CheckContext) -> int | None:
        return work_of_asking(partial(self.check, context))

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        rule = self._rule()
        if rule is not None:
            verdict = rule.check(context)
            if verdict.outcome != "failed":
                return verdict
        try:
            messages = self._messages(response, context)
        except TemplateError as error:
            raise CheckerError(str(error), code="argument_of_row") from None
        args = {"temperature": 0.0, "max_tokens": MAX_TOKENS}
        (answer,) = answers_to(context.answers, [Question(JUDGE, messages, args)])
        reply = (answer.completion or Completion("")).text
        try:
            score = self._reading()(reply)
        except (OverflowError, ValueError):  # a number of thousands of digits
            score = float("inf")
        if not 0 <= score <= 1:
            message = f"the judge said {quoted(reply)}, which is no score between 0 and 1"
            raise CheckerError(message, code="judge")
        return judged(score >= self.threshold, f"the judge said {quoted(reply)}", score)

    def _messages(self, response: str, context: CheckContext) -> tuple[Message, ...]:
        """Return what the judge is asked.

        Raises:
            TemplateError: the template can't be filled.
        """
        prediction = self._prepared("pred_postprocessor", response)
        reference = self._prepared("dataset_postprocessor", context.reference)
        filled = {PREDICTION: prediction, REFERENCE: reference, "obj_gold": reference}
        columns = self._columns()
        if PREDICTION not in columns and not any(
            f"{{{PREDICTION}}}" in str(context.parameters.get(name)) for name in columns
        ):
            message = f"neither the template nor a column that it names has {UNSEEN}"
            raise CheckerError(message, code="argument_of_row")
        row = {**context.parameters, **filled}
        template = make_template(self.opencompass_judge)
        assert template is not None
        prompt = template.prompt(row, "", output=REFERENCE, replacement="")
        sent = _FORMAT.messages(_FORMAT.parse(prompt, "gen", row))
        return tuple(Message(each["content"], Role(each["role"])) for each in sent)

    def _columns(self) -> set[str]:
        """Return the names in the template, which may be in braces of any depth."""
        return set(_NAME.findall(json.dumps(self.opencompass_judge, default=str)))

    def _reading(self) -> Callable[[str], float]:
        document = self.dict_postprocessor
        named = {"type": document} if isinstance(document, str) else document
        if not isinstance(named, Mapping) or not isinstance(named.get("type"), str):
            message = "'dict_postprocessor' is a name, or an object with `type`"
            raise ArgumentError("dict_postprocessor", message)
        name = named["type"].rpartition(".")[2]
        arguments = {key: value for key, value in named.items() if key != "type"}
        if name not in READINGS:
            message = f"the function {quoted(name)} isn't supported"
            raise ArgumentError("dict_postprocessor", message, hint=did_you_mean(name, READINGS))
        try:
            bound = inspect.signature(READINGS[name]).bind("", **arguments)
        except TypeError as error:
            message = f"the function {quoted(name)}: {error}"
            raise ArgumentError("dict_postprocessor", message) from None
        bound.apply_defaults()
        tags = [value for key, value in bound.arguments.items() if key.endswith("_tag")]
        if not all(isinstance(tag, str) and tag for tag in tags) or len(set(tags)) < len(tags):
            message = f"the function {quoted(name)}: 'true_tag' and 'false_tag' are different texts"
            raise ArgumentError("dict_postprocessor", message)
        return partial(READINGS[name], **arguments)

    def _prepared(self, argument: str, value: object) -> object:
        """Return an answer as the template gets it.

        Raises:
            CheckerError: a function can't take it.
        """
        own = value
        try:
            for step in self._steps(argument):
                own = step(own)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            message = f"{argument} can't prepare {quoted(str(value))}"
            raise CheckerError(message, code="argument_of_row") from None
        return own

    def _steps(self, argument: str) -> Any:
        return extension_part("functions for answers")(argument, getattr(self, argument))

    def _rule(self) -> BuiltinChecker | None:
        if self.rule is None:
            return None
        kind = load_builtin("opencompass_score")
        assert kind is not None
        try:
            return build(kind, self.rule)
        except ArgumentError as error:
            raise ArgumentError("rule", f"the rule: {error}", hint=error.hint) from None
