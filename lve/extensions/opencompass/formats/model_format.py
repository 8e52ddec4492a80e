"""Writes a prompt in the format of a model: its kind (`lm` or `api`) and its meta template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import (
    CHAT_ROLES,
    Cells,
    Dialogue,
    Mark,
    PromptBody,
    concat,
)
from lve.extensions.opencompass.formats.api_parser import APIParser, parse_raw
from lve.extensions.opencompass.formats.chat_parser import ChatParser, LMParser, joined
from lve.extensions.opencompass.formats.meta_template import Mode
from lve.extensions.opencompass.formats.well_known import CHAT_FORMATS, resolve_meta_template
from lve.extensions.opencompass.raw import ROLES, RawMessages
from lve.json_types import json_type
from lve.messages import Message, Role
from lve.models.text_only import text_of
from lve.settings.model_settings import ModelSettings

Kind = Literal["lm", "api"]
Received = str | Sequence[Mapping[str, Any]]
"""What a model receives: a text, messages `{role, prompt}` (`{role, content}` if raw), or the parts
of one message."""


@dataclass(frozen=True)
class ModelFormat:
    """A model's kind and meta template, which are checked."""

    kind: Kind = "api"
    meta_template: Any = None
    """An object, or the name of a well-known one. None: prompts are written without roles."""
    dialect: str = "opencompass"
    scores_chats: bool = False
    """Whether the server gives log-probabilities of chat messages (`prompt_logprobs`)."""

    def __post_init__(self) -> None:
        meta = resolve_meta_template(self.meta_template, self.kind, self.dialect) or None
        object.__setattr__(self, "meta_template", meta)
        parser: LMParser | APIParser | None = None
        if isinstance(meta, list) and self.kind == "api" and self.dialect != "aisbench":
            _check_list(meta)
        elif meta is not None:
            parser = LMParser(meta) if self.kind == "lm" else APIParser(meta, self.dialect)
        object.__setattr__(self, "_parser", parser)
        drops_empty = isinstance(meta, Mapping) and bool(meta.get("drop_empty"))
        object.__setattr__(self, "_drops_empty", drops_empty)

    def parse(self, prompt: PromptBody, mode: Mode, row: Cells) -> Received:
        """Return what the model receives.

        Args:
            prompt: of a row.
            mode: `gen` stops where the model has to continue, `ppl` writes the whole prompt.
            row: fills the default prompts of the meta template.

        Raises:
            TemplateError: stage `parse`.
        """
        if isinstance(prompt, RawMessages):
            if self.kind == "lm":
                raise TemplateError("raw messages need a chat model", stage="parse")
            return parse_raw(prompt, self.meta_template)
        if isinstance(prompt, str):
            return prompt
        parser: LMParser | APIParser | None = self._parser  # type: ignore[attr-defined]
        if parser is not None:
            return parser.parse(prompt, mode, row)
        if isinstance(self.meta_template, list):
            raise TemplateError("a list meta template takes raw messages only", stage="parse")
        return self._without_meta(prompt)

    def _without_meta(self, dialogue: Dialogue) -> Received:
        text = joined(dialogue)
        if text or self.kind == "lm" or self.dialect != "aisbench":
            return text
        return [part for item in dialogue if isinstance(item, Mapping) for part in _parts(item)]

    def chat(self) -> ChatParser:
        """Return the simpler parser for ChatInferencer.

        Raises:
            TemplateError: stage `model`.
        """
        return ChatParser(self.kind, self.meta_template)

    def messages(self, parsed: Received) -> list[dict[str, Any]]:
        """Return the result of `parse` as chat messages `{role, content}`.

        Raises:
            TemplateError: stage `messages`.
        """
        if isinstance(parsed, str):
            return [{"role": "user", "content": parsed}]
        if parsed and all(isinstance(item, dict) and "type" in item for item in parsed):
            return [{"role": "user", "content": list(parsed)}]
        messages = [self._message(item) for item in parsed]
        if self._drops_empty:  # type: ignore[attr-defined]
            messages = _without_empty(messages)
        if not messages:
            raise TemplateError("no message is left to send", stage="messages")
        return messages

    def _message(self, item: object) -> dict[str, object]:
        if not isinstance(item, dict) or "role" not in item:
            raise TemplateError(
                f"`begin` of the meta template is {json_type(item)}; for an API write one message",
                stage="messages",
            )
        if "content" in item and "prompt" not in item:
            _check_content(item["content"])
            return dict(item)
        role = item["role"]
        if "prompt" not in item or not isinstance(role, str):
            raise TemplateError(f"the message of {role!r} has no prompt", stage="messages")
        _check_content(item["prompt"])
        if self.dialect == "aisbench":
            message = {"content": item["prompt"], "role": CHAT_ROLES.get(role, role)}
            if len(item) > len(message):
                message |= {k: v for k, v in item.items() if k not in ("role", "prompt")}
            return message
        if role not in CHAT_ROLES:
            raise TemplateError(f"no chat server knows the role {role!r}", stage="messages")
        return {"content": item["prompt"], "role": CHAT_ROLES[role]}


