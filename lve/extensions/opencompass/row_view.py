"""What `lve render` shows of a row of a data set: all stages, as JSON and as lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from lve.data.row_places import place_of_row
from lve.escape import escape, escape_line
from lve.extensions.opencompass.dialogue import visible
from lve.extensions.opencompass.formats.model_format import ModelFormat, Received
from lve.extensions.opencompass.inferencers.inferencer import RenderedRow
from lve.extensions.opencompass.origins import origins
from lve.spec.spec import Instance

View = Mapping[str, Any]
"""What `row_view` returns."""
COLORS = {"template": None, "row": "green", "example": "blue", "meta_template": "magenta"}
"""Kind of origin -> colour; others are yellow."""
DIALOGUE_COLORS = {"SYSTEM": "magenta", "HUMAN": "green", "BOT": "cyan"}


def row_view(rendered: RenderedRow, model: ModelFormat, *, trace: bool) -> dict[str, object]:
    """Return each stage of a row from the data to the model.

    Args:
        rendered: the row.
        model: the format of what the model receives.
        trace: whether it was rendered with origins. Then each text of `inputs` has `origins` beside
            it: `{start, end, kind, ...}`, in characters and without gaps.

    Returns:
        `retrieved` (positions of the examples), `examples` (as one prompt), `prompts`
        (`{label, prompt}` before the meta template) and `inputs` (`{label, text}` or
        `{label, messages}`, one per prompt or turn).
    """
    labels = [label for label, _ in rendered.prompts]
    scored = len(labels) == len(rendered.inputs)
    return {
        "retrieved": rendered.retrieved,
        "examples": visible(rendered.ice),
        "prompts": [
            {"label": label, "prompt": visible(prompt)} for label, prompt in rendered.prompts
        ],
        "inputs": [
            {"label": labels[n] if scored else None, **_input(parsed, model, trace)}
            for n, parsed in enumerate(rendered.inputs)
        ],
    }


def _input(parsed: Received, model: ModelFormat, trace: bool) -> dict[str, object]:
    if isinstance(parsed, str) and model.kind == "lm":
        return {"text": parsed, **_origins(parsed, trace)}
    return {"messages": [_message(message, trace) for message in model.messages(parsed)]}


def _message(message: Mapping[str, object], trace: bool) -> dict[str, object]:
    content = message["content"]
    if isinstance(content, list):
        parts = [{**part, **_part_origins(part, trace)} for part in content]
        return {**message, "content": parts}
    return {**message, **_origins(content, trace)}


def _part_origins(part: Mapping[str, object], trace: bool) -> dict[str, object]:
    """Return the origins of a part's text or address."""
    value = part.get(str(part.get("type")), part.get("text"))
    text = value.get("url") if isinstance(value, Mapping) else value
    return _origins(text, trace)


def _origins(text: object, trace: bool) -> dict[str, object]:
    return {"origins": origins(text)} if trace and isinstance(text, str) else {}


def origin_lines(view: View, instance: Instance) -> Iterator[str]:
    """Yield the lines of a row's prompts: each piece of text, after its origin."""
    place = place_of_row(instance.source, instance.line)
    examples = ", ".join(map(str, view["retrieved"])) or "none"
    yield click.style(f"  {escape_line(place)}, examples: {examples}", dim=True)
    for model_input in view["inputs"]:
        if model_input["label"] is not None:
            yield click.style(f"    label {escape_line(str(model_input['label']))}", bold=True)
        for role, text, spans in _texts(model_input):
            yield click.style(f"    {escape_line(role)}:", fg="cyan")
            for origin in spans:
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


def _item(item: object) -> str:
    """Return the line for an item of a dialogue: a message, or a text between messages."""
    role = str(item.get("role", "")) if isinstance(item, Mapping) else ""
    content = item.get("prompt", item.get("content", "")) if isinstance(item, Mapping) else item
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    color = DIALOGUE_COLORS.get(role, "yellow")
    head = click.style(f"      {escape_line(role) or 'text'}: ", fg=color)
    return head + escape(text).replace("\n", "⏎")


def _texts(model_input: Mapping[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    if "text" in model_input:
        yield "text", model_input["text"], model_input["origins"]
    for message in model_input.get("messages", ()):
        content = message["content"]
        parts = content if isinstance(content, list) else [message]
        for part in parts:
            if "origins" in part:
                yield message["role"], _text_of(part), part["origins"]


def _text_of(part: Mapping[str, object]) -> str:
    value = part.get("content", part.get(str(part.get("type")), ""))
    return str(value.get("url", "") if isinstance(value, Mapping) else value)


def _stretch(origin: Mapping[str, Any], text: str) -> str:
    head = click.style(f"      {escape_line(described(origin)):44} ", dim=True)
    escaped = escape(text).replace("\n", "⏎")
    return head + click.style(escaped, fg=COLORS.get(origin["kind"], "yellow"))


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
