"""Reads the prompts of a configuration: texts, chats in JSON or YAML, and files with these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from lve.data_classes import dataclass
from lve.documents.json_text import parse_json
from lve.documents.position_types import TextError
from lve.documents.read import DocumentPosition
from lve.documents.yaml_text import parse_yaml
from lve.extensions.importing.promptfoo.source import FILE, Source, UnsupportedError
from lve.extensions.importing.promptfoo.templates import to_placeholders

ROLES = ("system", "user", "assistant")
TEXTS = (".txt", ".md", ".j2", ".prompt")
CHATS = (".json", ".yaml", ".yml")
_BETWEEN = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
"""The line between two prompts of a text file."""
_FILE_NAME = re.compile(r"[^\s{}]+\.(?:txt|md|j2|json|jsonl|yaml|yml|js|cjs|mjs|ts|py|csv)")
_DUMPED = re.compile(r"\{\{\s*(\w+)\s*\|\s*dump\s*\}\}")
"""A variable as JSON: in a chat, it stands where a text between quotes would."""
_CHAT_KEYS = frozenset({"role", "content"})


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in lve's format."""

    label: str
    messages: list[dict[str, object]]
    names: dict[str, None]
    """The variables in its messages."""
    called: frozenset[str] = frozenset()
    """The label and the file or text by which a provider names it."""


def read_prompts(source: Source, written: object, at: DocumentPosition) -> list[Prompt]:
    """Return the prompts. Those without a counterpart are left out and reported.

    Args:
        source: reads files, and collects what is left out.
        written: the value of `prompts`.
        at: the position of the value.
    """
    if isinstance(written, dict):  # file -> label
        entries = [({"id": name, "label": label}, at) for name, label in written.items()]
    else:
        items = written if isinstance(written, list) else [written]
        entries = [(item, at.below((index,))) for index, item in enumerate(items)]
    prompts: list[Prompt] = []
    for item, position in entries:
        try:
            for label, text in _texts(source, item):
                names: dict[str, None] = {}
                messages = _messages(text, names)
                called = frozenset(filter(None, (label, *_names_of(item))))
                title = label or f"prompt {len(prompts) + 1}"
                prompts.append(Prompt(title, messages, names, called))
        except UnsupportedError as error:
            source.leave_out(position, str(error))
    return prompts


def _names_of(item: object) -> Iterator[str]:
    """Yield the names of an entry of `prompts`."""
    for value in item.values() if isinstance(item, dict) else [item]:
        if isinstance(value, str):
            yield value.removeprefix(FILE)


def _texts(source: Source, item: object) -> Iterator[tuple[str, str]]:
    """Yield label and text of each prompt of an entry."""
    label = ""
    if isinstance(item, dict):
        label = str(item.get("label") or item.get("display") or "")
        item = item.get("raw") or item.get("id") or item.get("prompt")
    if not isinstance(item, str) or not item.strip():
        raise UnsupportedError("left out: not a prompt")
    if not (item.startswith(FILE) or _FILE_NAME.fullmatch(item)):
        yield label, item
        return
    ending = PurePosixPath(item).suffix.lower()
    if "*" in item:
        for file in source.matching(item):
            yield from _texts(source, {"id": file, "label": label})
        return
    if ending not in (*TEXTS, *CHATS):
        raise UnsupportedError(f"left out: lve doesn't run {item.removeprefix(FILE)}")
    text = source.text(item)
    for part in _BETWEEN.split(text) if ending in TEXTS else [text]:
        if part.strip():
            yield label or PurePosixPath(item).stem, part.strip()


def _messages(text: str, names: dict[str, None]) -> list[dict[str, object]]:
    chat = _chat(_DUMPED.sub(r'"{{\1}}"', text))
    if chat is None:
        return [{"role": "user", "content": to_placeholders(text, names)}]
    messages = []
    for message in chat:
        role, content = message.get("role"), message.get("content")
        if role not in ROLES or set(message) - _CHAT_KEYS:
            raise UnsupportedError(
                f"left out: its messages have more than a role ({', '.join(ROLES)}) and a content"
            )
        messages.append({"role": role, "content": _content(content, names)})
    return messages


def _content(content: object, names: dict[str, None]) -> object:
    """Return the content of a message: a text, or a list of texts and addresses of images."""
    if isinstance(content, str):
        return to_placeholders(content, names)
    parts: list[dict[str, object]] = []
    for part in content if isinstance(content, list) else [None]:
        match part:
            case {"type": "text" | "input_text", "text": str(text), **more} if not more:
                parts.append({"type": "text", "text": to_placeholders(text, names)})
            case {"type": "image_url", "image_url": {"url": str(url)}, **more} if not more:
                parts.append(_image(to_placeholders(url, names)))
            case {"type": "input_image", "image_url": str(url), **more} if not more:
                parts.append(_image(to_placeholders(url, names)))
            case {"type": "image", "source": {"type": "base64", **image}, **more} if not more:
                parts.append(_image(to_placeholders(_data_url(image), names)))
            case _:
                raise UnsupportedError(
                    "left out: its messages have other parts than texts and addresses of images"
                )
    return parts


def _image(url: str) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": url}}


def _data_url(image: object) -> str:
    """Return the address of an image that is written as Anthropic's API has it.

    Raises:
        UnsupportedError: it is something else.
    """
    match image:
        case {"media_type": str(kind), "data": str(data), **more} if not more:
            return f"data:{kind};base64,{data}"
    raise UnsupportedError("left out: an image without a type and data")


def _chat(text: str) -> list[dict[str, object]] | None:
    """Return the messages of a chat in JSON or YAML; None if the text is a plain prompt."""
    start = text.lstrip()
    parse = parse_json if start.startswith("[") else parse_yaml
    if not start.startswith(("[", "- role:")):
        return None
    try:
        value = parse(text)
    except TextError:
        return None
    if isinstance(value, list) and value and all(isinstance(message, dict) for message in value):
        return value
    return None
