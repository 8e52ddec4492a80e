"""The one seam between lve and language models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from lve.messages import Completion, Message, Usage

BOUND_ARGS = ("max_tokens", "max_completion_tokens")
"""Model args that say how long an answer may be."""


@dataclass(slots=True)
class ChatRequest:
    """Ask a model to continue a conversation."""

    messages: tuple[Message, ...] = ()
    """Everything before the open turn."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """Model args without nulls: temperature, top_p, max_tokens, seed, ..."""
    repeat: int = 0
    """Which repeat of the instance this is, from 0. Part of the cache key, never sent."""
    stream: bool = False
    """Whether to ask for a streamed answer, so that the time to the first token is known."""
    timeout_s: float | None = None
    """Seconds that this attempt may take; None: the model's own limit. Never sent."""
    recorded: str | None = None
    """The completion recorded for this turn, where there is one. Only `replay` uses it."""
    prompt: str | None = None
    """Instead of messages: one text, which a meta template made of them (`kind: lm`)."""
    score: bool = False
    """Don't continue `prompt`, rate it: `Completion.logprobs` gets its tokens, as
    `lve.models.scoring` reads them. A model that can't do that leaves them out or refuses."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model. `complete` makes exactly one attempt: retries, limits and the cache are the
    engine's business (`lve.execution`).

    A model whose attribute `holds_timeout` is true ends an attempt after `request.timeout_s`
    itself; the engine watches over the others. One whose attribute `is_free` is true costs nothing,
    so a cap on cost needs no price of it. What it raises beside `LveError` is an error of
    kind `model_crash` for the instance."""

    @property
    def name(self) -> str:
        """The name that the user gave, such as `openai/gpt-4o`."""
        ...

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """What can change an answer beside the request (provider, endpoint, served model, ...), as
        JSON; None if answers must not be cached."""
        ...

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the completion.

        Raises:
            TransientModelError: worth another try.
            PermanentModelError: the same request would fail again.
        """
        ...

    async def aclose(self) -> None:
        """Close connections. The model can't be used afterwards."""
        ...


MOST_TOKENS = 10**9
"""Of one request. What a server counts goes into sums and prices; no request has as many."""
MODEL_MEMBERS = ("name", "identity", "complete", "aclose")
"""What makes a `ChatModel`."""


def wrong_with(answer: object) -> str | None:
    """Return what is wrong with what a model returned as its completion, or None.

    Type checkers don't watch everybody's models, and a wrong type does its harm much later. It is
    asked once per request: no loops.
    """
    if not isinstance(answer, Completion):
        return f"it answered with a {type(answer).__name__}"
    given: Any = answer
    if not isinstance(given.text, str):
        return f"Completion.text must be a text, not {given.text!r}"
    if not isinstance(given.finish_reason, str | None):
        return f"Completion.finish_reason must be a text or None, not {given.finish_reason!r}"
    if not isinstance(given.model, str | None):
        return f"Completion.model must be a text or None, not {given.model!r}"
    if not isinstance(given.latency_s, float | int):
        return f"Completion.latency_s must be seconds, not {given.latency_s!r}"
    if not isinstance(given.first_token_s, float | int | None):
        return f"Completion.first_token_s must be seconds or None, not {given.first_token_s!r}"
    return None if given.usage is None else _wrong_with_usage(given.usage)


def _wrong_with_usage(usage: Any) -> str | None:
    if not isinstance(usage, Usage):
        return f"Completion.usage must be a lve.Usage or None, not {usage!r}"
    if is_count(usage.prompt_tokens) and is_count(usage.completion_tokens):
        return None
    counts = [n for n in (usage.prompt_tokens, usage.completion_tokens) if isinstance(n, int)]
    if max(counts, default=0) > MOST_TOKENS:  # with so many digits that they may not be shown
        return f"Completion.usage counts more than {MOST_TOKENS} tokens"
    return f"the tokens of Completion.usage must be whole numbers from 0 on, not {usage!r}"


def is_count(value: object) -> bool:
    """Whether a value can be a number of tokens."""
    return isinstance(value, int) and 0 <= value <= MOST_TOKENS


@runtime_checkable
class EmbeddingModel(Protocol):
    """A model that turns texts into vectors. `embed` makes exactly one attempt."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, in their order.

        Raises:
            TransientModelError: worth another try.
            PermanentModelError: the same request would fail again.
        """
        ...
