"""All stages of rendering a row of a data set, as JSON for `lve render`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.extensions.opencompass.dialogue import visible
from lve.extensions.opencompass.formats.model_format import ModelFormat, Received
from lve.extensions.opencompass.inferencers.inferencer import RenderedRow
from lve.extensions.opencompass.origins import origins


def row_view(rendered: RenderedRow, model: ModelFormat, *, trace: bool) -> dict[str, Any]:
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


def _input(parsed: Received, model: ModelFormat, trace: bool) -> dict[str, Any]:
    if isinstance(parsed, str) and model.kind == "lm":
        return {"text": parsed, **_origins(parsed, trace)}
    return {"messages": [_message(message, trace) for message in model.messages(parsed)]}


def _message(message: Mapping[str, Any], trace: bool) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, list):
        parts = [{**part, **_part_origins(part, trace)} for part in content]
        return {**message, "content": parts}
    return {**message, **_origins(content, trace)}


def _part_origins(part: Mapping[str, Any], trace: bool) -> dict[str, Any]:
    """Return the origins of a part's text or address."""
    value = part.get(str(part.get("type")), part.get("text"))
    text = value.get("url") if isinstance(value, Mapping) else value
    return _origins(text, trace)


def _origins(text: object, trace: bool) -> dict[str, Any]:
    return {"origins": origins(text)} if trace and isinstance(text, str) else {}