def _without_empty(messages: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Drop empty messages, and then join consecutive texts of one role, as OpenCompass does before
    it applies a chat template."""
    merged: list[dict[str, object]] = []
    for message in messages:
        content = message["content"]
        if not content:
            continue
        last = merged[-1] if merged and merged[-1]["role"] == message["role"] else {}
        before = last.get("content")
        if isinstance(before, str) and isinstance(content, str):
            last["content"] = concat([before, content], "\n", stage="messages")
        else:
            merged.append(message)
    return merged


def _check_content(content: object) -> None:
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        raise TemplateError(
            f"the content of a message is {json_type(content)}; use a text or a list of parts",
            stage="messages",
        )
    for n, part in enumerate(content):
        if not isinstance(part, Mapping):
            raise TemplateError(
                f"part {n} of a message's content must be an object, not {json_type(part)}",
                stage="messages",
            )


def _parts(item: Mapping[str, Any]) -> Sequence[Mapping[str, object]]:
    for key in ("prompt_mm", "prompt"):
        if isinstance(item.get(key), list):
            parts: list[Mapping[str, Any]] = item[key]
            return parts
    return []


def _check_list(meta: Sequence[object]) -> None:
    for item in meta:
        if not isinstance(item, Mapping) or item.get("role") not in ROLES:
            raise TemplateError(
                f"a list meta template holds messages of {', '.join(ROLES)}", stage="model"
            )


ROLE_OF = {chat_role: role for role, chat_role in CHAT_ROLES.items()}


def chat_writer(model: ModelSettings | None) -> Callable[[Sequence[Message]], str] | None:
    """Return a function that writes messages as one text with the model's meta template; None if
    the model has none, or takes chat messages (`kind: api`).

    Raises:
        TemplateError: the meta template is invalid, stage `model`.
    """
    if model is None or model.meta_template is None or model.kind == "api":
        return None
    if model.meta_template in CHAT_FORMATS:
        return None
    form = ModelFormat("lm", model.meta_template)

    def write(messages: Sequence[Message]) -> str:
        return str(form.parse(_dialogue(messages), "gen", {}))

    return write


def _dialogue(messages: Sequence[Message]) -> Dialogue:
    """Return the messages as a dialogue of HUMAN, BOT and SYSTEM that ends with a turn of BOT."""
    spoken = [_spoken(message) for message in messages]
    # Meta templates allow SYSTEM only at the beginning; later on it becomes HUMAN.
    first = next((n for n, m in enumerate(messages) if m.role is not Role.system), len(messages))
    beginning: Dialogue = [Mark("begin", True), *spoken[:first], Mark("begin", False)]
    turns: Dialogue = [*spoken[first:], {"role": "BOT", "prompt": ""}]
    return [*beginning, Mark("round", True), *turns, Mark("round", False)]


def _spoken(message: Message) -> dict[str, str]:
    item = {"role": ROLE_OF[message.role.value], "prompt": text_of(message)}
    return {**item, "fallback_role": "HUMAN"} if message.role is Role.system else item
