"""`lve render --provenance`: where each character of a data set's prompt comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from lve.escape import escape, escape_line
from lve.prompts.dataset_plan import DatasetPlan
from lve.prompts.row_view import row_view
from lve.spec.model import Instance

COLORS = {"template": None, "row": "green", "example": "blue", "meta_template": "magenta"}
"""Kind of an origin -> its colour; others are yellow."""


DIALOGUE_COLORS = {"SYSTEM": "magenta", "HUMAN": "green", "BOT": "cyan"}


def print_origins(plan: DatasetPlan, instance: Instance) -> None:
    """Print a row's prompts stretch by stretch, each after where it comes from."""
    view = row_view(plan, instance)
    place = f"{instance.source}:{instance.line}"
    examples = ", ".join(map(str, view["retrieved"])) or "none"
    click.secho(f"  {escape_line(place)}, examples: {examples}", dim=True)
    for asked in view["inputs"]:
        if asked["label"] is not None:
            click.secho(f"    label {escape_line(str(asked['label']))}", bold=True)
        for role, text, origins in _texts(asked):
            click.secho(f"    {role}:", fg="cyan")
            for origin in origins:
                _print_stretch(origin, text[origin["start"] : origin["end"]])


def print_stages(plan: DatasetPlan, instance: Instance) -> None:
    """Print what comes before the final prompt: which examples, and the dialogue before the meta
    template where there is one."""
    view = row_view(plan, instance)
    examples = ", ".join(map(str, view["retrieved"])) or "none"
    place = escape_line(f"{instance.source}:{instance.line}")
    click.secho(f"  {place}, examples: {examples}", dim=True)
    for prompt in view["prompts"]:
        if isinstance(prompt["prompt"], list):
            label = "" if prompt["label"] is None else f" of label {prompt['label']}"
            click.secho(escape_line(f"    dialogue{label}"), dim=True)
            for item in prompt["prompt"]:
                _print_item(item)


def _print_item(item: Any) -> None:
    """Print a message of a dialogue, or a text between them."""
    role = str(item.get("role", "")) if isinstance(item, Mapping) else ""
    said = item.get("prompt", item.get("content", "")) if isinstance(item, Mapping) else item
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    color = DIALOGUE_COLORS.get(role, "yellow")
    click.secho(f"      {escape_line(role) or 'text'}: ", fg=color, nl=False)
    click.echo(escape(text).replace("\n", "⏎"))


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


def _print_stretch(origin: Mapping[str, Any], text: str) -> None:
    click.secho(f"      {escape_line(described(origin)):44} ", dim=True, nl=False)
    shown = escape(text).replace("\n", "⏎")
    click.secho(shown, fg=COLORS.get(origin["kind"], "yellow"))


def described(origin: Mapping[str, Any]) -> str:
    """Return an origin in words: `row 3 column question (rows.jsonl:4)`."""
    kind = origin["kind"]
    if kind == "default":
        return "lve"
    if kind == "row":
        return f"row column {origin['column']} ({origin['file']}:{origin['line']})"
    if kind == "example":
        return f"example {origin['row']} column {origin['column']}"
    if kind == "template":
        return f"{origin['path'].removeprefix('$.infer_cfg.')} (line {origin['line']})"
    return f"{kind.replace('_', ' ')} {origin.get('path', '')}".rstrip()
