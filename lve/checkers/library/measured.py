"""Checks of what the server measured: time, tokens, why the answer ended."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import UNMEASURED, CheckContext, Verdict
from lve.errors import CheckerError
from lve.messages import Completion
from lve.suggest import did_you_mean

_UNITS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "seconds": 1.0, "m": 60.0, "min": 60.0}
_FIRST_TOKENS = 20
"""Tokens of an answer that may be the label."""
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
        raise CheckerError(
            f"{UNMEASURED}: the answer is no completion of this run", code="unmeasured"
        )
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
            raise CheckerError(
                "the time of the first token wasn't measured: stream the answers", code="unmeasured"
            )
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
            raise CheckerError(
                "the server didn't say how many tokens the answer has", code="unmeasured"
            )
        tokens = completion.usage.completion_tokens
        told = f"{tokens} tokens, wanted at most {self.max_output_tokens}"
        return judged(tokens <= self.max_output_tokens, told)


@dataclass(frozen=True, slots=True)
class MaxReasoningTokens(_Measuring):
    """Passes if the model thought at most so many tokens before each answer, as the server counted
    them."""

    max_reasoning_tokens: int
    """The number."""

    examples: ClassVar = (CheckExample({"max_reasoning_tokens": 2000}),)

    def check_completion(self, completion: Completion) -> Verdict:
        if completion.usage is None:
            raise CheckerError(
                "the server didn't say how many tokens the answer has", code="unmeasured"
            )
        tokens = completion.usage.reasoning_tokens
        told = f"{tokens} reasoning tokens, wanted at most {self.max_reasoning_tokens}"
        return judged(tokens <= self.max_reasoning_tokens, told)


@dataclass(frozen=True, slots=True)
class MaxCost(Check):
    """Passes if all answers of the instance together cost at most so many US dollars.

    That takes a price of the model (`lve models NAME`). What came from the cache cost nothing.
    """

    max_cost: float
    """Such as 0.002."""

    examples: ClassVar = (CheckExample({"max_cost": 0.002}),)

    def work(self, context: CheckContext) -> int | None:
        return 1000

    def check(self, context: CheckContext) -> Verdict:
        _completions(context)  # an example has none
        if context.cost is None:
            raise CheckerError(
                "what the answers cost isn't known: the model has no price", code="unmeasured"
            )
        told = f"cost ${context.cost:.6g}, wanted at most ${self.max_cost:.6g}"
        return judged(context.cost <= self.max_cost, told)


@dataclass(frozen=True, slots=True)
class FinishReason(_Measuring):
    """Passes if the server says that each answer ended for this reason."""

    finish_reason: str | tuple[str, ...]
    """Such as `stop` or `length`, or a list of which one will do."""

    examples: ClassVar = (CheckExample({"finish_reason": "stop"}),)

    def check_completion(self, completion: Completion) -> Verdict:
        if completion.finish_reason is None:
            raise CheckerError("the server didn't say why the answer ended", code="unmeasured")
        wanted = " or ".join(self.values())
        told = f"ended with {completion.finish_reason}, wanted {wanted}"
        return judged(completion.finish_reason in self.values(), told)


@dataclass(frozen=True, slots=True)
class MostLikely(_Measuring):
    """Passes if the model finds this label likelier than the others, by the log-probabilities of
    its first token that can be one of them.

    Ask for them with the model args `logprobs: true` and `top_logprobs: 5`, where the server has
    them. The score is the label's share.
    """

    most_likely: str
    """The label."""
    of: tuple[str, ...]
    """All labels, such as `[A, B, C, D]`; each is one token."""

    examples: ClassVar = (CheckExample({"most_likely": "B", "of": ["A", "B", "C", "D"]}),)

    def __post_init__(self) -> None:
        if self.most_likely not in self.of:
            hint = did_you_mean(self.most_likely, self.of)
            message = f"'most_likely' is one of {', '.join(self.of)}, not {self.most_likely!r}"
            raise ArgumentError("most_likely", message, hint=hint)

    def check_completion(self, completion: Completion) -> Verdict:
        if not isinstance(completion.logprobs, list):
            raise CheckerError(
                "the answer has no log-probabilities: ask for them with the model args"
                " `logprobs: true` and `top_logprobs: 5`",
                code="unmeasured",
            )
        for position in completion.logprobs[:_FIRST_TOKENS]:
            shares = self._shares(position)
            if total := sum(shares.values()):
                best = max(shares, key=lambda label: shares[label])
                share = shares[self.most_likely] / total
                told = f"{best} is likeliest; {self.most_likely} has {share:.1%}"
                return judged(best == self.most_likely, told, share)
        return judged(False, f"none of the first tokens can be one of {', '.join(self.of)}", 0.0)

    def _shares(self, position: object) -> dict[str, float]:
        """Return how likely each label is at a position, going by what the server sent."""
        sent = position if isinstance(position, dict) else {}
        listed = sent.get("top_logprobs")
        tokens = {}
        for one in [sent, *(listed if isinstance(listed, list) else [])]:
            if isinstance(one, dict) and isinstance(one.get("logprob"), int | float):
                tokens[str(one.get("token"))] = math.exp(min(0.0, one["logprob"]))
        shares = dict.fromkeys(self.of, 0.0)
        for token, likelihood in tokens.items():
            for label in self.of:
                if token.strip().casefold() == label.strip().casefold():
                    shares[label] += likelihood
        return shares
