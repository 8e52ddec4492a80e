"""The interface between lve and language models: `ChatModel`, `ChatRequest`, `EmbeddingModel`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeGuard, runtime_checkable

from lve.data_classes import dataclass, field
from lve.json_types import JsonObject
from lve.messages import Completion, Message, Tool, ToolCall, Usage

MAX_TOKENS_ARGS = ("max_tokens", "max_completion_tokens")
"""Model args that limit the length of an answer."""

DEFAULT_ARGS: Mapping[str, float] = {"temperature": 0.0}
"""The model args that lve sends by default, unless the model refuses them."""
DEFAULT_ARG_NAMES = frozenset(DEFAULT_ARGS)

FAILED_REASONS = frozenset(("error", "abort"))
"""Finish reasons of answers that the server gave up: what there is of them is no answer."""


@dataclass(slots=True)
class ChatRequest:
    """A request to continue a conversation, or to continue or rate a text."""

    messages: tuple[Message, ...] = ()
    """All messages before the open turn."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """Model args without nulls: temperature, top_p, max_tokens, seed, ..."""
    repeat: int = 0
    """The number of the repeat, from 0. Part of the cache key, never sent."""
    stream: bool = False
    """Whether to request a streamed answer, which tells the time to the first token."""
    timeout_s: float | None = None
    """Time limit of this attempt in seconds; None: the model's own limit. Never sent."""
    recorded: str | None = None
    """The recorded completion of this turn, if there is one, for `replay`."""
    recorded_calls: tuple[ToolCall, ...] = ()
    """The tool calls in `recorded`."""
    prompt: str | None = None
    """A text to continue, in place of `messages`; rendered by a meta template (`kind: lm`)."""
    score: bool = False
    """Whether to rate the prompt or the messages instead of continuing them. `Completion.logprobs`
    gets their tokens, see `lve.models.token_scores`; a model that can't rate sets no logprobs or
    raises."""
    by_default: frozenset[str] = frozenset()
    """The args that lve added by default. They are left out if the model refuses them."""
    tools: tuple[Tool, ...] = ()
    """The tools that the model may call."""
    listen: Callable[[], Callable[[str], None]] | None = None
    """Called at the start of each streamed attempt. The function that it returns gets each piece of
    the answer's text as it arrives."""


Complete = Callable[[ChatRequest], Awaitable[Completion]]
"""Returns one completion; `Completer.complete` is such a function."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model. `complete` makes exactly one attempt; `lve.execution` does retries, limits
    and caching.

    Five attributes are optional: `holds_timeout`, `is_free`, `is_remote` (whether a server answers,
    whose address or key may be wrong), `states_cost` and `sent_differently`.
    The functions below that have these names say what they mean, and return their defaults.
    Any exception but an `LveError` becomes an error of kind `model_crash` of the instance.
    """

    @property
    def name(self) -> str:
        """The name that the user gave, such as `openai/gpt-4o`."""
        ...

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """Everything except the request that can change an answer (provider, endpoint, served
        model, ...), as JSON for the cache key; None if answers must not be cached."""
        ...

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the completion.

        Raises:
            TransientModelError: a retry may succeed.
            PermanentModelError: the same request would fail again.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections. The model can't be used afterwards."""
        ...


def holds_timeout(model: ChatModel) -> bool:
    """Whether a model itself ends an attempt after `request.timeout_s`."""
    return bool(getattr(model, "holds_timeout", False))


def is_free(model: ChatModel) -> bool:
    """Whether a model costs nothing, so that a cap on cost needs no price."""
    return bool(getattr(model, "is_free", False))


def states_cost(model: ChatModel) -> bool:
    """Whether answers of a model may say what they cost, so that it may have no price."""
    return bool(getattr(model, "states_cost", False))


def sent_differently(model: ChatModel) -> JsonObject:
    """Return, as JSON for the session's file, how a model changes requests that its server would
    refuse."""
    return getattr(model, "sent_differently", {})


MAX_TOKEN_COUNT = 10**9
"""Maximum of a token count. Counts go into sums and prices, and no real request has more."""
MAX_SECONDS = 10**9
"""Longest latency of an answer: a forged number with thousands of digits would break sums."""
MAX_COST = 1_000_000
"""Most US dollars that an answer may say it cost: a forged number would break sums."""
_NUMBER = (float, int)
_TEXT_OR_NONE = (str, type(None))
MODEL_MEMBERS = ("name", "identity", "complete", "aclose")
"""The members of `ChatModel`."""


