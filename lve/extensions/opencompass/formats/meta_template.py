"""Meta templates: how each role of a dialogue is written for a model.

A meta template belongs to a model. Its `round` has the roles of a round and how they are written;
its `reserved_roles` are those that only `begin` and `end` of a dialogue may use.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Generic, Literal, TypeVar

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import (
    Cells,
    Dialogue,
    DialogueItem,
    DialogueMessage,
    Mark,
    fill_columns,
)
from lve.json_types import json_type

Mode = Literal["gen", "ppl"]
MetaRole = Mapping[str, Any]
Roles = Mapping[str, MetaRole]
RoundItem = str | MetaRole


Section = str | DialogueMessage | Dialogue
"""A text, a message of `begin` or `end`, or all messages of `round` or `ice`."""
Written = TypeVar("Written")


class RoleTable(ABC, Generic[Written]):
    """The checked roles of a meta template, and how the messages of a dialogue override them.

    Subclasses write a role as `Written`: a text (`lm`) or a message (`api`).
    """

    takes_fallback: ClassVar[bool]
    """Whether `fallback_role` is used to find the rounds of a dialogue."""

    def __init__(self, meta_template: object) -> None:
        if not isinstance(meta_template, Mapping):
            raise model_error(f"a meta template must be an object, not {json_type(meta_template)}")
        if "round" not in meta_template:
            raise model_error("a meta template needs `round`")
        self.meta = meta_template
        self.roles: dict[str, MetaRole] = {}
        for key in ("round", "reserved_roles"):
            self._add(meta_template.get(key, []), key)
        self.round: Sequence[RoundItem] = meta_template["round"]
        self.position = {
            item["role"]: n for n, item in enumerate(self.round) if not isinstance(item, str)
        }

    def _add(self, items: object, key: str) -> None:
        if not isinstance(items, list):
            raise model_error(f"`{key}` of a meta template must be a list, not {json_type(items)}")
        for item in items:
            if isinstance(item, str):
                continue
            if not isinstance(item, dict) or not isinstance(item.get("role"), str):
                raise model_error(f"each item of `{key}` must be a text or have a `role`")
            if item["role"] in self.roles:
                raise model_error(f"the role {item['role']!r} stands twice in the meta template")
            self.roles[item["role"]] = self._role(item)

    def _role(self, item: MetaRole) -> MetaRole:
        return dict(item)

    @abstractmethod
    def write_role(
        self, item: RoundItem, roles: Roles, written: list[Written], row: Cells, *, for_gen: bool
    ) -> bool:
        """Append what an item contributes to `written`.

        Args:
            item: of the meta template's `round`, or a message of `begin` or `end`.
            roles: the roles, as overridden by the messages of this round.
            written: texts or messages so far.
            row: fills the default prompts of the meta template.
            for_gen: whether to stop where the generating role begins.

        Returns:
            False if it stopped there.

        Raises:
            TemplateError: stage `parse`.
        """

    def write_rounds(
        self, dialogue: Dialogue, written: list[Written], row: Cells, *, for_gen: bool
    ) -> bool:
        """Write all rounds of a dialogue; arguments, result and errors as `write_role`. With
        `for_gen` only the last round stops."""
        rounds = self._split_rounds(dialogue)
        for n, messages in enumerate(rounds):
            roles = self.override(messages)
            stops = for_gen and n == len(rounds) - 1
            for item in self.round:
                if not self.write_role(item, roles, written, row, for_gen=stops):
                    return False
        return True

    def override(self, messages: Sequence[DialogueItem]) -> dict[str, MetaRole]:
        """Return the roles, overridden by the messages of one round."""
        roles = dict(self.roles)
        for message in messages:
            if not isinstance(message, dict):
                continue
            name = self.name_of(message)
            roles[name] = {**roles[name], **message}
        return roles

    def name_of(self, message: Mapping[str, object]) -> str:
        """Return the role of a message that the meta template has: `role` or `fallback_role`."""
        name = message.get("role")
        if isinstance(name, str) and name in self.roles:
            return name
        other = message.get("fallback_role") if "role" in message else None
        if isinstance(other, str) and other in self.roles:
            return other
        raise parse_error(
            f"the meta template has neither the role {message.get('role')!r} nor a fallback role "
            f"for it; it has {', '.join(self.roles)}"
        )

    def _split_rounds(self, dialogue: Dialogue) -> list[Dialogue]:
        """Split a dialogue into rounds: a new one begins where a role doesn't come later in the
        meta template's `round` than the one before."""
        cuts, last = [0], -1
        for n, message in enumerate(dialogue):
            if isinstance(message, str):
                continue
            position = self._position(message)
            if position <= last:
                cuts.append(n)
            last = position
        cuts.append(len(dialogue))
        return [dialogue[a:b] for a, b in pairwise(cuts)]

    def _position(self, message: DialogueItem) -> int:
        if not isinstance(message, dict):
            raise parse_error(
                "examples stand inside `round`; put the ice_token into `begin` instead"
            )
        name = message.get("role")
        if isinstance(name, str) and name in self.position:
            return self.position[name]
        other = message.get("fallback_role") if self.takes_fallback else None
        if isinstance(other, str) and other in self.position:
            return self.position[other]
        if name is None:
            raise parse_error("a message of `round` has no `role` (such as HUMAN)")
        raise parse_error(f"`round` of the meta template has no role {name!r}")


def default_filled(own: MetaRole, role: MetaRole, row: Cells) -> object:
    """Return the prompt of a role. A default from the meta template is filled with the row here; a
    prompt from the data set's template has already been filled."""
    prompt = role.get("prompt", "")
    if isinstance(prompt, str) and prompt is own.get("prompt"):
        return fill_columns(prompt, row, stage="parse")
    return prompt


def sections(dialogue: Dialogue) -> list[tuple[str, Section]]:
    """Return the parts of a dialogue in order: texts and messages of `begin` and `end` one by one,
    each `round` and `ice` section as a whole."""
    result: list[tuple[str, Section]] = []
    stack: list[tuple[str, int]] = []
    for n, item in enumerate(dialogue):
        if isinstance(item, Mark) and item.opens:
            stack.append((item.section, n + 1))
        elif isinstance(item, Mark):
            section, start = stack.pop()
            if section in ("round", "ice"):
                result.append((section, dialogue[start:n]))
        elif isinstance(item, str):
            result.append(("text", item))
        elif stack and stack[-1][0] in ("begin", "end"):
            if not isinstance(item, dict):
                raise parse_error(f"{json_type(item)} can't be part of a dialogue")
            result.append((stack[-1][0], item))
    return result


def spoken_text(value: object) -> str:
    if not isinstance(value, str):
        raise parse_error(f"a role's begin, prompt and end must be texts, not {json_type(value)}")
    return value


def model_error(message: str) -> TemplateError:
    return TemplateError(message, stage="model")


def parse_error(message: str) -> TemplateError:
    return TemplateError(message, stage="parse")
