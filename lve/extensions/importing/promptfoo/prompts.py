"""Reads the prompts of a configuration: texts, chats in JSON or YAML, and files with these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from lve.data_classes import dataclass, field
from lve.documents.json_text import parse_json
from lve.documents.position_types import TextError
from lve.documents.read import DocumentPosition
from lve.documents.yaml_text import parse_yaml
from lve.extensions.importing.promptfoo.source import BY_ITSELF, FILE, Source, UnsupportedError
from lve.extensions.importing.promptfoo.templates import ONLY_VARIABLES, to_placeholders
from lve.json_types import JsonValue

Leaf = Callable[[str], str]
"""What becomes of a text of a message."""
ROLES = ("system", "user", "assistant")
TEXTS = (".txt", ".md", ".j2", ".prompt")
CHATS = (".json", ".yaml", ".yml")
FOREIGN = ("portkey://", "langfuse://", "helicone://")
"""Begins the names of prompts that services have."""
_BETWEEN = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
"""The line between two prompts of a text file."""
_FUNCTION = re.compile(r"(?<=\.py|\.js|\.ts):[\w.]+$|(?<=\.[cm]js|\.[cm]ts):[\w.]+$")
"""The function of a script, behind its name."""
_FILE_NAME = re.compile(r"[^\s{}]+\.(?:txt|md|j2|json|jsonl|yaml|yml|js|cjs|mjs|ts|py|csv)")
_DUMPED = re.compile(r"\{\{\s*(\w+)\s*\|\s*dump\s*\}\}")
"""A variable as JSON: in a chat, it stands where a text between quotes would."""
_CHAT_KEYS = frozenset({"role", "content"})
_SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in lve's format."""

    label: str
    messages: list[dict[str, object]]
    names: dict[str, None]
    """The variables in its messages."""
    called: frozenset[str] = frozenset()
    """The label and the file or text by which a provider names it."""
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    """Settings of the models that get it."""
    place: tuple[int, int] = (0, 0)
    """Number of its entry, and of itself within it."""
    is_instructed: bool = False
    """Whether its first message is of the model."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of `prompts`."""

    written: str
    """The text, or the file."""
    label: str
    config: Mapping[str, JsonValue]
    position: DocumentPosition
    number: int = 0
    """Of the entries."""

    @property
    def file(self) -> str:
        """Its file, without a function in it."""
        return _FUNCTION.sub("", self.written)

    @property
    def is_script(self) -> bool:
        """Whether promptfoo has to run it."""
        return bool(_FILE_NAME.fullmatch(self.file)) and self.file.endswith(_SCRIPTS)


def prompt_entries(source: Source, written: Any, at: DocumentPosition) -> Iterator[Entry]:
    """Yield the entries of `prompts`; the arguments are as in `read_prompts`."""
    if isinstance(written, dict):  # file -> label
        items = [({"id": name, "label": label}, at) for name, label in written.items()]
    else:
        listed = written if isinstance(written, list) else [written]
        items = [(item, at.below((index,))) for index, item in enumerate(listed)]
    for number, (item, position) in enumerate(items):
        whole: Mapping[str, JsonValue] = item if isinstance(item, dict) else {"raw": item}
        text = whole.get("raw") or whole.get("id") or whole.get("prompt")
        config = whole.get("config") or {}
        if not isinstance(text, str) or not text.strip() or not isinstance(config, dict):
            source.leave_out(position, "left out: not a prompt")
            continue
        label = str(whole.get("label") or whole.get("display") or "")
        yield Entry(text, label, config, position, number)


def read_prompts(source: Source, written: object, at: DocumentPosition) -> list[Prompt]:
    """Return the prompts. Those without a counterpart are left out and reported.

    Args:
        source: reads files, and collects what is left out.
        written: the value of `prompts`.
        at: the position of the value.
    """
    prompts: list[Prompt] = []
    for entry in prompt_entries(source, written, at):
        try:
            prompts += read_entry(source, entry, len(prompts))
        except UnsupportedError as error:
            is_template = ONLY_VARIABLES in str(error)
            source.leave_out(entry.position, f"{error}{BY_ITSELF if is_template else ''}")
    return prompts


