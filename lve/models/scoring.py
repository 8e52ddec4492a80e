"""How likely a model finds a text: from a rated prompt to numbers. Pure functions.

completion = await model.complete(ChatRequest(prompt=text, score=True))
tokens = scored_tokens(completion, model.name)
average_nll(tokens)                    # PPLInferencer: the lowest wins
log_likelihood(tokens, start=len(question))   # LLInferencer: the highest wins
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from lve.errors import PermanentModelError
from lve.messages import Completion

LOWEST = -1e9
"""Of a log-probability: servers that can't write minus infinity send -9999 or the like."""
HIGHEST = 1.0
"""Of a log-probability: a probability is 1 at most, and coarse numbers are rounded."""


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """One token of a rated text."""

    text: str
    logprob: float | None
    """Natural logarithm of its probability after all before it; None for the first."""
    start: int
    """Where it begins in the prompt, in characters; negative for a start token of the model's."""

    def to_json(self) -> list[Any]:
        """Return `[text, logprob, start]`, the form in `Completion.logprobs` and in the cache."""
        return [self.text, self.logprob, self.start]


def is_logprob(value: object) -> TypeGuard[float]:
    """Whether a value can be a log-probability. A sum over NaN or infinity compares as nothing, and
    the first label would win."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return LOWEST <= value <= HIGHEST


def scored_tokens(completion: Completion, model: str) -> tuple[ScoredToken, ...]:
    """Return the tokens of a rated prompt.

    The first one of the text has no log-probability, also where the model rates it after a start
    token: most servers leave it out, and numbers have to agree.

    Raises:
        PermanentModelError: the model rates nothing, kind `not_supported`, or with what is no
            log-probability, kind `malformed`.
    """
    if not isinstance(completion.logprobs, list):
        raise PermanentModelError(
            f"model {model!r} gives no log-probabilities of a prompt: use a server with "
            "/v1/completions (echo and logprobs), or a local model, hf/NAME",
            kind="not_supported",
        )
    tokens = [ScoredToken(*token) for token in completion.logprobs]
    if not all(token.logprob is None or is_logprob(token.logprob) for token in tokens):
        raise PermanentModelError(
            f"model {model!r} rates the prompt with numbers that are no log-probabilities",
            kind="malformed",
        )
    first = next((n for n, token in enumerate(tokens) if token.start >= 0), None)
    if first is not None:
        tokens[first] = replace(tokens[first], logprob=None)
    return tuple(tokens)


def average_nll(tokens: Sequence[ScoredToken], *, start: int = 0) -> float:
    """Return the mean negative log-likelihood of the tokens, the logarithm of the perplexity.

    Args:
        tokens: of the whole prompt.
        start: count only from this character on.

    Returns:
        infinity where no token counts: such a text never wins.
    """
    values = _counted(tokens, start)
    return -sum(values) / len(values) if values else float("inf")


def log_likelihood(tokens: Sequence[ScoredToken], *, start: int) -> float:
    """Return the log-probability of the text from character `start` on, given what is before.

    A token that reaches over the border counts: it is where the text begins for the model.
    """
    return sum(_counted(tokens, start))


def first_log_likelihood(tokens: Sequence[ScoredToken], *, start: int) -> float:
    """Return the log-probability of the first token of the text from character `start` on;
    minus infinity where there is none (CLPInferencer)."""
    values = _counted(tokens, start)
    return values[0] if values else float("-inf")


def _counted(tokens: Sequence[ScoredToken], start: int) -> list[float]:
    return [
        token.logprob
        for token in tokens
        if token.logprob is not None and token.start + len(token.text) > start
    ]
