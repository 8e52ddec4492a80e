"""The wires that continue a text, and rate texts and chats; their requests and responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import ModelError, PermanentModelError
from lve.escape import head
from lve.json_types import JsonValue
from lve.messages import Completion
from lve.models.chat_model import DEFAULT_ARG_NAMES, DEFAULT_ARGS, ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.answers import check_length, label, parse_success
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.failures import malformed
from lve.models.http.json_body import is_finite, is_shallow
from lve.models.http.keys import Secret
from lve.models.http.wire import Refusable, Wire, WrittenRequest
from lve.models.openai.apis import CHAT, OpenAIWire, path_failure
from lve.models.openai.wire import chat_body, first_choice, parse_usage
from lve.models.token_scores import ScoredToken, is_logprob, readable_logprob

TEXT = "/completions"


def text_or_rating(model: str, request: ChatRequest) -> Wire:
    """Return the wire for a request to continue or rate a text, or to rate a chat.

    Args:
        model: the model's name at the server.
        request: the request.
    """
    if request.prompt is not None:
        return TextWire(model, request.prompt, is_rated=request.score)
    return RatingWire(model)


class TextWire(OpenAIWire):
    """Continues one text, or rates it."""

    can_stream = False

    def __init__(self, model: str, prompt: str, *, is_rated: bool) -> None:
        """Args:
        model: the model's name at the server.
        prompt: the text.
        is_rated: whether to rate the text instead of continuing it.
        """
        super().__init__(model)
        self._prompt = prompt
        self._is_rated = is_rated

    def write(self, request: ChatRequest, adjustments: Adjustments) -> WrittenRequest:
        """Return a request as it is sent; see `Wire`."""
        body = text_body(self._model, self._prompt, request.args, score=self._is_rated)
        body = adjustments.apply(body, request.by_default)
        left_out = adjustments.unsent(request.args, request.by_default)
        return WrittenRequest(self, TEXT, body, left_out)

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        scored = self._prompt if self._is_rated else None
        return parse_text(body, scored=scored, latency_s=latency_s, secret=secret)

    def failure(self, failure: ModelError, response: HttpResponse) -> ModelError:
        """Return the error of a failed request, which says if the server has no such path."""
        return path_failure(failure, response, TEXT)


class RatingWire(OpenAIWire):
    """Rates a chat (vLLM's `prompt_logprobs`)."""

    can_stream = False

    def write(self, request: ChatRequest, adjustments: Adjustments) -> WrittenRequest:
        """Return a request as it is sent; see `Wire`."""
        rating = rating_of(request)
        body = adjustments.apply(chat_body(self._model, rating), rating.by_default)
        body["prompt_logprobs"] = 0
        return WrittenRequest(self, CHAT, body)

    def refusable(self, request: ChatRequest, written: WrittenRequest) -> Refusable:
        """Return what an error may name of the rating; see `Wire`."""
        return Refusable(written.body, rating_of(request).by_default)

    def parse(self, body: bytes, *, latency_s: float, secret: Secret | None) -> Completion:
        """Return the completion in the body of a successful response."""
        return parse_rated_chat(body, latency_s=latency_s, secret=secret)


_START_TOKENS = 64
"""Maximum number of tokens of a rated prompt that aren't part of its text."""


def text_body(
    model: str, prompt: str, args: Mapping[str, Any], *, score: bool
) -> dict[str, JsonValue]:
    """Return the JSON body of a text completion.

    To rate a text, the server echoes it with log-probabilities and adds one token, which is
    ignored. (Servers disagree about 0 tokens: for llama-cpp-python it means as many as fit.)
    """
    body = {"model": model, "prompt": prompt}
    if score:
        return {**body, "max_tokens": 1, "temperature": 0.0, "echo": True, "logprobs": 1}
    return {**body, **{name: value for name, value in args.items() if value is not None}}


def parse_text(
    body: bytes, *, scored: str | None = None, latency_s: float = 0.0, secret: Secret | None = None
) -> Completion:
    """Return the completion in the body of a successful response.

    Args:
        body: the body.
        scored: the prompt, if it was rated.
        latency_s: the completion's latency.
        secret: the key in use, removed from messages of the server.

    Raises:
        TransientModelError: the body is malformed, has no choices or invalid log-probabilities.
        PermanentModelError: the server gives no log-probabilities (kind `not_supported`).
    """
    data = parse_success(body, secret=secret)
    choice = first_choice(data, secret)
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
    """Return the prompt's tokens with their offsets in the prompt.

    Args:
        logprobs: the log-probabilities of the prompt and of what the server generated.
        prompt: the rated text.
        generated: the number of generated tokens, which are left out.
    """
    try:
        texts, values = list(logprobs["tokens"]), list(logprobs["token_logprobs"])
        offsets = list(logprobs.get("text_offset") or _offsets(texts))
        if len({len(texts), len(values), len(offsets)}) > 1 or len(texts) <= generated:
            raise ValueError
        # Every token except start tokens covers at least a byte.
        if len(texts) - generated > len(prompt.encode("utf-8", "surrogatepass")) + _START_TOKENS:
            raise ValueError
        # llama-cpp-python counts the generated token, and may not list it.
        end = len(texts) if "".join(texts) == prompt else len(texts) - generated
        shift = _shift(texts[:end], prompt)
        starts = [int(offset) - shift for offset in offsets[:end]]
        return [
            ScoredToken(str(text) or _character(prompt, start), _logprob(value), start)
            for text, value, start in zip(texts[:end], values[:end], starts, strict=True)
        ]
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError, RecursionError):
        raise PermanentModelError(
            "the server gives no log-probabilities of the prompt (echo with logprobs)",
            kind="not_supported",
        ) from None


