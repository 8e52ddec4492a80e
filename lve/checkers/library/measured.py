"""Checks of what the server measured: time, tokens, why the answer ended."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.errors import CheckerError
from lve.messages import Completion

_UNITS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "seconds": 1.0, "m": 60.0, "min": 60.0}
_DURATION = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]*)\s*")


def _seconds(name: str, value: str | float) -> float:
    """Return a time in seconds.

    Raises:
        ArgumentError: it is none.
    """
    found = _DURATION.fullmatch(str(value))
    if found is None or (found[2] or "s") not in _UNITS:
        raise ArgumentError(name, f"'{name}' is a time such as 2 s, 300 ms or 1.5, not {value!r}")
    return float(found[1]) * _UNITS[found[2] or "s"]


class _Measuring(Check):
    """Looks at every completion of an instance; all must be as wanted."""

    __slots__ = ()

    @abstractmethod
    def check_completion(self, completion: Completion) -> Verdict:
        """Return the verdict on one completion.

        Raises:
            CheckerError: what it needs wasn't measured.
        """

    def work(self, context: CheckContext) -> int | None:
        return 1000 * sum(len(run.completions) for run in context.transcripts)

    def check(self, context: CheckContext) -> Verdict:
        verdicts = [self.check_completion(one) for one in _completions(context)]
        return next((one for one in verdicts if not one.passed), verdicts[-1])


def _completions(context: CheckContext) -> Sequence[Completion]:
    found = [one for run in context.transcripts for one in run.completions]
    if not found:
        raise CheckerError("nothing was measured: the answer is no completion of this run")
    return found


@dataclass(frozen=True, slots=True)
class MaxLatency(_Measuring):
    """Passes if each answer was complete within this time.

    The time is that of the last attempt, as the journal has it; an answer from the cache keeps its
    own.
    """

    max_latency: str | float
    """Such as `2 s`, `300 ms` or a number of seconds."""

    examples: ClassVar = (CheckExample({"max_latency": "2 s"}),)

    def __post_init__(self) -> None:
        _seconds("max_latency", self.max_latency)

    def check_completion(self, completion: Completion) -> Verdict:
        limit = _seconds("max_latency", self.max_latency)
        told = f"took {completion.latency_s:.3g} s, wanted at most {limit:g} s"
        return judged(completion.latency_s <= limit, told)


@dataclass(frozen=True, slots=True)
class MaxFirstToken(_Measuring):
    """Passes if each answer began within this time. Only streamed answers tell."""

    max_first_token: str | float
    """Such as `500 ms`."""

    examples: ClassVar = (CheckExample({"max_first_token": "500 ms"}),)

    def __post_init__(self) -> None:
        _seconds("max_first_token", self.max_first_token)

    def check_completion(self, completion: Completion) -> Verdict:
        if completion.first_token_s is None:
            raise CheckerError("the time of the first token wasn't measured: stream the answers")
        limit = _seconds("max_first_token", self.max_first_token)
        told = f"began after {completion.first_token_s:.3g} s, wanted at most {limit:g} s"
        return judged(completion.first_token_s <= limit, told)


@dataclass(frozen=True, slots=True)
class MaxOutputTokens(_Measuring):
    """Passes if each answer has at most so many tokens, as the server counted them."""

    max_output_tokens: int
    """The number."""

    examples: ClassVar = (CheckExample({"max_output_tokens": 100}),)

    def check_completion(self, completion: Completion) -> Verdict:
        if completion.usage is None:
            raise CheckerError("the server didn't say how many tokens the answer has")
        tokens = completion.usage.completion_tokens
        told = f"{tokens} tokens, wanted at most {self.max_output_tokens}"
        return judged(tokens <= self.max_output_tokens, told)


@dataclass(frozen=True, slots=True)
class FinishReason(_Measuring):
    """Passes if the server says that each answer ended for this reason."""

    finish_reason: str | tuple[str, ...]
    """Such as `stop` or `length`, or a list of which one will do."""

    examples: ClassVar = (CheckExample({"finish_reason": "stop"}),)

    def check_completion(self, completion: Completion) -> Verdict:
        if completion.finish_reason is None:
            raise CheckerError("the server didn't say why the answer ended")
        wanted = " or ".join(self.values())
        told = f"ended with {completion.finish_reason}, wanted {wanted}"
        return judged(completion.finish_reason in self.values(), told)
