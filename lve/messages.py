"""The values that all stages share: messages, completions, transcripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from lve.data_classes import dataclass, field
from lve.named_tuples import NamedTuple


class Role(StrEnum):
    """The author of a message. Compares equal to its lower-case name."""

    user = "user"
    assistant = "assistant"
    system = "system"
    tool = "tool"
    """A tool's result."""

    def __str__(self) -> str:
        return self.value


Part = Mapping[str, Any]
"""One part of a multimodal content in OpenAI's format, such as `{"type": "text", "text": ...}`, or
a file in the test folder: `{"type": "image", "image": "red.png"}`."""
FILE_KINDS = ("image", "audio", "file")
"""Types of parts that name a file in the test folder, in a field that is called the same."""
_FILE_KEYS = frozenset(FILE_KINDS)
_SHORT = ("system", "user", "assistant")
"""Keys that give a message's role and content together: `{"user": "Hello"}`."""


class Tool(NamedTuple):
    """A function that a model may call."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = {"type": "object", "properties": {}}
    """JSON Schema of the arguments, which are an object."""


class ToolCall(NamedTuple):
    """A model's request to call a tool."""

    id: str
    """Identifies the call in the message with its result."""
    name: str
    arguments: str
    """The arguments as the model wrote them. They should be a JSON object, but may not be."""

    @property
    def as_text(self) -> str:
        """The call as people write it: `weather({"city": "Rome"})`."""
        return f"{self.name}({self.arguments})"

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ToolCall:
        """Return the call from a valid object in a test document (schemas/test.schema.json). Its id
        is empty if the object has none."""
        written = data.get("arguments", {})
        if not isinstance(written, str):
            written = json.dumps(written, ensure_ascii=False, default=str)
        return cls(data.get("id", ""), data["name"], written)


@dataclass(slots=True)
class Message:
    """One message of a prompt or a transcript."""

    content: str | Sequence[Part] | None = None
    """Text, a list of parts, or None on an open turn."""
    role: Role = Role.user
    variable: str | None = None
    """Name of an assistant turn's text for checkers and placeholders."""
    image_url: str | None = None
    """An image beside the text (URL or `data:` URL)."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The tools that an assistant message calls, in addition to its text or instead of it."""
    tool_call_id: str | None = None
    """In a message with a tool's result: the id of the call."""
    provider_state: Any = None
    """In an answer: see `Completion.provider_state`."""

    @property
    def is_open(self) -> bool:
        """Whether the model has to fill this message."""
        return self.content is None and self.role is Role.assistant and not self.tool_calls

    @property
    def is_simulated(self) -> bool:
        """Whether a simulated user wrote this. User messages of a prompt have no `variable`."""
        return self.role is Role.user and self.variable is not None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        """Return the message from a valid message object (schemas/test.schema.json)."""
        short = next((role for role in _SHORT if role in data), None)
        if short is not None:
            data = {**data, "role": short, "content": data[short]}
        return cls(
            content=_content(data),
            role=Role(data.get("role", "user")),
            variable=data.get("variable"),
            image_url=data.get("image_url"),
            tool_calls=tuple(map(ToolCall.from_json, data.get("tool_calls") or ())),
            tool_call_id=data.get("tool_call_id"),
        )

    def to_json(self) -> dict[str, Any]:
        """Return `{role, content, variable, image_url}`, null where absent, and `tool_calls` and
        `tool_call_id` if the message has them."""
        fields: dict[str, Any] = {
            "role": self.role.value,
            "content": self.content,
            "variable": self.variable,
            "image_url": self.image_url,
        }
        if self.tool_calls:
            fields["tool_calls"] = [call._asdict() for call in self.tool_calls]
        if self.tool_call_id is not None:
            fields["tool_call_id"] = self.tool_call_id
        return fields


def names_file(part: Part) -> bool:
    """Return whether a part names a file in the test folder."""
    return file_name(part) is not None


def file_name(part: Part) -> str | None:
    """Return the file in the test folder that a part names; None for other parts."""
    kind = part.get("type")
    name = part.get(kind) if kind in FILE_KINDS else None
    return name if isinstance(name, str) else None