def read_entry(source: Source, entry: Entry, before: int) -> list[Prompt]:
    """Return the prompts of an entry.

    Args:
        source: reads files.
        entry: of `prompts`.
        before: how many prompts there are before.

    Raises:
        UnsupportedError: one has no counterpart.
    """
    prompts: list[Prompt] = []
    for label, text in _texts(source, entry):
        names: dict[str, None] = {}
        leaf = partial(to_placeholders, names=names)
        messages = messages_of(_DUMPED.sub(r'"{{\1}}"', text), leaf)
        called = frozenset(filter(None, (label, entry.written.removeprefix(FILE))))
        title = label or f"prompt {before + len(prompts) + 1}"
        place = (entry.number, len(prompts))
        prompts.append(Prompt(title, messages, names, called, entry.config, place))
    return prompts


def _texts(source: Source, entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield label and text of each prompt of an entry."""
    item, label = entry.written, entry.label
    if item.startswith(FOREIGN):
        raise UnsupportedError("left out: its text is in another service")
    if not (item.startswith(FILE) or entry.is_script or _FILE_NAME.fullmatch(item)):
        yield label, item
        return
    ending = PurePosixPath(item).suffix.lower()
    if "*" in item:
        for file in source.matching(item):
            yield from _texts(source, replace(entry, written=file))
        return
    if ending not in (*TEXTS, *CHATS):
        raise UnsupportedError(f"left out: lve doesn't run {item.removeprefix(FILE)}{BY_ITSELF}")
    text = source.text(item)
    if ending in (".yaml", ".yml") and _chat(text) is None:
        raise UnsupportedError(f"left out: the YAML of a prompt isn't a chat{BY_ITSELF}")
    for part in _BETWEEN.split(text) if ending in TEXTS else [text]:
        if part.strip():
            # A text of YAML's may end with a line end, which promptfoo keeps.
            yield label or PurePosixPath(item).stem, part.strip() if ending in TEXTS else part


def messages_of(text: str, leaf: Leaf) -> list[dict[str, object]]:
    """Return the messages of a prompt.

    Args:
        text: a text, or a chat in JSON or YAML.
        leaf: is called with each text in it, and returns what stands in the messages.

    Raises:
        UnsupportedError: the chat has more than roles, texts and images.
    """
    chat = _chat(text)
    if chat is None:
        return [{"role": "user", "content": leaf(text)}]
    messages = []
    for message in chat:
        role, content = message.get("role"), message.get("content")
        further = set(message) - _CHAT_KEYS
        if role not in ROLES or (further and message.get("type", "") != "message"):
            raise UnsupportedError(
                f"left out: its messages have more than a role ({', '.join(ROLES)}) and a content"
            )
        messages.append({"role": role, "content": _content(content, leaf)})
    return messages


def _content(content: object, leaf: Leaf) -> object:
    """Return the content of a message: a text, or a list of texts and addresses of images."""
    if isinstance(content, str):
        return leaf(content)
    parts: list[dict[str, object]] = []
    for part in content if isinstance(content, list) else [None]:
        match part:
            case (
                {"type": "text" | "input_text", "text": str(text), **more}
                | {
                    "modality": "text",
                    "value": str(text),
                    **more,
                }
                | {"text": str(text), **more}
            ) if not more:
                parts.append({"type": "text", "text": leaf(text)})
            case {"type": "image_url", "image_url": {"url": str(url)}, **more} if not more:
                parts.append(_image(leaf(url)))
            case {"type": "input_image", "image_url": str(url), **more} if not more:
                parts.append(_image(leaf(url)))
            case {"type": "image", "source": {"type": "base64", **image}, **more} if not more:
                parts.append(_image(leaf(_data_url(image))))
            case {"image": {"format": str(kind), "source": {"bytes": str(data)}}, **more} if (
                not more
            ):  # as Bedrock has it
                parts.append(_image(leaf(_data_url({"media_type": kind, "data": data}))))
            case {"modality": "image", "value": dict(image)}:
                parts.append(_image(leaf(_modality(image))))
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
            kind = kind if "/" in kind else f"image/{kind}"
            whole = f"data:{kind.replace('/jpg', '/jpeg')};base64,{data}"
            return data if data.startswith("data:") else whole  # as promptfoo reads files
    raise UnsupportedError("left out: an image without a type and data")


def _modality(image: object) -> str:
    """Return the address of an image that is written as Adaline has it.

    Raises:
        UnsupportedError: it is something else.
    """
    match image:
        case {"type": "url", "url": str(url), **more} if not more:
            return url
        case {"type": "base64", "media_type": str(kind), "base64": str(data), **more} if not more:
            return _data_url({"media_type": kind, "data": data})
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
