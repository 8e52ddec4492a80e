"""The format of ChatInferencer, which writes a chat without sections and fallback roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import CHAT_ROLES, concat

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
