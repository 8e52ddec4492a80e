"""The wire format of OpenAI's text completions and embeddings. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import PermanentModelError
from lve.messages import Completion
from lve.models.openai.decode import is_finite, is_shallow
from lve.models.openai.failures import malformed
from lve.models.openai.secret import Secret
from lve.models.openai.wire import check_length, first_choice, label, parse_success, parse_usage
from lve.models.scoring import ScoredToken, is_logprob

_START_TOKENS = 64
"""Tokens of a rated prompt that are no part of its text, at most."""
LONGEST_VECTOR = 1 << 16
"""Numbers of an embedding; the longest ones known have 12,288."""
LARGEST_NUMBER = 1e100
"""In an embedding: squares of larger ones are no numbers any more."""


def text_body(model: str, prompt: str, args: Mapping[str, Any], *, score: bool) -> dict[str, Any]:
    """Return the JSON body of a text completion.

    To rate a text it is echoed with log-probabilities and continued by one token, which is thrown
    away: servers differ in what 0 tokens mean (llama-cpp-python: as many as fit).
    """
    body = {"model": model, "prompt": prompt}
    if score:
        return {**body, "max_tokens": 1, "temperature": 0.0, "echo": True, "logprobs": 1}
    return {**body, **{name: value for name, value in args.items() if value is not None}}


def parse_text(
    body: bytes,
    *,
    scored: str | None = None,
    latency_s: float = 0.0,
    secret: Secret | None = None,
) -> Completion:
    """Return the completion in the body of a successful answer.

    Args:
        body: of the answer.
        scored: the prompt, when it was to be rated.
        latency_s: goes into the completion.
        secret: the key in use; blotted out should the server repeat it.

    Raises:
        TransientModelError: malformed, without choices, or rated with what is no log-probability.
        PermanentModelError: the server gives no log-probabilities, kind `not_supported`.
    """
    data = parse_success(body, secret=secret)
    choice = first_choice(data)
    text = choice.get("text")
    if not isinstance(text, str):
        raise malformed("the choice has no text")
    check_length(len(text))
    usage = parse_usage(data.get("usage"))
    logprobs = choice.get("logprobs")
    if scored is not None:
        generated = usage.completion_tokens if usage else 1
        logprobs = [token.to_json() for token in _tokens(logprobs, scored, generated)]
    elif not (is_shallow(logprobs) and is_finite(logprobs)):
        logprobs = None
    return Completion(
        text="" if scored is not None else text,
        finish_reason=label(choice.get("finish_reason")),
        usage=usage,
        latency_s=latency_s,
        model=label(data.get("model")),
        logprobs=logprobs,
    )


def _tokens(logprobs: Any, prompt: str, generated: int) -> Sequence[ScoredToken]:
    """Return the prompt's tokens with their places in the prompt."""
    try:
        texts, values = list(logprobs["tokens"]), list(logprobs["token_logprobs"])
        offsets = list(logprobs.get("text_offset") or _offsets(texts))
        if len({len(texts), len(values), len(offsets)}) > 1 or len(texts) <= generated:
            raise ValueError
        # A token covers a byte at least, start tokens apart.
        if len(texts) - generated > len(prompt.encode("utf-8", "surrogatepass")) + _START_TOKENS:
            raise ValueError
        end = len(texts) - generated
        shift = _shift(texts[:end], prompt)
        starts = [int(offset) - shift for offset in offsets[:end]]
        return [
            ScoredToken(
                str(text) or _character(prompt, start),
                _logprob(value),
                start,
            )
            for text, value, start in zip(texts[:end], values[:end], starts, strict=True)
        ]
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError, RecursionError):
        raise PermanentModelError(
            "the server gives no log-probabilities of the prompt (echo with logprobs)",
            kind="not_supported",
        ) from None


def _logprob(value: Any) -> float | None:
    """Return a token's log-probability; None where the server gives none, as for the first.

    Raises:
        TransientModelError: it is no log-probability: NaN, say.
    """
    if value is not None and not is_logprob(value):
        raise malformed(f"{value!r:.20} is no log-probability")
    return None if value is None else float(value)


def _character(prompt: str, start: int) -> str:
    """Return the character that a token is only a few bytes of, whose text the server left out."""
    return prompt[start : start + 1] if start >= 0 else ""


def _offsets(texts: Sequence[str]) -> list[int]:
    offsets, position = [], 0
    for text in texts:
        offsets.append(position)
        position += len(text)
    return offsets


def _shift(texts: Sequence[str], prompt: str) -> int:
    """Return the characters before the prompt: some servers echo their start token as text."""
    echoed = "".join(texts)
    return len(echoed) - len(prompt) if echoed.endswith(prompt) else 0


def parse_embeddings(body: bytes, count: int, *, secret: Secret | None = None) -> list[list[float]]:
    """Return the vectors in the body of a successful answer, in the order of the texts.

    Args:
        body: of the answer.
        count: how many texts there were.
        secret: as for `parse_text`.

    Raises:
        TransientModelError: malformed, or not one vector per text.
    """
    data = parse_success(body, secret=secret)
    try:
        items = sorted(data["data"], key=lambda item: int(item["index"]))
        vectors = [_vector(item["embedding"]) for item in items[: count + 1]]
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise malformed("the embeddings are not lists of numbers") from None
    if len(items) != count or len({len(vector) for vector in vectors}) > 1:
        raise malformed(f"{len(items)} embeddings for {count} texts, or of different lengths")
    return vectors


def _vector(numbers: Any) -> list[float]:
    if not isinstance(numbers, list) or len(numbers) > LONGEST_VECTOR:
        raise ValueError
    vector = [float(number) for number in numbers]
    # NaN, infinity and what becomes it would make every distance nonsense.
    if not all(-LARGEST_NUMBER <= number <= LARGEST_NUMBER for number in vector):
        raise ValueError
    return vector