def wrong_with(answer: object) -> str | None:
    """Return what is wrong with a model's completion, None if it is valid.

    Models from plugins may not be type-checked, and a wrong type would fail much later. This runs
    for every request, so it has no loops.
    """
    if type(answer) is Completion and _is_surely_right(answer):
        is_text = answer.logprobs is None is answer.reasoning is answer.provider_state
        answer.is_plain = is_text and not answer.left_out
        return None
    if not isinstance(answer, Completion):
        return f"it answered with a {type(answer).__name__}"
    completion: Any = answer
    completion.is_plain = False  # a model may change and return an answer that it has returned
    if not isinstance(completion.text, str):
        return f"Completion.text must be a text, not {completion.text!r}"
    # Not `isinstance(..., str | None)`: that would create a union object on every call.
    if not (completion.finish_reason is None or isinstance(completion.finish_reason, str)):
        return f"Completion.finish_reason must be a text or None, not {completion.finish_reason!r}"
    if not (completion.model is None or isinstance(completion.model, str)):
        return f"Completion.model must be a text or None, not {completion.model!r}"
    if not isinstance(completion.latency_s, _NUMBER):
        return f"Completion.latency_s must be seconds, not {completion.latency_s!r}"
    if not (completion.first_token_s is None or isinstance(completion.first_token_s, _NUMBER)):
        return f"Completion.first_token_s must be seconds or None, not {completion.first_token_s!r}"
    if completion.tool_calls and (wrong := _wrong_with_calls(completion.tool_calls)):
        return wrong
    if not (completion.reasoning is None or isinstance(completion.reasoning, str)):
        return f"Completion.reasoning must be a text or None, not {completion.reasoning!r}"
    why = wrong_with_returned(completion.contexts, completion.metadata, completion.cost)
    return why or (None if completion.usage is None else _wrong_with_usage(completion.usage))


def wrong_with_returned(
    contexts: object = (), metadata: object = None, cost: object = None
) -> str | None:
    """Return what is wrong with the fields of a completion that only applications fill, None if
    they are valid."""
    if not isinstance(contexts, tuple) or not all(isinstance(text, str) for text in contexts):
        return "Completion.contexts must be a tuple of texts"
    if not (metadata is None or isinstance(metadata, Mapping)):
        return f"Completion.metadata must be a mapping or None, not a {type(metadata).__name__}"
    if cost is None or (type(cost) in _NUMBER and 0 <= cost <= MAX_COST):  # type: ignore[operator]
        return None
    return f"Completion.cost must be US dollars from 0 to {MAX_COST} or None, not {cost!r}"


def _is_surely_right(answer: Completion) -> bool:
    """Whether a completion has the types that nearly all have: `wrong_with` has no objection."""
    usage: Any = answer.usage
    return (
        type(answer.text) is str
        and type(answer.finish_reason) in _TEXT_OR_NONE
        and type(answer.model) in _TEXT_OR_NONE
        and type(answer.reasoning) in _TEXT_OR_NONE
        and type(answer.latency_s) is float
        and 0 <= answer.latency_s <= MAX_SECONDS
        and answer.first_token_s is None
        and type(answer.cached) is bool
        and not answer.tool_calls
        and not answer.contexts
        and answer.metadata is None is answer.cost
        and type(usage) is Usage
        and type(usage.prompt_tokens) is type(usage.completion_tokens) is int
        and 0 <= usage.prompt_tokens <= MAX_TOKEN_COUNT
        and 0 <= usage.completion_tokens <= MAX_TOKEN_COUNT
        and usage.cached_tokens == 0 == usage.reasoning_tokens
    )


def _wrong_with_calls(calls: object) -> str | None:
    if not isinstance(calls, tuple) or not all(isinstance(call, ToolCall) for call in calls):
        return f"Completion.tool_calls must be a tuple of lve.ToolCall, not {calls!r}"
    for number, call in enumerate(calls):
        for name, value in call._asdict().items():
            if not isinstance(value, str):
                kinds = "JSON, as a text or a dict" if name == "arguments" else "a text"
                return f"Completion.tool_calls[{number}].{name} must be {kinds}, not {value!r}"
    return None


def with_written_calls(answer: Any) -> Any:
    """Return a model's completion with the arguments of its tool calls as texts, if they are
    objects that can be JSON; anything else unchanged."""
    calls = answer.tool_calls if isinstance(answer, Completion) else None
    if not isinstance(calls, list | tuple):
        return answer
    return replace(answer, tool_calls=tuple(map(_written, calls)))


def _written(call: Any) -> Any:
    if not (isinstance(call, ToolCall) and isinstance(call.arguments, Mapping)):
        return call
    try:
        text = json.dumps({**call.arguments}, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return call
    return call._replace(arguments=text)


def _wrong_with_usage(usage: object) -> str | None:
    if not isinstance(usage, Usage):
        return f"Completion.usage must be a lve.Usage or None, not {usage!r}"
    counts = (usage.prompt_tokens, usage.completion_tokens)
    if is_count(counts[0]) and is_count(counts[1]):
        parts = (usage.cached_tokens, usage.reasoning_tokens)
        # Most servers report neither.
        if parts == (0, 0) or all(map(is_part, parts, counts)):
            return None
        return "Completion.usage has more cached or reasoning tokens than tokens"
    numbers = [n for n in counts if isinstance(n, int)]
    if max(numbers, default=0) > MAX_TOKEN_COUNT:  # may have too many digits to be printed
        return f"Completion.usage counts more than {MAX_TOKEN_COUNT} tokens"
    return f"the tokens of Completion.usage must be whole numbers from 0 on, not {usage!r}"


def is_count(value: object) -> TypeGuard[int]:
    """Return whether `value` is a valid token count. Python takes True for a number, JSON doesn't:
    a journal with it couldn't be read."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKEN_COUNT


def is_part(value: object, whole: int) -> TypeGuard[int]:
    """Return whether `value` is a token count of at most `whole`."""
    return is_count(value) and value <= whole


@runtime_checkable
class EmbeddingModel(Protocol):
    """A model that turns texts into vectors. `embed` makes exactly one attempt."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, in the order of `texts`.

        Raises:
            TransientModelError: a retry may succeed.
            PermanentModelError: the same request would fail again.
        """
        ...
