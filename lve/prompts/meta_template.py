"""Meta templates: from a dialogue to the text (`lm`) or the chat messages (`api`) a model gets.

A meta template belongs to the model. Its `round` says how each role of a round is written; its
`reserved_roles` name roles that only `begin` and `end` of a data set's dialogue use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from lve.errors import TemplateError
from lve.prompts.dialogue import (
    Dialogue,
    DialogueItem,
    Mark,
    Prompt,
    Row,
    concat,
    fill_columns,
    kind_of,
)

Mode = Literal["gen", "ppl"]
Role = Mapping[str, Any]


class RoleTable:
    """The roles of a meta template, checked, and how a dialogue's messages override them."""

    def __init__(self, meta_template: Any) -> None:
        if not isinstance(meta_template, Mapping):
            raise _model_error(f"a meta template must be an object, not {kind_of(meta_template)}")
        if "round" not in meta_template:
            raise _model_error("a meta template needs `round`")
        self.meta = meta_template
        self.roles: dict[str, Role] = {}
        for key in ("round", "reserved_roles"):
            self._add(meta_template.get(key, []), key)
        self.round: Sequence[Any] = meta_template["round"]
        self.position = {
            item["role"]: n for n, item in enumerate(self.round) if not isinstance(item, str)
        }

    def _add(self, items: Any, key: str) -> None:
        if not isinstance(items, list):
            raise _model_error(f"`{key}` of a meta template must be a list, not {kind_of(items)}")
        for item in items:
            if isinstance(item, str):
                continue
            if not isinstance(item, Mapping) or not isinstance(item.get("role"), str):
                raise _model_error(f"each item of `{key}` must be a text or have a `role`")
            if item["role"] in self.roles:
                raise _model_error(f"the role {item['role']!r} stands twice in the meta template")
            self.roles[item["role"]] = self._role(item)

    def _role(self, item: Role) -> Role:
        return dict(item)

    def override(self, messages: Sequence[DialogueItem]) -> dict[str, Role]:
        """Return the roles as these messages of one round change them."""
        roles = dict(self.roles)
        for message in messages:
            if not isinstance(message, Mapping):
                continue
            name = self.name_of(message)
            # The role keeps its own name: `role` only says which one is meant.
            roles[name] = {**roles[name], **message}
        return roles

    def name_of(self, message: Mapping[str, Any]) -> str:
        """Return the role, or else the fallback role, that the meta template knows."""
        for key in ("role", "fallback_role"):
            name = message.get(key)
            if isinstance(name, str) and name in self.roles:
                return name
        raise _parse_error(
            f"the meta template has neither the role {message.get('role')!r} nor a fallback role "
            f"for it; it has {', '.join(self.roles)}"
        )

    def split_rounds(self, dialogue: Dialogue, *, fall_back: bool) -> list[Dialogue]:
        """Cut a dialogue into rounds: a new one starts when the roles start over."""
        cuts, last = [0], -1
        for n, message in enumerate(dialogue):
            if isinstance(message, str):
                continue
            position = self._position(message, fall_back=fall_back)
            if position <= last:
                cuts.append(n)
            last = position
        cuts.append(len(dialogue))
        return [dialogue[a:b] for a, b in pairwise(cuts)]

    def _position(self, message: DialogueItem, *, fall_back: bool) -> int:
        if isinstance(message, Mark):
            raise _parse_error(
                "examples stand inside `round`; put the ice_token into `begin` instead"
            )
        names = [message.get("role"), message.get("fallback_role") if fall_back else None]
        for name in names:
            if isinstance(name, str) and name in self.position:
                return self.position[name]
        raise _parse_error(f"`round` of the meta template has no role {message.get('role')!r}")


