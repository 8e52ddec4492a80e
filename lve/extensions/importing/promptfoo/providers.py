"""Converts the providers of a configuration to names of models."""

from __future__ import annotations

import re
from typing import Any

from lve.documents.read import DocumentPosition
from lve.escape import excerpt
from lve.extensions.importing.promptfoo.source import Source, UnsupportedError
from lve.json_types import JsonValue
from lve.models.tables import provider_called

PREFIXES = (
    *("openai", "anthropic", "google", "azure", "ollama", "groq", "openrouter", "togetherai"),
    *("mistral", "deepseek", "xai"),
)
"""promptfoo's names of the providers that lve has, too, under this name or another."""
APIS = ("chat", "messages", "responses")
"""Optional names between provider and model. lve chooses the API itself."""
ARGS = ("temperature", "max_tokens", "top_p", "seed")
"""Settings of a provider that become model args."""
_MODEL = re.compile(r"[A-Za-z0-9][\w.:@/-]{0,199}", re.ASCII)


def read_models(
    source: Source, written: object, at: DocumentPosition
) -> tuple[list[str], dict[str, object]]:
    """Return the models, and their model args if all models have the same.

    Args:
        source: collects what is left out.
        written: the value of `providers`.
        at: the position of the value.
    """
    args_of: dict[str, dict[str, object]] = {}
    for index, item in enumerate(written if isinstance(written, list) else [written]):
        position = at.below((index,)) if isinstance(written, list) else at
        name, config = _named(item)
        try:
            args_of[model_name(name)] = {
                key: config[key] for key in ARGS if isinstance(config.get(key), int | float)
            }
        except UnsupportedError as error:
            source.leave_out(position, str(error))
            continue
        if others := [key for key in config if key not in ARGS]:
            source.leave_out(position, f"left out of its config: {excerpt(', '.join(others))}")
    args = list(args_of.values())
    if args and all(other_args == args[0] for other_args in args):
        return list(args_of), args[0]
    if args:
        source.leave_out(at, "left out: args that differ by model belong in lve.yaml (`models`)")
    return list(args_of), {}


def _named(item: Any) -> tuple[str, dict[str, JsonValue]]:
    """Return name and config of a provider: `NAME`, `{id: NAME, config: ...}` or
    `{NAME: {config: ...}}`."""
    config: Any = None
    if isinstance(item, dict) and "id" not in item and len(item) == 1:
        [(name, inner)] = item.items()
        item = {**inner, "id": name} if isinstance(inner, dict) else name
    if isinstance(item, dict):
        item, config = item.get("id"), item.get("config")
    return str(item), config if isinstance(config, dict) else {}


def model_name(name: str) -> str:
    """Return lve's name for a model.

    Args:
        name: promptfoo's name: `openai:chat:gpt-4o`.

    Raises:
        UnsupportedError: lve doesn't have the provider, or `name` isn't a model's.
    """
    prefix, _, model = name.partition(":")
    api, _, rest = model.partition(":")
    if rest and api in APIS:
        model = rest
    elif rest and prefix != "ollama":  # ollama's model names have colons
        model = ""
    if prefix not in PREFIXES or not _MODEL.fullmatch(model):
        raise UnsupportedError(
            f"left out: lve has no model for {excerpt(name)}; see docs/models.md"
        )
    return f"{provider_called(prefix) or prefix}/{model}"
