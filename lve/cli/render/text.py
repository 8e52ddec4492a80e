"""The text output of `lve render`: messages by role, in colour on a terminal."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from lve.cli.render.rendering import Filled, Rendered, message_text, token_count
from lve.conventions import place_of_row
from lve.escape import escape, escape_line
from lve.messages import Message
from lve.pipeline.choosing.select import COMMAND_LINE
from lve.prompts.conversation import Conversation, RowPlan
from lve.prompts.messages.prepared import PreparedPrompt
from lve.spec.model import Instance
from lve.verdicts.wording import amount
from lve.workspace import display_path

ROLE_COLORS: Mapping[str, str] = {
    "system": "magenta",
    "user": "green",
    "assistant": "cyan",
    "tool": "yellow",
}
COLORS = {"template": None, "row": "green", "example": "blue", "meta_template": "magenta"}
"""Kind of origin -> colour; others are yellow."""
DIALOGUE_COLORS = {"SYSTEM": "magenta", "HUMAN": "green", "BOT": "cyan"}


def rendered_lines(rendered: Rendered) -> Iterator[str]:
    """Yield the lines of a rendered test, instance by instance."""
    spec = rendered.plan.spec
    yield click.style(escape_line(str(display_path(spec.file))), bold=True)
    if any(prompt.to_fill for prompt in rendered.written):
        yield from _written_lines(rendered.written)
    has_instances = False
    for filled in rendered.instances:
        has_instances = True
        yield from _instance_lines(rendered, filled)
    if not has_instances:
        names = escape_line(", ".join(spec.parameters))
        hint = f": set {names} with -p NAME=VALUE" if names else ""
        yield click.style(f"  no rows{hint}", dim=True)
    yield ""


def _written_lines(prompts: Sequence[PreparedPrompt]) -> Iterator[str]:
    for prompt in prompts:
        name = f" ({escape_line(prompt.name)})" if prompt.name else ""
        times = f", {prompt.repetitions} times" if prompt.repetitions > 1 else ""
        yield click.style(f"  as written{name}{times}", dim=True)
        yield from _message_lines(prompt.written)


def _instance_lines(rendered: Rendered, filled: Filled) -> Iterator[str]:
    rows, instance = filled.plan.rows, filled.instance
    if rows is not None:
        if rows.trace:
            yield from origin_lines(rows, filled)
            return
        yield from stage_lines(rows, filled)
    for number, conversation in enumerate(filled.runs, 1):
        count = rendered.selection.count
        tokens = f", {token_count(conversation, count)} tokens" if count is not None else ""
        yield from _run_lines(instance, conversation, (number, len(filled.runs)), tokens)


def _run_lines(
    instance: Instance, conversation: Conversation, position: tuple[int, int], tokens: str
) -> Iterator[str]:
    name = f" ({escape_line(conversation.name)})" if conversation.name else ""
    run = f", run {position[0]} of {position[1]}{name}" if position[1] > 1 or name else ""
    is_typed = instance.source == COMMAND_LINE
    place = instance.source if is_typed else place_of_row(instance.source, instance.line)
    yield click.style(f"  {escape_line(place)}{run}{tokens}", dim=True)
    if conversation.toolbox is not None:
        names = ", ".join(conversation.toolbox.shown_names())
        yield click.style(f"    tools: {escape_line(names)}", fg="yellow")
    if conversation.prompt is None:
        yield from _message_lines(conversation.messages)
        if conversation.user is not None:
            times = amount(conversation.user.max_turns, "time")
            yield click.style(f"    simulated user, at most {times}:", fg=ROLE_COLORS["user"])
            yield _indented(conversation.user.instructions)
        return
    yield click.style("    text:", fg="green")
    yield _indented(conversation.prompt)
    what = "rates this text" if conversation.score else "continues this text"
    yield click.style(f"    the model {what}", fg="cyan")


def _message_lines(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        color = ROLE_COLORS[message.role.value]
        if message.is_open:
            name = f" ({escape_line(message.variable)})" if message.variable else ""
            yield click.style(f"    {message.role}{name}: the model answers", fg=color)
        else:
            yield click.style(f"    {message.role}:", fg=color)
            yield _indented(message_text(message))


def _indented(text: str) -> str:
    return textwrap.indent(escape(text), " " * 6, lambda line: True)


def origin_lines(rows: RowPlan, filled: Filled) -> Iterator[str]:
    """Yield the lines of a row's prompts: each piece of text, after its origin."""
    view, instance = rows.view(filled.instance, filled.examples), filled.instance
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


def stage_lines(rows: RowPlan, filled: Filled) -> Iterator[str]:
    """Yield the lines before the final prompt: the examples, and the dialogue before the meta
    template, if there is one."""
    view, instance = rows.view(filled.instance, filled.examples), filled.instance
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
