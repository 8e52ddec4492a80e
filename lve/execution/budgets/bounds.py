"""Upper bounds for the tokens of a request, for reserving budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.messages import Message
from lve.models.chat_model import MAX_TOKENS_ARGS, ChatRequest
from lve.named_tuples import NamedTuple

MESSAGE_OVERHEAD = 16
"""Most tokens around one message (role, separators)."""
REQUEST_OVERHEAD = 32
"""Most tokens around a whole prompt (begin, generation prompt, a default system line)."""
SCORE_BOUND = 1
"""Most tokens that a request to rate a prompt generates."""
IMAGE_TOKENS = 50_000
"""Most tokens of an image: OpenAI's small models count 2,833 + 5,667 per tile of up to 8 tiles."""


class Bounds(NamedTuple):
    """The most tokens that one attempt can use."""

    prompt: int = 0
    """Tokens of the prompt."""
    answer: int | None = None
    """Tokens of one answer; None: no limit."""
    answers: int = 1
    """Number of answers (the model arg `n`)."""


def bounds_of(request: ChatRequest) -> Bounds:
    """Return the most tokens that an attempt of a request can use."""
    answer = SCORE_BOUND if request.score else answer_bound(request.args)
    count = request.args.get("n")
    answers = count if isinstance(count, int) and count > 0 else 1
    return Bounds(prompt_bound(request), answer, answers)


def prompt_bound(request: ChatRequest) -> int:
    """Return the most tokens that a prompt can have.

    A token covers at least one byte. Model args count, too: tools and schemas become part of the
    prompt.
    """
    bound = REQUEST_OVERHEAD + (_bytes(str(request.args)) if request.args else 0)
    if request.prompt is not None:
        return bound + _bytes(request.prompt)
    if request.tools:
        bound += _bytes(str(request.tools))
    return bound + sum(_message_bound(message) for message in request.messages)


def answer_bound(args: Mapping[str, Any]) -> int | None:
    """Return the most tokens of an answer, according to the model args; None without a limit."""
    bounds = [args[name] for name in MAX_TOKENS_ARGS if isinstance(args.get(name), int)]
    return min(bounds) if bounds else None


def _message_bound(message: Message) -> int:
    bound = MESSAGE_OVERHEAD
    if isinstance(message.content, str):
        bound += _bytes(message.content)
    else:
        bound += sum(_part_bound(part) for part in message.content or ())
    for call in message.tool_calls:
        bound += MESSAGE_OVERHEAD + sum(map(_bytes, call))
    if message.provider_state is not None:
        bound += _bytes(str(message.provider_state))
    return bound + (IMAGE_TOKENS if message.image_url else 0)


def _part_bound(part: Mapping[str, object]) -> int:
    text = part.get("text")
    if isinstance(text, str):
        return _bytes(text)
    held = part.get(str(part.get("type")))
    if not isinstance(held, Mapping):
        return IMAGE_TOKENS
    document, sound = held.get("file_data"), held.get("data")
    # A PDF's text is compressed. A second of sound has 1,000 bytes or more, 100 tokens or fewer.
    bounds = [
        len(content) // per
        for content, per in ((document, 1), (sound, 10))
        if isinstance(content, str)
    ]
    return max([IMAGE_TOKENS, *bounds])


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