class LMParser(RoleTable):
    """Writes a dialogue as one text."""

    def _role(self, item: Role) -> Role:
        written = {key: _written(item[key]) for key in ("begin", "end") if key in item}
        return {**item, **written}

    def parse(self, dialogue: Dialogue, mode: Mode, row: Row) -> str:
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
            raise _parse_error("`begin` and `end` of a meta template must be texts")
        return concat(whole) if whole else ""

    def _rounds(self, dialogue: Dialogue, parts: list[Any], row: Row, stops: bool) -> bool:
        rounds = self.split_rounds(dialogue, fall_back=False)
        for n, messages in enumerate(rounds):
            roles = self.override(messages)
            for_gen = stops and n == len(rounds) - 1
            goes_on = self._round(roles, parts, row, for_gen=for_gen)
        return goes_on

    def _round(
        self, roles: Mapping[str, Role], parts: list[Any], row: Row, *, for_gen: bool
    ) -> bool:
        if not self.round:
            raise _parse_error("`round` of the meta template is empty")
        for item in self.round:
            if isinstance(item, str):
                parts.append(item)
            elif not self._spoken(item, roles, parts, row, for_gen=for_gen):
                return False
        return True

    def _spoken(
        self,
        message: Mapping[str, Any],
        roles: Mapping[str, Role],
        parts: list[Any],
        row: Row,
        *,
        for_gen: bool,
    ) -> bool:
        role = roles[self.name_of(message)]
        begin = role.get("begin", "")
        if for_gen and role.get("generate", False):
            parts.append(_text(begin))
            return False
        prompt = self._default_filled(message, role, row)
        parts += [_text(begin), _text(prompt), _text(role.get("end", ""))]
        return True

    def _default_filled(self, message: Mapping[str, Any], role: Role, row: Row) -> Any:
        return default_filled(self.roles[self.name_of(message)], role, row)


class APIParser(RoleTable):
    """Writes a dialogue as messages `{role, prompt}` with the roles of an API."""

    def __init__(self, meta_template: Any, dialect: str) -> None:
        super().__init__(meta_template)
        self.dialect = dialect

    def parse(self, dialogue: Dialogue, mode: Mode, row: Row) -> list[Any]:
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
            raise _parse_error("nothing is left to send: the first role already generates")
        first = self.meta.get("begin")
        return [*([first] if first else []), *_merged(messages)]

    def _outside(self, content: Mapping[str, Any], row: Row, mode: Mode) -> dict[str, Any]:
        spoken = self._spoken(content, self.override([content]), row, for_gen=mode == "gen")
        if spoken is None:
            raise _parse_error(
                f"the generating role {content.get('role')!r} stands in `begin` or `end`"
            )
        return spoken

    def _rounds(
        self, dialogue: Dialogue, messages: list[dict[str, Any]], row: Row, stops: bool
    ) -> bool:
        rounds = self.split_rounds(dialogue, fall_back=True)
        for n, part in enumerate(rounds):
            roles = self.override(part)
            goes_on = self._round(roles, messages, row, stops and n == len(rounds) - 1)
        return goes_on

    def _round(
        self, roles: Mapping[str, Role], messages: list[dict[str, Any]], row: Row, for_gen: bool
    ) -> bool:
        for item in self.round:
            if isinstance(item, str):
                raise _parse_error("a text in `round` of a meta template has no role for an API")
            spoken = self._spoken(item, roles, row, for_gen=for_gen)
            if spoken is None:
                return False
            messages.append(spoken)
        return True

    def _spoken(
        self, message: Mapping[str, Any], roles: Mapping[str, Role], row: Row, *, for_gen: bool
    ) -> dict[str, Any] | None:
        name = self.name_of(message)
        role = roles[name]
        if for_gen and role.get("generate", False):
            return None
        if "api_role" not in role:
            raise _parse_error(f"the role {name!r} of the meta template has no `api_role`")
        if "prompt" not in role and "prompt_mm" in role:
            return {"role": role["api_role"], "prompt": role["prompt_mm"]}
        if "prompt" not in role and self.dialect == "aisbench":
            raise _parse_error(f"the role {name!r} has neither `prompt` nor `prompt_mm`")
        prompt = default_filled(self.roles[name], role, row)
        if isinstance(prompt, list):
            return {"role": role["api_role"], "prompt": prompt}
        parts = [_text(role.get("begin", "")), _text(prompt), _text(role.get("end", ""))]
        return {"role": role["api_role"], "prompt": concat(parts)}


