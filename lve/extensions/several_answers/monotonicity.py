"""The checker that compares the order of answers with the order of parameters."""

from __future__ import annotations

import itertools
from typing import ClassVar, Literal

from lve import regexes
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import BuiltinChecker, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.first_or_last_number import extract_number
from lve.checkers.search import search
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import quoted
from lve.messages import Transcript

Pairs = list[tuple[float, float, str]]
"""Numbers of a parameter and its answer, and their identifier; sorted by parameter."""


@dataclass(frozen=True, slots=True)
class MonotonicityChecker(BuiltinChecker):
    """Passes if the answers rise (or fall) with their parameters.

    An answer and a parameter belong together if their names have the same identifier: `3` in
    `answer3` and `year3`.
    """

    takes_on: ClassVar[bool] = False

    answer_value_regex: str | None = None
    """Regular expression for the number in an answer: its first group. By default the first number
    of the answer."""
    answer_variable_identifier_regex: str = "([0-9]+)"
    """Regular expression for the identifier in the name of an answer's variable."""
    param_variable_identifier_regex: str = "([0-9]+)"
    """Regular expression for the identifier in the name of a parameter. Parameters without one are
    ignored."""
    order: Literal["asc", "desc"] = "asc"
    """Whether answers must rise (`asc`) or fall (`desc`) with the parameters."""
    strict: bool = False
    """Whether equal answers for different parameters fail."""

    def __post_init__(self) -> None:
        for name in (
            "answer_value_regex",
            "answer_variable_identifier_regex",
            "param_variable_identifier_regex",
        ):
            pattern = getattr(self, name)
            try:
                regexes.compile_pattern(pattern or "")
            except regexes.PatternError as error:
                raise ArgumentError(name, f"{error} in {quoted(pattern)}") from error

    def work(self, context: CheckContext) -> int:
        return 20 * sum(len(text) for run in context.transcripts for text in run.variables.values())

    def check(self, context: CheckContext) -> Verdict:
        parameters = self._numbers_of_parameters(context)
        for transcript in context.transcripts:
            verdict = self._check_run(transcript, parameters)
            if not verdict.passed:
                return verdict
        return verdict

    def _numbers_of_parameters(self, context: CheckContext) -> dict[str, float]:
        numbers: dict[str, float] = {}
        for name, value in context.parameters.items():
            identifier = _captured(self.param_variable_identifier_regex, name)
            if identifier is None:
                continue
            try:
                numbers[identifier] = float(value)
            except (TypeError, ValueError):
                raise CheckerError(
                    f"parameter '{name}' is not a number: {value!r}", code="argument_of_row"
                ) from None
        if len(numbers) < 2:
            raise CheckerError(
                f"fewer than two parameters match {quoted(self.param_variable_identifier_regex)}:"
                " there is no order to check",
                code="argument_of_row",
            )
        return numbers

    def _check_run(self, transcript: Transcript, parameters: dict[str, float]) -> Verdict:
        answers: dict[str, float] = {}
        for name, text in transcript.variables.items():
            identifier = _captured(self.answer_variable_identifier_regex, name)
            if identifier is None:
                continue
            number = self._number(text)
            if number is None:
                return judged(False, f"found no number in answer '{name}': {quoted(text)}")
            answers[identifier] = number
        missing = [identifier for identifier in parameters if identifier not in answers]
        if missing:
            return judged(False, f"no answer belongs to the parameter with identifier {missing[0]}")
        upward = 1 if self.order == "asc" else -1
        pairs = [(value, answers[i], i) for i, value in parameters.items()]
        # Answers to equal parameters are sorted, so that the last one is compared with the next.
        pairs.sort(key=lambda pair: (pair[0], upward * pair[1]))
        return self._check_order(pairs)

    def _number(self, text: str) -> float | None:
        if self.answer_value_regex is None:
            return extract_number(text, "float_first")
        number = _captured(self.answer_value_regex, text)
        try:
            return None if number is None else float(number)
        except ValueError:
            return None

    def _check_order(self, pairs: Pairs) -> Verdict:
        for (p, a, _), (q, b, _) in itertools.pairwise(pairs):
            if p == q:
                continue
            in_order = a <= b if self.order == "asc" else a >= b
            if not in_order or (self.strict and a == b):
                verb = "rise" if self.order == "asc" else "fall"
                strictly = " strictly" if self.strict else ""
                return judged(
                    False, f"{a:g} for {p:g} and {b:g} for {q:g}: answers should{strictly} {verb}"
                )
        return judged(True, "answers " + " ".join(f"{a:g}" for _, a, _ in pairs) + " are in order")


def _captured(pattern: str, text: str) -> str | None:
    match = search(regexes.compile_pattern(pattern), text)
    if match is None:
        return None
    group = match[1] if match.re.groups else match[0]
    return None if group is None else str(group)
