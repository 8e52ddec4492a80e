"""One message as it stands in a file: what is wrong with a JSON object that should be one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lve.documents.places import JsonPath
from lve.messages import Role
from lve.suggest import did_you_mean

KEYS = ("role", "content", "variable", "image_url")
ROLES = tuple(role.value for role in Role)

PART_TYPES = ("text", "image_url", "input_audio", "video_url", "file")
"""As in schemas/test.schema.json."""

Finding = tuple[JsonPath, str, str | None]
"""Where in the object, what is wrong, and what to do."""


def check_message(data: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield everything that is wrong with a message object."""
    yield from _unknown_keys(data)
    role = data.get("role", "user")
    if role not in ROLES:
        yield (
            ("role",),
            f"there is no role {role!r}; there are {', '.join(ROLES)}",
            _role_hint(role),
        )
    yield from _wrong_content(data, is_assistant=role == "assistant")
    for key in ("variable", "image_url"):
        value = data.get(key)
        if value is not None and not (isinstance(value, str) and value):
            yield (key,), f"`{key}` must be a text", None


def _unknown_keys(data: Mapping[str, Any]) -> Iterator[Finding]:
    for key in data:
        if key not in KEYS:
            known = f"a message has {', '.join(f'`{k}`' for k in KEYS)}"
            yield (key,), f"unknown key `{key}`", did_you_mean(key, KEYS) or known


def _role_hint(role: object) -> str | None:
    return did_you_mean(role, ROLES) if isinstance(role, str) else None


def _wrong_content(data: Mapping[str, Any], *, is_assistant: bool) -> Iterator[Finding]:
    content = data.get("content")
    if content is None and not is_assistant:
        state = "is null" if "content" in data else "is missing"
        hint = "only an assistant message may leave it to the model"
        yield (("content",) if "content" in data else ()), f"`content` {state}", hint
    elif isinstance(content, list):
        yield from _wrong_parts(content)
    elif content is not None and not isinstance(content, str):
        yield ("content",), "`content` must be a text or a list of parts", None


def _wrong_parts(parts: list[Any]) -> Iterator[Finding]:
    if not parts:
        yield ("content",), "`content` is a list without parts", None
    for n, part in enumerate(parts):
        if not isinstance(part, dict) or part.get("type") not in PART_TYPES:
            hint = f"a part is an object with a `type`: {', '.join(PART_TYPES)}"
            yield ("content", n), "this is no part of a message", hint
        elif part["type"] == "text" and not isinstance(part.get("text"), str):
            yield ("content", n), "a part of type text must have a `text`", None