def _content(data: Mapping[str, Any]) -> str | Sequence[Part] | None:
    """Return the content of a message object. Its files become parts after the text."""
    content = data.get("content")
    if isinstance(content, list):
        content = [_typed(part) for part in content]
    if _FILE_KEYS.isdisjoint(data):
        return content
    files = list[Part]()
    for kind in FILE_KINDS:
        names = data.get(kind) or ()
        file_names = (names,) if isinstance(names, str) else names
        files += [{"type": kind, kind: name} for name in file_names]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [*(parts or ()), *files]


def _typed(part: Part) -> Part:
    """Return a part with its `type`, which may be left out for files and texts."""
    if "type" in part:
        return part
    kind = next((kind for kind in FILE_KINDS if kind in part), "text")
    return {"type": kind, **part}


@dataclass(slots=True)
class Usage:
    """Tokens that a completion used, as the server counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Includes reasoning tokens."""
    cached_tokens: int = 0
    """Prompt tokens that the provider had in its cache; they may cost less."""
    reasoning_tokens: int = 0
    """Completion tokens of the model's reasoning, which isn't part of the answer."""

    @property
    def total_tokens(self) -> int:
        """Prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, other: Usage) -> None:
        """Add other counts to these."""
        self.prompt_tokens += other.prompt_tokens
        self.completion_tokens += other.completion_tokens
        if other.cached_tokens or other.reasoning_tokens:  # few servers report them
            self.cached_tokens += other.cached_tokens
            self.reasoning_tokens += other.reasoning_tokens

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
    """Whether it comes from lve's cache."""
    logprobs: Any = None
    """Token log-probabilities as the server sent them, if they were requested."""
    left_out: tuple[str, ...] = ()
    """lve's default model args that were left out, because the model refuses them."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The tools that the model calls before it goes on."""
    reasoning: str | None = None
    """The model's reasoning or its summary, if the server sends it. Not part of the answer."""
    provider_state: Any = None
    """JSON that the provider wants back, unchanged, in the next request of the conversation
    (encrypted reasoning, signed thoughts): `{"api": NAME, ...}`. Other providers ignore it."""
    contexts: tuple[str, ...] = ()
    """The texts that an application retrieved for the answer."""
    metadata: Mapping[str, Any] | None = None
    """What else an application says of the answer: JSON, for checks and reports."""
    cost: float | None = None
    """US dollars, if the application says what the answer cost."""
    is_plain: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether it surely has only what any answer may have: its first four fields, and `model`."""


Answer = str | Mapping[str, str]
"""The answer of a run: a text, or variable -> text if the model filled several turns."""


@dataclass(slots=True)
class Transcript:
    """One run of one prompt: the messages with all open turns filled."""

    messages: tuple[Message, ...]
    completions: tuple[Completion, ...] = ()
    """One per filled turn, in order; several for a turn in which the model called tools."""
    name: str | None = None
    """Name of the prompt in a multi-run test."""
    filled: tuple[int, ...] = field(default=())
    """Indexes in `messages` of the turns that the model filled, in order."""
    is_plain: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether it surely has texts alone, one of them a completion that `is_plain`."""

    @property
    def response(self) -> str:
        """Text of the last message."""
        content = self.messages[-1].content
        return content if isinstance(content, str) else ""

    @property
    def answer(self) -> Answer:
        """The answer of the run."""
        if len(self.filled) > 1 and len(self.answered) > 1:  # few runs
            return self.variables
        return content if isinstance(content := self.messages[-1].content, str) else ""

    @property
    def answers(self) -> list[str]:
        """Texts of the answers (`answered`)."""
        contents = [self.messages[i].content for i in self.answered]
        return [content if isinstance(content, str) else "" for content in contents]

    @property
    def variables(self) -> dict[str, str]:
        """Variable -> text of each answer. An answer without a variable has its number, from 0."""
        return {
            self.messages[i].variable or str(n): str(self.messages[i].content)
            for n, i in enumerate(self.answered)
        }

    @property
    def answered(self) -> Sequence[int]:
        """Indexes in `messages` of the answers: the filled turns, without those in which the model
        only called tools."""
        if len(self.filled) == 1:
            return self.filled
        turns = [(i, self.messages[i]) for i in self.filled]
        return [i for i, m in turns if m.variable is not None or not m.tool_calls]


def filled_turn(turn: Message, completion: Completion) -> Message:
    """Return an open turn with its answer."""
    return Message(
        completion.text,
        turn.role,
        turn.variable,
        turn.image_url,
        completion.tool_calls,
        None,
        completion.provider_state,
    )
