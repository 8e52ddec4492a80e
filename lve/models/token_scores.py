"""The tokens of a text that a model has rated (`ChatRequest(prompt=text, score=True)`)."""

from __future__ import annotations

from math import inf
from typing import TypeGuard

from lve.data_classes import dataclass
from lve.json_types import JsonValue

MIN_LOGPROB = -1e9
"""Minimum: servers that can't write minus infinity send -9999 or the like."""
MAX_LOGPROB = 1.0
"""Maximum: above 0, because numbers of low precision are rounded."""

LEAST_LOGPROB = -9999.0
"""What OpenAI sends for a token that is all but impossible; lve's for minus infinity, which JSON
doesn't have."""


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """One token of a rated text."""

    text: str
    logprob: float | None
    """Natural logarithm of its probability given the text before; None for the first token."""
    start: int
    """Offset in the prompt in characters; negative for the model's start token."""

    def to_json(self) -> list[JsonValue]:
        """Return `[text, logprob, start]`, the format of `Completion.logprobs` and the cache."""
        return [self.text, self.logprob, self.start]


def is_logprob(value: object) -> TypeGuard[float]:
    """Return whether `value` is a valid log-probability. With NaN or infinity in a sum, comparisons
    would always choose the first label."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return MIN_LOGPROB <= value <= MAX_LOGPROB


def readable_logprob(value: JsonValue) -> JsonValue:
    """Return a log-probability that a server sent as a text or as minus infinity as a number;
    anything else unchanged."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return value
    return LEAST_LOGPROB if value == -inf else value
