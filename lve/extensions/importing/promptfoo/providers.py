"""Converts the providers of a configuration to names of models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lve.documents.json_lines import canonical_json
from lve.documents.read import DocumentPosition
from lve.escape import excerpt
from lve.extensions.importing.promptfoo.source import FILE, AnswerKind, Source, UnsupportedError
from lve.extensions.importing.promptfoo.targets import Targets
from lve.extensions.importing.promptfoo.templates import is_template
from lve.extensions.importing.promptfoo.tools import CHOICE, TOOLS, choice_of, tools_of
from lve.json_types import JsonValue
from lve.models.tables import provider_called
from lve.named_tuples import NamedTuple

PREFIXES = (
    *("openai", "anthropic", "google", "azure", "ollama", "groq", "openrouter", "togetherai"),
    *("mistral", "deepseek", "xai", "bedrock"),
)
"""promptfoo's names of the providers that lve has, too, under this name or another."""
COMPATIBLE: Mapping[str, str] = {
    "cerebras": "https://api.cerebras.ai/v1",
    "cohere": "https://api.cohere.ai/compatibility/v1",
    "deepinfra": "https://api.deepinfra.com/v1/openai",
    "fireworks": "https://api.fireworks.ai/inference/v1",
    "hyperbolic": "https://api.hyperbolic.xyz/v1",
    "lambdalabs": "https://api.lambda.ai/v1",
    "nscale": "https://inference.api.nscale.com/v1",
    "perplexity": "https://api.perplexity.ai",
}
"""promptfoo's name of a provider -> the address at which it speaks OpenAI's API."""
APIS = ("chat", "messages", "responses", "converse")
"""Optional names between provider and model. lve chooses the API itself."""
ARGS: Mapping[str, str] = {
    **dict.fromkeys(("temperature", "max_tokens", "top_p", "top_k", "seed", "stop"), ""),
    **dict.fromkeys(("presence_penalty", "frequency_penalty", "reasoning_effort", "verbosity"), ""),
    **dict.fromkeys(("max_completion_tokens", "response_format"), ""),
    CHOICE: "",
    **dict.fromkeys(("max_output_tokens", "maxTokens", "maxOutputTokens"), "max_tokens"),
    **dict.fromkeys(("max_new_tokens", "num_predict", "max_gen_len"), "max_tokens"),
    "topP": "top_p",
    "topK": "top_k",
    "stopSequences": "stop",
}
"""Setting of a provider -> the model arg that it becomes, if it has another name."""
INNER = ("generationConfig", "inferenceConfig")
"""Settings that hold settings."""
AWAY = ("region", "apiKeyEnvar")
"""Settings that say where, and with which key; here the environment does."""
CHANGES = ("transform", "inputs")
"""Keys of a provider that change its answers."""
CALLS = frozenset({"tools", "functions", "toolConfig"})
JSON_ANSWERS = frozenset({"response_format", "responseFormat", "response_schema", "responseSchema"})
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


def read_models(source: Source, written: object, at: DocumentPosition) -> list[Asked]:
    """Return the models. A provider that lve doesn't have gets a name, which the settings define.

    Args:
        source: collects what is left out.
        written: the value of `providers`.
        at: the position of the value.
    """
    every: dict[str, Asked] = {}
    targets = Targets(source)
    for index, item in enumerate(written if isinstance(written, list) else [written]):
        position = at.below((index,)) if isinstance(written, list) else at
        try:
            provider = _provider(item)
            asked = _asked(source, provider, targets, position)
            first = every.setdefault(asked.model, asked)
            if (first.args, first.tools) != (asked.args, asked.tools):
                raise UnsupportedError("left out: the same model with other settings")
        except UnsupportedError as error:
            source.leave_out(position, str(error))
    return list(every.values())


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
    if model is None:
        name = targets.name(provider.name, provider.config)
        return Asked(name, {}, provider.prompts, position, [])
    config, tools = _with_tools(source, provider.config)
    args, others = _args(source, config)
    if (address := COMPATIBLE.get(model.partition("/")[0])) is not None:
        source.tell(_entry(model, address))
    if others:
        source.leave_out(position, f"left out of its config: {excerpt(', '.join(others))}")
    return Asked(model, args, provider.prompts, position, tools)


def _with_tools(
    source: Source, config: dict[str, JsonValue]
) -> tuple[dict[str, JsonValue], list[JsonValue]]:
    """Return the settings without tools that lve has, too, and these tools."""
    key = next((key for key in TOOLS if key in config), None)
    if key is None:
        return config, []
    try:
        tools = tools_of(source, config[key])
        choice = {CHOICE: choice_of(config[CHOICE])} if CHOICE in config else {}
    except UnsupportedError:
        return config, []
    return {**{k: value for k, value in config.items() if k != key}, **choice}, tools


def _entry(model: str, address: str) -> str:
    """Return what to write into the settings for a model at an address."""
    prefix, _, name = model.partition("/")
    key = f"{prefix.upper()}_API_KEY"
    return (
        f"lve.yaml says where {model} is served: `models: {{{model}: {{provider: openai, "
        f"model: {name!r}, base_url: {address}, api_key_env: {key}}}}}`"
    )


def _args(source: Source, config: dict[str, JsonValue]) -> tuple[dict[str, object], list[str]]:
    """Return model args, and the settings that are none."""
    args: dict[str, object] = {}
    others: list[str] = []
    for key, value in config.items():
        if key in INNER and isinstance(value, dict):
            inner, more = _args(source, value)
            args |= inner
            others += more
        elif key in AWAY:
            source.tell(f"{key}: the environment says it here (docs/models.md)")
        elif key not in ARGS or (arg := _arg(source, value)) is None:
            others.append(key)
        else:
            args[ARGS[key] or key] = arg
    return args, others


def _arg(source: Source, value: JsonValue) -> object:
    """Return the value of a model arg; None if it is computed when promptfoo runs."""
    try:
        if isinstance(value, str) and value.startswith(FILE):
            value = source.data(value)
    except UnsupportedError:
        return None
    return None if is_template(canonical_json(value)) else value


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
    elif rest and prefix not in ("ollama", "bedrock"):  # whose names of models have colons
        model = ""
    if prefix not in (*PREFIXES, *COMPATIBLE) or not _MODEL.fullmatch(model):
        return None
    return f"{provider_called(prefix) or prefix}/{model}"


def answer_kind(config: Mapping[str, object]) -> AnswerKind:
    """Return what assertions of programs get as the answer: promptfoo reads the JSON of models that
    are asked for it, and gives them calls of tools as objects.

    Args:
        config: the whole configuration.
    """
    keys = set(
        _keys([config.get(key) for key in ("providers", "targets", "prompts", "defaultTest")])
    )
    if keys & CALLS:
        return "calls"
    return "json" if keys & JSON_ANSWERS else "text"


def _keys(value: object) -> Iterator[str]:
    """Yield the keys of objects inside a value of limited depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
