"""From a dialogue to one text, for `/v1/completions` and local models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.documents.json_types import json_type
from lve.prompts.templates.dialogue import Cells, Dialogue, DialogueMessage, Mark, concat
from lve.prompts.templates.meta_template import (
    MetaRole,
    Mode,
    RoleTable,
    default_filled,
    parse_error,
    sections,
    spoken_text,
)


class LMParser(RoleTable):
    """Writes a dialogue as one text."""

    def _role(self, item: MetaRole) -> MetaRole:
        written = {key: _written(item[key]) for key in ("begin", "end") if key in item}
        return {**item, **written}

    def parse(self, dialogue: Dialogue, mode: Mode, row: Cells) -> str:
        """Return the final text. In `gen` it stops where the generating role begins to speak."""
        parts: list[Any] = []
        goes_on = True
        for section, content in sections(dialogue):
            if isinstance(content, str):
                parts.append(content)
            elif section in ("round", "ice"):
                goes_on = self._rounds(content, parts, row, mode == "gen" and section == "round")
            else:
                self._spoken(content, self.override([content]), parts, row, for_gen=False)
            if not goes_on:
                break
        whole = [self.meta.get("begin", ""), *parts]
        if goes_on:
            whole.append(self.meta.get("end", ""))
        if not all(isinstance(part, str) for part in whole):
            raise parse_error("`begin` and `end` of a meta template must be texts")
        return concat(whole, stage="parse")

    def _rounds(self, dialogue: Dialogue, parts: list[Any], row: Cells, stops: bool) -> bool:
        rounds = self.split_rounds(dialogue, fall_back=False)
        for n, messages in enumerate(rounds):
            roles = self.override(messages)
            for_gen = stops and n == len(rounds) - 1
            goes_on = self._round(roles, parts, row, for_gen=for_gen)
        return goes_on

    def _round(
        self, roles: Mapping[str, MetaRole], parts: list[Any], row: Cells, *, for_gen: bool
    ) -> bool:
        if not self.round:
            raise parse_error("`round` of the meta template is empty")
        for item in self.round:
            if isinstance(item, str):
                parts.append(item)
            elif not self._spoken(item, roles, parts, row, for_gen=for_gen):
                return False
        return True

    def _spoken(
        self,
        message: Mapping[str, Any],
        roles: Mapping[str, MetaRole],
        parts: list[Any],
        row: Cells,
        *,
        for_gen: bool,
    ) -> bool:
        role = roles[self.name_of(message)]
        begin = role.get("begin", "")
        if for_gen and role.get("generate", False):
            parts.append(spoken_text(begin))
            return False
        prompt = self._default_filled(message, role, row)
        parts += [spoken_text(begin), spoken_text(prompt), spoken_text(role.get("end", ""))]
        return True

    def _default_filled(self, message: Mapping[str, Any], role: MetaRole, row: Cells) -> Any:
        return default_filled(self.roles[self.name_of(message)], role, row)


def joined(dialogue: Dialogue) -> str:
    """Return a dialogue as text for a model without meta template.

    Both upstreams write each prompt on its own line, and so says the page on meta templates; the
    page on prompt templates says that prompts are directly concatenated. It holds where a template
    brings a blank of its own between all of its messages.
    """
    texts: list[str] = []
    for item in dialogue:
        text = item if isinstance(item, str) else _spoken_prompt(item)
        if not isinstance(text, str):
            raise parse_error(f"a prompt must be a text, not {json_type(text)}")
        if text:
            texts.append(text)
    messages_only = not any(isinstance(item, str) for item in dialogue)
    spaced = messages_only and all(text.endswith(" ") for text in texts[:-1])
    separator = "" if spaced else "\n"
    first_is_empty = _starts_empty(dialogue)
    return ("\n" if first_is_empty and texts else "") + concat(texts, separator, stage="parse")


def _starts_empty(dialogue: Dialogue) -> bool:
    # Upstream's separator is set once any item has gone by, also an empty one.
    for item in dialogue:
        if not isinstance(item, Mark):
            return not (item if isinstance(item, str) else item.get("prompt"))
    return False


def _spoken_prompt(item: DialogueMessage | Mark) -> object:
    return (item.get("prompt") or "") if isinstance(item, dict) else ""


def _written(value: Any) -> Any:
    """Return `begin` or `end` of a role as text; a token id is written `<META_TOKEN_n>`."""
    if not isinstance(value, list):
        return value
    return concat([v if isinstance(v, str) else f"<META_TOKEN_{v}>" for v in value], stage="model")
