"""Converts settings of providers to model args."""

from __future__ import annotations

from collections.abc import Mapping

from lve.documents.json_lines import canonical_json
from lve.extensions.importing.promptfoo.providers.tools import CHOICE
from lve.extensions.importing.promptfoo.source import FILE, Source, UnsupportedError
from lve.extensions.importing.promptfoo.templates import is_template
from lve.json_types import JsonValue

ARGS: Mapping[str, str] = {
    **dict.fromkeys(("temperature", "max_tokens", "top_p", "top_k", "seed", "stop"), ""),
    **dict.fromkeys(("presence_penalty", "frequency_penalty", "reasoning_effort", "verbosity"), ""),
    **dict.fromkeys(("max_completion_tokens", "response_format"), ""),
    CHOICE: "",
    **dict.fromkeys(("max_output_tokens", "maxTokens", "maxOutputTokens"), "max_tokens"),
    **dict.fromkeys(("max_new_tokens", "num_predict", "max_gen_len"), "max_tokens"),
    **dict.fromkeys(("maxTokenCount",), "max_tokens"),
    "topP": "top_p",
    "topK": "top_k",
    "stopSequences": "stop",
}
"""Setting of a provider -> the model arg that it becomes, if it has another name."""
INNER = ("generationConfig", "inferenceConfig", "textGenerationConfig", "passthrough")
"""Settings that hold settings."""
AWAY = (
    *("region", "apiKeyEnvar", "apiKey", "apiHost", "apiBaseUrl", "baseUrl", "apiVersion"),
    *("deploymentName", "organization"),
)
"""Settings that say where, and with which key; here the environment or lve.yaml does."""
ONLY_TOLD = ("usage_tier", "cost", "isReasoningModel", "showThinking")
"""Settings about prices and about what lve knows itself or doesn't judge."""
OWN: Mapping[str, frozenset[str]] = {
    "anthropic": frozenset({"thinking"}),
    "bedrock": frozenset({"thinking"}),
    "gemini": frozenset(
        (
            *("thinkingConfig", "response_mime_type", "response_schema"),
            *("responseMimeType", "responseSchema", "safetySettings"),
        )
    ),
    "openrouter": frozenset({"include_reasoning", "reasoning", "provider", "transforms"}),
    "perplexity": frozenset(
        (
            *("search_domain_filter", "search_recency_filter", "search_after_date_filter"),
            *("search_before_date_filter", "return_related_questions", "return_images"),
            *("web_search_options", "search_mode"),
        )
    ),
}
"""Provider -> model args of its own, which are sent as they are."""
INSTRUCTIONS = "instructions"


def model_args(
    source: Source, config: dict[str, JsonValue], own: frozenset[str]
) -> tuple[dict[str, object], list[str]]:
    """Return model args, among them the provider's own ones, and the settings that are none."""
    args: dict[str, object] = {}
    others: list[str] = []
    for key, value in config.items():
        if key in INNER and isinstance(value, dict):
            inner, more = model_args(source, value, own)
            args |= inner
            others += more
        elif key in AWAY:
            source.tell(f"{key}: the environment or lve.yaml says it here (docs/models.md)")
        elif key in ONLY_TOLD:
            source.tell(f"{key} isn't sent: lve counts costs itself, and judges answers alone")
        elif key in own and (arg := _arg(source, value)) is not None:
            args[key] = arg
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
