"""Computes the likelihood of a text from the log-probabilities of its tokens. Pure functions.

completion = await model.complete(ChatRequest(prompt=text, score=True))
tokens = scored_tokens(completion, model.name)
average_nll(tokens)                          # PPLInferencer: the lowest wins
log_likelihood(tokens, start=len(question))  # LikelihoodInferencer: the highest wins
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lve.errors import PermanentModelError
from lve.messages import Completion
from lve.models.token_scores import ScoredToken, is_logprob


def scored_tokens(
    completion: Completion, model: str, *, has_first: bool = False
) -> tuple[ScoredToken, ...]:
    """Return the tokens of a rated prompt.

    Args:
        completion: the answer to a request with `score`.
        model: the model's name, for error messages.
        has_first: whether the text's first token keeps its log-probability, which models have that
            begin texts with a token. Most servers give none, and results must be comparable.

    Raises:
        PermanentModelError: there are no log-probabilities (kind `not_supported`), or invalid ones
            (kind `malformed`).
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
    if first is not None and not has_first:
        tokens[first] = replace(tokens[first], logprob=None)
    return tuple(tokens)


def average_nll(tokens: Sequence[ScoredToken], *, start: int = 0, of_all: bool = False) -> float:
    """Return the mean negative log-likelihood of the tokens, the logarithm of the perplexity.

    Args:
        tokens: the tokens of the whole prompt.
        start: tokens before this character are ignored.
        of_all: whether the sum is divided by the number of all tokens, not of those that count.

    Returns:
        The mean; infinity if no token counts, so that such a text never wins.
    """
    values = _counted(tokens, start)
    return -sum(values) / len(tokens if of_all else values) if values else float("inf")


def log_likelihood(tokens: Sequence[ScoredToken], *, start: int) -> float:
    """Return the log-probability of the text from character `start` on, given the text before it.

    A token that begins before `start` and ends after it counts.
    """
    return sum(_counted(tokens, start))


def first_log_likelihood(tokens: Sequence[ScoredToken], *, start: int) -> float:
    """Return the log-probability of the first token from character `start` on; minus infinity if
    there is none (CLPInferencer)."""
    values = _counted(tokens, start)
    return values[0] if values else float("-inf")


def _counted(tokens: Sequence[ScoredToken], start: int) -> list[float]:
    return [
        token.logprob
        for token in tokens
        if token.logprob is not None and token.start + len(token.text) > start
    ]
