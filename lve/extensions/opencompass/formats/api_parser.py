"""Writes a dialogue as messages for a chat API."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from lve.extensions.opencompass.dialogue import CHAT_ROLES, Cells, Dialogue, DialogueMessage, concat
from lve.extensions.opencompass.formats.meta_template import (
    MetaRole,
    Mode,
    Roles,
    RoleTable,
    RoundItem,
    default_filled,
    model_error,
    parse_error,
    sections,
    spoken_text,
)
from lve.extensions.opencompass.raw import RawMessages


class APIParser(RoleTable[DialogueMessage]):
    """Writes a dialogue as messages `{role, prompt}` with the `api_role` of each role."""

    takes_fallback = True

    def __init__(self, meta_template: object, dialect: str) -> None:
        super().__init__(meta_template)
        self.dialect = dialect
        self.only_spoken = bool(self.meta.get("only_spoken"))
        if dialect != "aisbench":
            self._check_api_roles()

    def _check_api_roles(self) -> None:
        for name, role in self.roles.items():
            api_role = role.get("api_role", "HUMAN")
            if not isinstance(api_role, str) or api_role not in CHAT_ROLES:
                raise model_error(
                    f"api_role {api_role!r} of {name} is none of {', '.join(CHAT_ROLES)}: "
                    "OpenCompass would send its messages without a role, which servers refuse"
                )

    def parse(self, dialogue: Dialogue, mode: Mode, row: Cells) -> list[DialogueMessage]:
        """Return the messages; consecutive ones with the same role are joined by a newline."""
        messages: list[DialogueMessage] = []
        for_gen = mode == "gen"
        for section, content in sections(dialogue):
            if isinstance(content, str):
                continue  # Texts have no role; `lve.extensions.opencompass.warnings` reports them.
            if isinstance(content, list):
                stops = for_gen and section == "round"
                if not self.write_rounds(content, messages, row, for_gen=stops):
                    break
            elif not self.write_role(
                content, self.override([content]), messages, row, for_gen=for_gen
            ):
                raise parse_error(
                    f"the generating role {content.get('role')!r} stands in `begin` or `end`"
                )
        if not messages:
            raise parse_error("nothing is left to send: the first role already generates")
        first = self.meta.get("begin")
        return [*([first] if first else []), *_merged(messages)]

    def write_role(
        self,
        item: RoundItem,
        roles: Roles,
        written: list[DialogueMessage],
        row: Cells,
        *,
        for_gen: bool,
    ) -> bool:
        """Add a role's message."""
        if isinstance(item, str):
            raise parse_error("a text in `round` of a meta template has no role for an API")
        name = self.name_of(item)
        role = roles[name]
        if for_gen and role.get("generate", False):
            return False
        if self.only_spoken and "prompt" not in role and "prompt_mm" not in role:
            return True
        if "api_role" not in role:
            raise parse_error(f"the role {name!r} of the meta template has no `api_role`")
        written.append({"role": role["api_role"], "prompt": self._said(name, role, row)})
        return True

    def _said(self, name: str, role: MetaRole, row: Cells) -> object:
        """Return the content of a role's message: a text, or the parts of a multimodal message."""
        if "prompt" not in role and "prompt_mm" in role:
            return role["prompt_mm"]
        if "prompt" not in role and self.dialect == "aisbench":
            raise parse_error(f"the role {name!r} has neither `prompt` nor `prompt_mm`")
        prompt = default_filled(self.roles[name], role, row)
        if isinstance(prompt, list):
            return prompt
        text = spoken_text(prompt)
        if "begin" not in role and "end" not in role:
            return text
        begin, end = role.get("begin", ""), role.get("end", "")
        return concat([spoken_text(begin), text, spoken_text(end)], stage="parse")


def _merged(messages: Sequence[DialogueMessage]) -> list[DialogueMessage]:
    groups: list[list[DialogueMessage]] = []
    for message in messages:
        if groups and message["role"] == groups[-1][0]["role"]:
            groups[-1].append(message)
        else:
            groups.append([message])
    return [_as_one(group) for group in groups]


def _as_one(messages: Sequence[DialogueMessage]) -> DialogueMessage:
    if len(messages) == 1:
        return messages[0]
    texts = [message["prompt"] for message in messages]
    if not all(isinstance(text, str) for text in texts):
        raise parse_error("multimodal messages of one role can't be joined")
    return {**messages[0], "prompt": concat(texts, "\n", stage="parse")}


def parse_raw(messages: RawMessages, meta_template: object) -> list[Any]:
    """Return raw chat messages for an API, with the messages of a list meta template inserted.

    The content of a meta message is put before that of the next message with the same role. If no
    message with this role follows, the meta message is inserted as its own message.
    """
    if not all(isinstance(m, Mapping) and "role" in m and "content" in m for m in messages):
        raise parse_error("raw messages need `role` and `content`")
    if not isinstance(meta_template, list):
        return list(messages)
    result: list[Any] = []
    rest = deque(messages)
    for meta in meta_template:
        role = meta["role"]
        if not any(message["role"] == role for message in rest):
            result.append(dict(meta))
            continue
        while rest[0]["role"] != role:
            result.append(rest.popleft())
        message = rest.popleft()
        result.append({**message, "content": _joined_content(meta, message)})
    return [*result, *rest]


def _joined_content(meta: Mapping[str, object], message: Mapping[str, object]) -> object:
    before, after = meta.get("content"), message["content"]
    if isinstance(before, str) and isinstance(after, str):
        return before + after
    if isinstance(before, list) and isinstance(after, list):
        return before + after
    raise parse_error("content of the meta template and of the message can't be joined")
