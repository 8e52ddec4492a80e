"""Checks of a server's measurements: time, tokens, cost, finish reason, log-probabilities."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.library.choice import check_label
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.messages import Completion, Usage
from lve.plurals import amount

_UNITS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "seconds": 1.0, "m": 60.0, "min": 60.0}
_FIRST_TOKENS = 20
"""How many tokens at the start of an answer are searched for the label."""
_DURATION = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]*)\s*")


def _seconds(name: str, value: str | float) -> float:
    """Return `value`, such as `300 ms`, in seconds.

    Raises:
        ArgumentError: `value`, of the argument `name`, is no time.
    """
    match = _DURATION.fullmatch(str(value))
    if match is None or (match[2] or "s") not in _UNITS:
        raise ArgumentError(name, f"'{name}' is a time such as 2 s, 300 ms or 1.5, not {value!r}")
    return float(match[1]) * _UNITS[match[2] or "s"]


class _Measuring(Check):
    """Base of checks that judge each completion of an instance. All must pass."""

    __slots__ = ()

    @abstractmethod
    def check_completion(self, completion: Completion) -> Verdict:
        """Return the verdict on one completion.

        Raises:
            CheckerError: the server didn't measure what the check needs.
        """

    def work(self, context: CheckContext) -> int | None:
        return 1000 * sum(len(run.completions) for run in context.transcripts)

    def check(self, context: CheckContext) -> Verdict:
        verdicts = [self.check_completion(completion) for completion in _completions(context)]
        return next((v for v in verdicts if not v.passed), verdicts[-1])


def _completions(context: CheckContext) -> Sequence[Completion]:
    completions = [completion for run in context.transcripts for completion in run.completions]
    if not completions:
        raise CheckerError(
            "nothing was measured: the answer is no completion of this run", code="unmeasured"
        )
    return completions


@dataclass(frozen=True, slots=True)
class MaxLatency(_Measuring):
    """Passes if each answer was complete within this time.

    The time is that of the last attempt, as in the journal. A cached answer has the time of its
    original request.
    """

    max_latency: str | float
    """The time, such as `2 s`, `300 ms` or a number of seconds."""

    examples: ClassVar = (CheckExample({"max_latency": "2 s"}),)

    def __post_init__(self) -> None:
        _seconds("max_latency", self.max_latency)

    def check_completion(self, completion: Completion) -> Verdict:
        limit = _seconds("max_latency", self.max_latency)
        reason = f"took {completion.latency_s:.3g} s, wanted at most {limit:g} s"
        return judged(completion.latency_s <= limit, reason)


@dataclass(frozen=True, slots=True)
class MaxFirstToken(_Measuring):
    """Passes if the first token of each answer came within this time. Only streamed answers have
    this time."""

    max_first_token: str | float
    """The time, such as `500 ms` or a number of seconds."""

    examples: ClassVar = (CheckExample({"max_first_token": "500 ms"}),)

    def __post_init__(self) -> None:
        _seconds("max_first_token", self.max_first_token)

    def check_completion(self, completion: Completion) -> Verdict:
        if completion.first_token_s is None:
            raise CheckerError(
                "the time of the first token wasn't measured: stream the answers", code="unmeasured"
            )
        limit = _seconds("max_first_token", self.max_first_token)
        reason = f"began after {completion.first_token_s:.3g} s, wanted at most {limit:g} s"
        return judged(completion.first_token_s <= limit, reason)


def _usage(completion: Completion) -> Usage:
    """Return the token counts of a completion.

    Raises:
        CheckerError: the server sent none.
    """
    if completion.usage is None:
        raise CheckerError(
            "the server didn't say how many tokens the answer has", code="unmeasured"
        )
    return completion.usage


@dataclass(frozen=True, slots=True)
class MaxOutputTokens(_Measuring):
    """Passes if each answer has at most this number of tokens, as counted by the server."""

    max_output_tokens: int
    """The number of tokens."""

    examples: ClassVar = (CheckExample({"max_output_tokens": 100}),)

    def check_completion(self, completion: Completion) -> Verdict:
        tokens = _usage(completion).completion_tokens
        reason = f"{amount(tokens, 'token')}, wanted at most {self.max_output_tokens}"
        return judged(tokens <= self.max_output_tokens, reason)


@dataclass(frozen=True, slots=True)
class MaxReasoningTokens(_Measuring):
    """Passes if the model used at most this number of reasoning tokens for each answer, as counted
    by the server."""

    max_reasoning_tokens: int
    """The number of tokens."""

    examples: ClassVar = (CheckExample({"max_reasoning_tokens": 2000}),)

    def check_completion(self, completion: Completion) -> Verdict:
        tokens = _usage(completion).reasoning_tokens
        reason = f"{tokens} reasoning tokens, wanted at most {self.max_reasoning_tokens}"
        return judged(tokens <= self.max_reasoning_tokens, reason)


@dataclass(frozen=True, slots=True)
class MaxCost(Check):
    """Passes if all answers of the row together cost at most this amount.

    The model must have a price (`lve models NAME` shows it). Cached answers cost nothing.
    """

    max_cost: float
    """The amount in US dollars, such as 0.002."""

    examples: ClassVar = (CheckExample({"max_cost": 0.002}),)

    def work(self, context: CheckContext) -> int | None:
        return 1000

    def check(self, context: CheckContext) -> Verdict:
        _completions(context)  # an error for an example, which has none
        if context.cost is None:
            raise CheckerError(
                "the cost of the answers is unknown: the model has no price", code="unmeasured"
            )
        reason = f"cost ${context.cost:.6g}, wanted at most ${self.max_cost:.6g}"
        return judged(context.cost <= self.max_cost, reason)


@dataclass(frozen=True, slots=True)
class FinishReason(_Measuring):
    """Passes if the server reports this finish reason for each answer."""

    finish_reason: str | tuple[str, ...]
    """The reason, such as `stop` or `length`, or a list of accepted reasons."""

    examples: ClassVar = (CheckExample({"finish_reason": "stop"}),)

    def check_completion(self, completion: Completion) -> Verdict:
        if completion.finish_reason is None:
            raise CheckerError("the server didn't say why the answer ended", code="unmeasured")
        reasons = " or ".join(self.values())
        reason = f"ended with {completion.finish_reason}, wanted {reasons}"
        return judged(completion.finish_reason in self.values(), reason)


@dataclass(frozen=True, slots=True)
class MostLikely(_Measuring):
    """Passes if this label is more likely than the others, according to the log-probabilities of
    the first token that can be a label.

    Request them with the model args `logprobs: true` and `top_logprobs: 5`, if the server supports
    them. The score is the label's share of the labels' total probability.
    """

    most_likely: str
    """The label that must be the most likely one."""
    of: tuple[str, ...]
    """All labels, such as `[A, B, C, D]`. Each must be a single token."""

    examples: ClassVar = (CheckExample({"most_likely": "B", "of": ["A", "B", "C", "D"]}),)

    def __post_init__(self) -> None:
        check_label("most_likely", self.most_likely, self.of)

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
                reason = f"{best} is likeliest; {self.most_likely} has {share:.1%}"
                return judged(best == self.most_likely, reason, share)
        return judged(False, f"none of the first tokens can be one of {', '.join(self.of)}", 0.0)

    def _shares(self, position: object) -> dict[str, float]:
        """Return label -> probability at `position`, an entry of the server's log-probabilities."""
        sent = position if isinstance(position, dict) else {}
        listed = sent.get("top_logprobs")
        tokens = {}
        for token_entry in [sent, *(listed if isinstance(listed, list) else [])]:
            if isinstance(token_entry, dict) and isinstance(
                token_entry.get("logprob"), int | float
            ):
                tokens[str(token_entry.get("token"))] = math.exp(min(0.0, token_entry["logprob"]))
        shares = dict.fromkeys(self.of, 0.0)
        for token, likelihood in tokens.items():
            for label in self.of:
                if token.strip().casefold() == label.strip().casefold():
                    shares[label] += likelihood
        return shares