def default_filled(own: Role, role: Role, row: Row) -> Any:
    """Return the prompt of a role. The meta template's own default takes the row's columns, as its
    page says; what the data set said is filled already."""
    prompt = role.get("prompt", "")
    if isinstance(prompt, str) and prompt is own.get("prompt"):
        return fill_columns(prompt, row, stage="parse")
    return prompt


def sections(dialogue: Dialogue) -> list[tuple[str, Any]]:
    """Return what a parser has to write, in order: texts and messages of `begin` and `end` one by
    one, each `round` and `ice` section as a whole."""
    result: list[tuple[str, Any]] = []
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
            if not isinstance(item, Mapping):
                raise _parse_error(f"{kind_of(item)} can't be part of a dialogue")
            result.append((stack[-1][0], item))
    return result


def joined(dialogue: Dialogue) -> str:
    """Return a dialogue as text for a model without meta template.

    Both upstreams write each prompt on its own line; their pages say the prompts are concatenated.
    The page holds where a template brings its own space between all of its messages.
    """
    texts: list[str] = []
    for item in dialogue:
        text = item if isinstance(item, str) else item.get("prompt", "") if _says(item) else ""
        if not isinstance(text, str):
            raise _parse_error(f"a prompt must be a text, not {kind_of(text)}")
        if text:
            texts.append(text)
    messages_only = not any(isinstance(item, str) for item in dialogue)
    spaced = messages_only and all(text[-1].isspace() for text in texts[:-1])
    separator = "" if spaced else "\n"
    first_is_empty = _starts_empty(dialogue)
    return ("\n" if first_is_empty and texts else "") + concat(texts, separator)


def _starts_empty(dialogue: Dialogue) -> bool:
    # Upstream's separator is set once any item has gone by, also an empty one.
    for item in dialogue:
        if not isinstance(item, Mark):
            return not (item if isinstance(item, str) else item.get("prompt"))
    return False


def _says(item: DialogueItem) -> bool:
    return isinstance(item, Mapping) and bool(item.get("prompt"))


def _merged(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    for message in messages:
        if not result or message["role"] != result[-1]["role"]:
            result.append(message)
            continue
        before, text = result[-1]["prompt"], message["prompt"]
        if not isinstance(before, str) or not isinstance(text, str):
            raise _parse_error("multimodal messages of one role can't be joined")
        result[-1] = {**result[-1], "prompt": concat([before, text], "\n")}
    return result


def _written(value: Any) -> Any:
    """Return `begin` or `end` of a role as text; a token id is written `<META_TOKEN_n>`."""
    if not isinstance(value, list):
        return value
    return concat([v if isinstance(v, str) else f"<META_TOKEN_{v}>" for v in value])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _parse_error(f"a role's begin, prompt and end must be texts, not {kind_of(value)}")
    return value


def _model_error(message: str) -> TemplateError:
    return TemplateError(message, stage="model")


def _parse_error(message: str) -> TemplateError:
    return TemplateError(message, stage="parse")


def parse_raw(messages: Prompt, meta_template: Any) -> list[Any]:
    """Return raw chat messages for an API, with a list meta template woven in.

    A meta message goes in front of the next message of its role: into its content where that
    message comes next, as its own message where the rest of the dialogue lacks the role.
    """
    if not all(isinstance(m, Mapping) and "role" in m and "content" in m for m in messages):
        raise _parse_error("raw messages need `role` and `content`")
    if not isinstance(meta_template, list):
        return list(messages)
    result: list[Any] = []
    rest, waiting = list(messages), list(meta_template)
    while waiting:
        meta = waiting[0]
        if rest and meta["role"] == rest[0]["role"]:
            content = _joined_content(waiting.pop(0), rest[0])
            result.append({**rest.pop(0), "content": content})
        elif any(m["role"] == meta["role"] for m in rest):
            result.append(rest.pop(0))
        else:
            result.append(dict(waiting.pop(0)))
    return result + rest


def _joined_content(meta: Mapping[str, Any], message: Mapping[str, Any]) -> Any:
    before, after = meta.get("content"), message["content"]
    if isinstance(before, str) and isinstance(after, str):
        return before + after
    if isinstance(before, list) and isinstance(after, list):
        return before + after
    raise _parse_error("content of the meta template and of the message can't be joined")
