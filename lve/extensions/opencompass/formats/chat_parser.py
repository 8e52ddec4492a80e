"""Writes a dialogue as one text, for `/v1/completions` and local models; a chat also in the format
of ChatInferencer, without sections and fallback roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import (
    CHAT_ROLES,
    Cells,
    Dialogue,
    DialogueMessage,
    Mark,
    concat,
)
from lve.extensions.opencompass.formats.meta_template import (
    MetaRole,
    Mode,
    Roles,
    RoleTable,
    RoundItem,
    default_filled,
    parse_error,
    sections,
    spoken_text,
)
from lve.json_types import json_type

DEFAULT_API_ROLES: Mapping[str, Mapping[str, Any]] = {
    name: {"api_role": role} for role, name in CHAT_ROLES.items()
}


class ChatParser:
    """Writes chat messages `{role, content}` for a model of kind `lm` or `api`."""

    def __init__(self, kind: str, meta_template: object) -> None:
        self.kind = kind
        self.roles: dict[str, Mapping[str, Any]] = {}
        if meta_template is None:
            self.roles.update(DEFAULT_API_ROLES if kind == "api" else {})
            return
        if not isinstance(meta_template, Mapping):
            raise TemplateError("ChatInferencer needs an object as meta template", stage="model")
        for key in ("round", "reserved_roles"):
            for item in meta_template.get(key, []):
                if not isinstance(item, Mapping):
                    raise TemplateError("ChatInferencer takes no texts in `round`", stage="model")
                if not isinstance(item.get("role"), str):
                    raise TemplateError("a role of the meta template has no name", stage="model")
                name: str = item["role"]
                self.roles[CHAT_ROLES.get(name, name)] = item

    def parse(self, chat: Sequence[Mapping[str, object]]) -> str | list[dict[str, Any]]:
        """Return a text for kind `lm`, or messages `{role, prompt}` for kind `api`.

        Raises:
            TemplateError: stage `parse`.
        """
        if self.kind == "api":
            return [self._message(message) for message in chat]
        if not self.roles:
            return concat([_content(message) for message in chat], "\n", stage="parse")
        if "assistant" not in self.roles:
            raise TemplateError("the meta template has no BOT", stage="parse")
        spoken = [text for message in chat for text in self._spoken(message)]
        return concat([*spoken, self.roles["assistant"].get("begin") or ""], stage="parse")

    def _spoken(self, message: Mapping[str, Any]) -> tuple[str, str, str]:
        role: Mapping[str, str] = self.roles.get(message["role"], {})
        return role.get("begin") or "", _content(message), role.get("end") or ""

    def _message(self, message: Mapping[str, object]) -> dict[str, object]:
        role = message["role"]
        if role in self.roles:
            if "api_role" not in self.roles[role]:
                raise TemplateError(f"the role {role!r} has no api_role", stage="parse")
            role = self.roles[role]["api_role"]
        return {"role": role, "prompt": _content(message)}


def _content(message: Mapping[str, object]) -> str:
    content = message.get("content") or ""
    if not isinstance(content, str):
        raise TemplateError("the content of a chat message must be a text", stage="parse")
    return content


class LMParser(RoleTable[str]):
    """Writes a dialogue as one text."""

    takes_fallback = False

    def _role(self, item: MetaRole) -> MetaRole:
        written = {key: _written(item[key]) for key in ("begin", "end") if key in item}
        return {**item, **written}

    def parse(self, dialogue: Dialogue, mode: Mode, row: Cells) -> str:
        """Return the text. In mode `gen` it ends where the generating role begins."""
        parts: list[str] = []
        goes_on = True
        for section, content in sections(dialogue):
            if isinstance(content, str):
                parts.append(content)
            elif isinstance(content, list):
                if not self.round:
                    raise parse_error("`round` of the meta template is empty")
                for_gen = mode == "gen" and section == "round"
                goes_on = self.write_rounds(content, parts, row, for_gen=for_gen)
            else:
                self.write_role(content, self.override([content]), parts, row, for_gen=False)
            if not goes_on:
                break
        whole = [self.meta.get("begin", ""), *parts]
        if goes_on:
            whole.append(self.meta.get("end", ""))
        if not all(isinstance(part, str) for part in whole):
            raise parse_error("`begin` and `end` of a meta template must be texts")
        return concat(whole, stage="parse")

    def write_role(
        self, item: RoundItem, roles: Roles, written: list[str], row: Cells, *, for_gen: bool
    ) -> bool:
        """Add the texts of a role."""
        if isinstance(item, str):
            written.append(item)
            return True
        name = self.name_of(item)
        role = roles[name]
        begin = role.get("begin", "")
        if for_gen and role.get("generate", False):
            written.append(spoken_text(begin))
            return False
        prompt = default_filled(self.roles[name], role, row)
        written += [spoken_text(begin), spoken_text(prompt), spoken_text(role.get("end", ""))]
        return True


def joined(dialogue: Dialogue) -> str:
    """Return a dialogue as a text for a model without meta template, with a line per message.

    Upstream's page on prompt templates says that prompts are concatenated directly. The page on
    meta templates and the code of both projects have lines.
    """
    texts: list[str] = []
    for item in dialogue:
        text = item if isinstance(item, str) else _spoken_prompt(item)
        if not isinstance(text, str):
            raise parse_error(f"a prompt must be a text, not {json_type(text)}")
        if text:
            texts.append(text)
    if texts and _starts_empty(dialogue):
        texts.insert(0, "")
    return concat(texts, "\n", stage="parse")


def _starts_empty(dialogue: Dialogue) -> bool:
    # In upstream an empty first item is followed by a newline, too.
    for item in dialogue:
        if not isinstance(item, Mark):
            return not (item if isinstance(item, str) else item.get("prompt"))
    return False


def _spoken_prompt(item: DialogueMessage | Mark) -> object:
    return (item.get("prompt") or "") if isinstance(item, dict) else ""


def _written(value: object) -> object:
    """Return `begin` or `end` of a role as text, with `<META_TOKEN_n>` for the token id n."""
    if not isinstance(value, list):
        return value
    return concat([v if isinstance(v, str) else f"<META_TOKEN_{v}>" for v in value], stage="model")
