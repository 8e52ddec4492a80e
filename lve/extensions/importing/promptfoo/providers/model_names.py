"""Converts the providers of a configuration to names of models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lve.documents.json_lines import canonical_json
from lve.documents.read import DocumentPosition
from lve.escape import excerpt
from lve.extensions.importing.promptfoo.providers.args import INSTRUCTIONS, OWN, model_args
from lve.extensions.importing.promptfoo.providers.call_forms import call_form
from lve.extensions.importing.promptfoo.providers.targets import PREFIX, Targets
from lve.extensions.importing.promptfoo.providers.tools import (
    CHOICE,
    CHOICES,
    TOOLS,
    choice_of,
    of_bedrock,
    tools_of,
)
from lve.extensions.importing.promptfoo.source import (
    FILE,
    AnswerKind,
    CallForm,
    Source,
    UnsupportedError,
)
from lve.json_types import JsonObject, JsonValue
from lve.models.known_tables import provider_called
from lve.named_tuples import NamedTuple

PREFIXES = (
    *("openai", "anthropic", "google", "azure", "ollama", "groq", "openrouter", "togetherai"),
    *("mistral", "deepseek", "xai", "bedrock"),
)
"""promptfoo's names of the providers that lve has, too, under this name or another."""
COMPATIBLE: Mapping[str, tuple[str, str]] = {
    "cerebras": ("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "cohere": ("https://api.cohere.ai/compatibility/v1", "COHERE_API_KEY"),
    "deepinfra": ("https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY"),
    "fireworks": ("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "hyperbolic": ("https://api.hyperbolic.xyz/v1", "HYPERBOLIC_API_KEY"),
    "lambdalabs": ("https://api.lambda.ai/v1", "LAMBDA_API_KEY"),
    "nscale": ("https://inference.api.nscale.com/v1", "NSCALE_SERVICE_TOKEN"),
    "perplexity": ("https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
}
"""promptfoo's name of a provider -> the address at which it speaks OpenAI's API, and promptfoo's
variable for its key."""
APIS = ("chat", "messages", "responses", "converse")
"""Optional names between provider and model. lve chooses the API itself."""
WITH_COLONS = ("ollama", "bedrock")
"""Providers whose names of models have colons."""
SERVICES = (("bedrock", "kb"), ("bedrock", "agents"))
"""Provider and API that are no model."""
CHANGES = ("transform", "inputs")
"""Keys of a provider that change its answers."""
JSON_ANSWERS = frozenset({"response_format", "responseFormat", "response_schema", "responseSchema"})
ECHO = f"{PREFIX}echo"
"""promptfoo's provider that answers with the prompt, whatever its settings."""
MAX_LABELS = 50
"""Providers that a prompt may tell apart."""
_MODEL = re.compile(r"[A-Za-z0-9][\w.:@/-]{0,199}", re.ASCII)


class Asked(NamedTuple):
    """A model or target of a configuration."""

    model: str
    args: dict[str, object]
    prompts: tuple[str, ...] | None
    """Labels or files of the prompts that it gets; None: all of them."""
    position: DocumentPosition
    tools: list[JsonValue]
    """The tools that it may call."""
    instructions: str = ""
    """What stands before each prompt, as a template."""
    calls: CallForm | None = None
    """What assertions get of its calls of tools."""


def read_models(source: Source, written: object, at: DocumentPosition) -> list[Asked]:
    """Return the models. A provider that lve doesn't have gets a name, which the settings define.

    Args:
        source: collects what is left out.
        written: the value of `providers`.
        at: the position of the value.
    """
    every: list[Asked] = []
    targets = Targets(source)
    for index, item in enumerate(written if isinstance(written, list) else [written]):
        position = at.below((index,)) if isinstance(written, list) else at
        try:
            asked = read_model(source, item, position, targets)
            if not any(asked._replace(position=one.position) == one for one in every):
                every.append(asked)
        except UnsupportedError as error:
            source.leave_out(position, str(error))
    return every


def read_model(
    source: Source, item: Any, position: DocumentPosition, targets: Targets | None = None
) -> Asked:
    """Return the model or target of one provider; the arguments are as in `read_models`.

    Raises:
        UnsupportedError: it is none, or what it does can't be kept.
    """
    return _asked(source, _provider(item), targets or Targets(source), position)


def provider_labels(written: object) -> list[JsonObject]:
    """Return id, label and config of each provider: a prompt that is a script may tell them apart.

    Args:
        written: the value of `providers`.
    """
    labels: dict[str, JsonObject] = {}
    for item in written if isinstance(written, list) else [written]:
        with suppress(UnsupportedError):
            provider = _provider(item)
            label = item.get("label") if isinstance(item, dict) else None
            of = {"id": provider.name, "label": label or provider.name, "config": provider.config}
            labels[canonical_json(of)] = of
    return list(labels.values())[:MAX_LABELS] or [{"id": "echo", "label": "echo", "config": {}}]


def with_settings(source: Source, asked: Asked, config: Mapping[str, JsonValue]) -> Asked:
    """Return a model with the settings of a prompt, which count before its own. Those that are no
    model args are left out and reported."""
    if not config:
        return asked
    own = OWN.get(asked.model.partition("/")[0], frozenset())
    if asked.model.startswith(ECHO):
        return asked
    is_model = not asked.model.startswith(PREFIX)
    args, others = model_args(source, dict(config), own) if is_model else ({}, list(config))
    if others:
        why = f"left out of its prompt's config: {excerpt(', '.join(others))}"
        source.leave_out(asked.position, why)
    return asked._replace(args={**asked.args, **args})


def model_keys(asked: Sequence[Asked]) -> dict[str, object]:
    """Return the keys of a document for models, with args if all have the same; otherwise each
    model is an object with its own."""
    if not asked:
        return {}
    args = asked[0].args
    tools: dict[str, object] = {"tools": asked[0].tools} if asked[0].tools else {}
    if any(each.args != args for each in asked):
        models = [
            {"model": each.model, "args": each.args} if each.args else each.model for each in asked
        ]
        return {"models": models, **tools}
    names = [each.model for each in asked]
    keys: dict[str, object] = {"model": names[0]} if len(names) == 1 else {"models": names}
    return {**keys, **({"default_model_args": args} if args else {}), **tools}


class _Provider(NamedTuple):
    """A provider as it is written."""

    name: str
    config: dict[str, JsonValue]
    prompts: tuple[str, ...] | None


def _asked(
    source: Source, provider: _Provider, targets: Targets, position: DocumentPosition
) -> Asked:
    model = model_name(provider.name)
    calls = call_form(source, provider.name, provider.config)
    if model is None:
        name = targets.name(provider.name, provider.config)
        own = calls if calls and calls.name else None  # else its tools are its own matter
        return Asked(name, {}, provider.prompts, position, [], calls=own)
    config, tools = _with_tools(source, provider.config)
    instructions = config.pop(INSTRUCTIONS, "") if INSTRUCTIONS in config else ""
    if not isinstance(instructions, str):
        raise UnsupportedError("left out: its instructions aren't a text")
    if config.get("thinking") and config.get("showThinking", True):
        source.tell("promptfoo judges what a model thinks with its answer; lve only the answer")
    args, others = model_args(source, config, OWN.get(model.partition("/")[0], frozenset()))
    if (server := COMPATIBLE.get(model.partition("/")[0])) is not None:
        source.tell(_entry(model, *server))
    if others:
        source.leave_out(position, f"left out of its config: {excerpt(', '.join(others))}")
    return Asked(model, args, provider.prompts, position, tools, instructions, calls)


def _with_tools(
    source: Source, config: dict[str, JsonValue]
) -> tuple[dict[str, JsonValue], list[JsonValue]]:
    """Return the settings without tools that lve has, too, and these tools."""
    config = of_bedrock(config)
    key = next((key for key in TOOLS if key in config), None)
    if key is None:
        return config, []
    try:
        tools = tools_of(source, config[key])
        named = next((name for name in (CHOICE, *CHOICES) if name in config), None)
        choice = {CHOICE: choice_of(config[named])} if named is not None else {}
    except UnsupportedError:
        return config, []
    return {**{k: v for k, v in config.items() if k not in (key, named)}, **choice}, tools


def _entry(model: str, address: str, key: str) -> str:
    """Return what to write into the settings for a model at an address, with a variable's key."""
    name = model.partition("/")[2]
    return (
        f"lve.yaml says where {model} is served: `models: {{{model}: {{provider: openai, "
        f"model: {name!r}, base_url: {address}, api_key_env: {key}}}}}`"
    )


def _provider(item: Any) -> _Provider:
    """Return a provider: `NAME`, `{id: NAME, config: ...}` or `{NAME: {config: ...}}`.

    Raises:
        UnsupportedError: it is none, or what it does can't be kept.
    """
    if isinstance(item, dict) and "id" not in item and len(item) == 1:
        [(name, inner)] = item.items()
        item = {**inner, "id": name} if isinstance(inner, dict) else name
    whole = item if isinstance(item, dict) else {"id": item}
    name, config, prompts = whole.get("id"), whole.get("config"), whole.get("prompts")
    if not isinstance(name, str) or not name.strip():
        raise UnsupportedError("left out: not a provider")
    if changing := [key for key in CHANGES if key in whole]:
        raise UnsupportedError(f"left out: its {changing[0]} changes what is judged")
    if name.startswith("promptfoo:"):
        raise UnsupportedError(f"left out: {excerpt(name)} is a part of promptfoo")
    listed = prompts if isinstance(prompts, list) else [prompts]
    return _Provider(
        name,
        config if isinstance(config, dict) else {},
        None if prompts is None else tuple(str(each).removeprefix(FILE) for each in listed),
    )


def model_name(name: str) -> str | None:
    """Return lve's name for a model; None if it has no such provider, or it isn't a model's name.

    Args:
        name: promptfoo's name: `openai:chat:gpt-4o`.
    """
    prefix, _, model = name.partition(":")
    api, _, rest = model.partition(":")
    if rest and api in APIS:
        model = rest
    elif rest and ((prefix, api) in SERVICES or prefix not in WITH_COLONS):
        model = ""
    if prefix not in (*PREFIXES, *COMPATIBLE) or not _MODEL.fullmatch(model):
        return None
    return f"{provider_called(prefix) or prefix}/{model}"


def answer_kind(config: Mapping[str, object]) -> AnswerKind:
    """Return what assertions of programs get as the answer: promptfoo reads the JSON of models that
    must follow a schema.

    Args:
        config: the whole configuration.
    """
    parts = [config.get(key) for key in ("providers", "targets", "prompts", "defaultTest")]
    formats = [value for key, value in _items(parts) if key in JSON_ANSWERS]
    is_loose = all(isinstance(f, dict) and f.get("type") == "json_object" for f in formats)
    return "text" if is_loose else "json"


def _items(value: object) -> Iterator[tuple[str, object]]:
    """Yield the keys and values of objects inside a value of limited depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key), inner
            yield from _items(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _items(inner)
