"""From a dialogue to the messages of a chat server."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from lve.prompts.templates.dialogue import Cells, Dialogue, DialogueMessage, concat
from lve.prompts.templates.meta_template import (
    MetaRole,
    Mode,
    RoleTable,
    default_filled,
    parse_error,
    sections,
    spoken_text,
)
from lve.prompts.templates.raw import RawMessages


class APIParser(RoleTable):
    """Writes a dialogue as messages `{role, prompt}` with the roles of an API."""

    def __init__(self, meta_template: Any, dialect: str) -> None:
        super().__init__(meta_template)
        self.dialect = dialect

    def parse(self, dialogue: Dialogue, mode: Mode, row: Cells) -> list[Any]:
        """Return the messages; neighbours of one role are joined by a newline."""
        messages: list[dict[str, Any]] = []
        goes_on = True
        for section, content in sections(dialogue):
            if isinstance(content, str):
                continue  # Texts have no role; `lve.prompts.warnings` tells the user.
            if section in ("round", "ice"):
                stops = mode == "gen" and section == "round"
                goes_on = self._rounds(content, messages, row, stops)
            else:
                messages.append(self._outside(content, row, mode))
            if not goes_on:
                break
        if not messages:
            raise parse_error("nothing is left to send: the first role already generates")
        first = self.meta.get("begin")
        return [*([first] if first else []), *_merged(messages)]

    def _outside(self, content: DialogueMessage, row: Cells, mode: Mode) -> dict[str, Any]:
        spoken = self._spoken(content, self.override([content]), row, for_gen=mode == "gen")
        if spoken is None:
            raise parse_error(
                f"the generating role {content.get('role')!r} stands in `begin` or `end`"
            )
        return spoken

    def _rounds(
        self, dialogue: Dialogue, messages: list[dict[str, Any]], row: Cells, stops: bool
    ) -> bool:
        rounds = self.split_rounds(dialogue, fall_back=True)
        for n, part in enumerate(rounds):
            roles = self.override(part)
            goes_on = self._round(roles, messages, row, stops and n == len(rounds) - 1)
        return goes_on

    def _round(
        self,
        roles: Mapping[str, MetaRole],
        messages: list[dict[str, Any]],
        row: Cells,
        for_gen: bool,
    ) -> bool:
        for item in self.round:
            if isinstance(item, str):
                raise parse_error("a text in `round` of a meta template has no role for an API")
            spoken = self._spoken(item, roles, row, for_gen=for_gen)
            if spoken is None:
                return False
            messages.append(spoken)
        return True

    def _spoken(
        self,
        message: Mapping[str, Any],
        roles: Mapping[str, MetaRole],
        row: Cells,
        *,
        for_gen: bool,
    ) -> dict[str, Any] | None:
        name = self.name_of(message)
        role = roles[name]
        if for_gen and role.get("generate", False):
            return None
        if "api_role" not in role:
            raise parse_error(f"the role {name!r} of the meta template has no `api_role`")
        if "prompt" not in role and "prompt_mm" in role:
            return {"role": role["api_role"], "prompt": role["prompt_mm"]}
        if "prompt" not in role and self.dialect == "aisbench":
            raise parse_error(f"the role {name!r} has neither `prompt` nor `prompt_mm`")
        prompt = default_filled(self.roles[name], role, row)
        if isinstance(prompt, list):
            return {"role": role["api_role"], "prompt": prompt}
        text = spoken_text(prompt)
        if "begin" in role or "end" in role:
            begin, end = role.get("begin", ""), role.get("end", "")
            text = concat([spoken_text(begin), text, spoken_text(end)], stage="parse")
        return {"role": role["api_role"], "prompt": text}


def _merged(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    groups: list[list[dict[str, Any]]] = []
    for message in messages:
        if groups and message["role"] == groups[-1][0]["role"]:
            groups[-1].append(message)
        else:
            groups.append([message])
    return [_as_one(group) for group in groups]


def _as_one(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if len(messages) == 1:
        return messages[0]
    texts = [message["prompt"] for message in messages]
    if not all(isinstance(text, str) for text in texts):
        raise parse_error("multimodal messages of one role can't be joined")
    return {**messages[0], "prompt": concat(texts, "\n", stage="parse")}


def parse_raw(messages: RawMessages, meta_template: Any) -> list[Any]:
    """Return raw chat messages for an API, with a list meta template woven in.

    A meta message goes in front of the next message of its role: into its content where that
    message comes next, as its own message where the rest of the dialogue lacks the role.
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


def _joined_content(meta: Mapping[str, Any], message: Mapping[str, Any]) -> Any:
    before, after = meta.get("content"), message["content"]
    if isinstance(before, str) and isinstance(after, str):
        return before + after
    if isinstance(before, list) and isinstance(after, list):
        return before + after
    raise parse_error("content of the meta template and of the message can't be joined")