def rating_of(request: ChatRequest) -> ChatRequest:
    """Return the request that rates a chat. The server adds one token, which is ignored."""
    args = {"max_tokens": 1, **DEFAULT_ARGS}
    return ChatRequest(request.messages, args, by_default=DEFAULT_ARG_NAMES)


def parse_rated_chat(
    body: bytes, *, latency_s: float = 0.0, secret: Secret | None = None
) -> Completion:
    """Return a completion with the rated tokens of a chat (vLLM's `prompt_logprobs`).

    Raises:
        TransientModelError: the body is malformed or has invalid log-probabilities.
        PermanentModelError: the server gives no log-probabilities (kind `not_supported`).
    """
    data = parse_success(body, secret=secret)
    positions = data.get("prompt_logprobs")
    if not isinstance(positions, list) or len(positions) < 2:
        raise PermanentModelError(
            "the server gives no log-probabilities of the prompt (prompt_logprobs, as vLLM does)",
            kind="not_supported",
        )
    tokens: list[ScoredToken] = []
    place = 1  # offsets are positive, so that tokens without a text count, also the first ones
    for entry in positions:
        text, logprob = _rated(entry)
        tokens.append(ScoredToken(text, logprob, place))
        place += len(text)
    check_length(place)
    return Completion(
        text="",
        usage=parse_usage(data.get("usage")),
        latency_s=latency_s,
        model=label(data.get("model")),
        logprobs=[token.to_json() for token in tokens],
    )


def _rated(entry: object) -> tuple[str, float | None]:
    """Return text and log-probability of a prompt token: the first item of its entry, which also
    lists alternatives. The prompt's first token has no entry."""
    if entry is None:
        return "", None
    own = next(iter(entry.values()), None) if isinstance(entry, Mapping) else None
    if not isinstance(own, Mapping) or own.get("logprob") is None:
        raise malformed("prompt_logprobs has a token without log-probability")
    text = own.get("decoded_token")
    return text if isinstance(text, str) else "", _logprob(own["logprob"])


def _logprob(value: JsonValue) -> float | None:
    """Return a token's log-probability, None if there is none, as for the first token.

    Raises:
        TransientModelError: it is invalid (NaN, say).
    """
    value = readable_logprob(value)
    if value is not None and not is_logprob(value):
        raise malformed(f"{head(repr(value), 20)} is no log-probability")
    return None if value is None else float(value)


def _character(prompt: str, start: int) -> str:
    """Return the character at the place of a token without text, which is some of its bytes."""
    return prompt[start : start + 1] if start >= 0 else ""


def _offsets(texts: Sequence[str]) -> list[int]:
    offsets, position = [], 0
    for text in texts:
        offsets.append(position)
        position += len(text)
    return offsets


def _shift(texts: Sequence[str], prompt: str) -> int:
    """Return the number of echoed characters before the prompt; some servers echo a start token."""
    echoed = "".join(texts)
    return len(echoed) - len(prompt) if echoed.endswith(prompt) else 0
