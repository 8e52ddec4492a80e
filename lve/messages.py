"""The values that all stages share: messages, completions, transcripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Role(str, Enum):
    """Who speaks. Compares equal to its lower-case name."""

    user = "user"
    assistant = "assistant"
    system = "system"

    def __str__(self) -> str:
        return self.value


Part = Mapping[str, Any]
"""One part of a multimodal content in OpenAI's shape, such as `{"type": "text", "text": ...}`."""


@dataclass(slots=True)
class Message:
    """One message of a prompt or a transcript."""

    content: str | Sequence[Part] | None = None
    """Text, a list of parts, or None on an open turn."""
    role: Role = Role.user
    variable: str | None = None
    """Name under which an assistant turn's text is available to checkers."""
    image_url: str | None = None
    """An image beside the text (URL or `data:` URL)."""

    @property
    def is_open(self) -> bool:
        """Whether the model has to fill this message."""
        return self.role is Role.assistant and self.content is None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        """Return the message of a valid message object (schemas/test.schema.json)."""
        return cls(
            content=data.get("content"),
            role=Role(data.get("role", "user")),
            variable=data.get("variable"),
            image_url=data.get("image_url"),
        )

    def to_json(self) -> dict[str, Any]:
        """Return `{role, content, variable, image_url}`, null where absent."""
        return {
            "role": self.role.value,
            "content": self.content,
            "variable": self.variable,
            "image_url": self.image_url,
        }


@dataclass(slots=True)
class Usage:
    """Tokens that a completion took, as the server counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Reasoning included."""
    cached_tokens: int = 0
    """Those of the prompt that the provider had in its cache: they may cost less."""
    reasoning_tokens: int = 0
    """Those of the completion that the model thought and didn't say."""

    @property
    def total_tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(slots=True)
class Completion:
    """What the model returned for one open turn."""

    text: str
    finish_reason: str | None = None
    usage: Usage | None = None
    latency_s: float = 0.0
    """Seconds from sending the last attempt to receiving the whole answer."""
    first_token_s: float | None = None
    """Seconds to the first token, if the answer was streamed."""
    model: str | None = None
    """The model id that the server reports."""
    cached: bool = False
    """Whether it came from the cache."""
    logprobs: Any = None
    """Token log-probabilities as the server sent them, if they were requested."""
    left_out: tuple[str, ...] = ()
    """Model args, of those that lve adds by itself, which the model refused: not sent."""


@dataclass(slots=True)
class Transcript:
    """One run of one prompt: the messages with all open turns filled."""

    messages: tuple[Message, ...]
    completions: tuple[Completion, ...] = ()
    """One per turn that the model filled, in order."""
    name: str | None = None
    """Name of the prompt in a multi-run test."""
    filled: tuple[int, ...] = field(default=())
    """Indexes into `messages` of the turns that the model filled, in order."""

    @property
    def response(self) -> str:
        """Text of the last message."""
        content = self.messages[-1].content
        return content if isinstance(content, str) else ""

    @property
    def answers(self) -> list[str]:
        """Texts of the turns that the model filled."""
        contents = [self.messages[i].content for i in self.filled]
        return [content if isinstance(content, str) else "" for content in contents]

    @property
    def variables(self) -> dict[str, str]:
        """Result name -> text, of the turns that the model filled."""
        return {
            self.messages[i].variable or str(n): str(self.messages[i].content)
            for n, i in enumerate(self.filled)
        }
