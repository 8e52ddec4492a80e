"""What `lve render` shows of a row before its prompt, or instead of it: stages, and origins."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from lve.escape import escape, escape_line
from lve.row_places import place_of_row
from lve.spec.model import Instance

View = Mapping[str, Any]
"""A row's stages, as in `row_view`."""
COLORS = {"template": None, "row": "green", "example": "blue", "meta_template": "magenta"}
"""Kind of origin -> colour; others are yellow."""
DIALOGUE_COLORS = {"SYSTEM": "magenta", "HUMAN": "green", "BOT": "cyan"}


def origin_lines(view: View, instance: Instance) -> Iterator[str]:
    """Yield the lines of a row's prompts: each piece of text, after its origin."""
    place = place_of_row(instance.source, instance.line)
    examples = ", ".join(map(str, view["retrieved"])) or "none"
    yield click.style(f"  {escape_line(place)}, examples: {examples}", dim=True)
    for asked in view["inputs"]:
        if asked["label"] is not None:
            yield click.style(f"    label {escape_line(str(asked['label']))}", bold=True)
        for role, text, origins in _texts(asked):
            yield click.style(f"    {escape_line(role)}:", fg="cyan")
            for origin in origins:
                yield _stretch(origin, text[origin["start"] : origin["end"]])


def stage_lines(view: View, instance: Instance) -> Iterator[str]:
    """Yield the lines before the final prompt: the examples, and the dialogue before the meta
    template, if there is one."""
    examples = ", ".join(map(str, view["retrieved"])) or "none"
    place = escape_line(place_of_row(instance.source, instance.line))
    yield click.style(f"  {place}, examples: {examples}", dim=True)
    for prompt in view["prompts"]:
        if isinstance(prompt["prompt"], list):
            label = "" if prompt["label"] is None else f" of label {prompt['label']}"
            yield click.style(escape_line(f"    dialogue{label}"), dim=True)
            for item in prompt["prompt"]:
                yield _item(item)


def _item(item: Any) -> str:
    """Return the line for an item of a dialogue: a message, or a text between messages."""
    role = str(item.get("role", "")) if isinstance(item, Mapping) else ""
    content = item.get("prompt", item.get("content", "")) if isinstance(item, Mapping) else item
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    color = DIALOGUE_COLORS.get(role, "yellow")
    head = click.style(f"      {escape_line(role) or 'text'}: ", fg=color)
    return head + escape(text).replace("\n", "⏎")


def _texts(asked: Mapping[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    if "text" in asked:
        yield "text", asked["text"], asked["origins"]
    for message in asked.get("messages", ()):
        content = message["content"]
        parts = content if isinstance(content, list) else [message]
        for part in parts:
            if "origins" in part:
                yield message["role"], _text_of(part), part["origins"]


def _text_of(part: Mapping[str, Any]) -> str:
    value = part.get("content", part.get(str(part.get("type")), ""))
    return str(value.get("url", "") if isinstance(value, Mapping) else value)


def _stretch(origin: Mapping[str, Any], text: str) -> str:
    head = click.style(f"      {escape_line(described(origin)):44} ", dim=True)
    shown = escape(text).replace("\n", "⏎")
    return head + click.style(shown, fg=COLORS.get(origin["kind"], "yellow"))


def described(origin: Mapping[str, Any]) -> str:
    """Return an origin in words: `row 3 column question (rows.jsonl:4)`."""
    kind = origin["kind"]
    if kind == "default":
        return "lve"
    if kind == "row":
        return f"row column {origin['column']} ({place_of_row(origin['file'], origin['line'])})"
    if kind == "example":
        return f"example {origin['row']} column {origin['column']}"
    if kind == "template":
        return f"{origin['path'].removeprefix('$.infer_cfg.')} (line {origin['line']})"
    return f"{kind.replace('_', ' ')} {origin.get('path', '')}".rstrip()
