"""How promptfoo gives assertions the calls of tools, and the schemas that these must fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lve.extensions.importing.promptfoo.providers.tools import BEDROCK, TOOLS, of_bedrock
from lve.extensions.importing.promptfoo.source import FILE, CallForm, Source, UnsupportedError
from lve.json_types import JsonObject, JsonValue

CALLS = frozenset({*TOOLS, BEDROCK})
CHATS = (
    *("openai", "groq", "openrouter", "togetherai", "deepseek", "xai", "cerebras"),
    *("fireworks", "hyperbolic", "perplexity"),
)
"""promptfoo's providers that answer as its OpenAI chats do."""
FILTER = "promptfoo_calls"
SCHEMAS = ("parameters", "input_schema", "inputSchema")


def call_form(source: Source, name: str, config: Mapping[str, JsonValue]) -> CallForm | None:
    """Return the form, and the schemas of the tools; None if the provider has no tools.

    Args:
        source: reads files.
        name: promptfoo's name of the provider.
        config: its settings.
    """
    if not CALLS & config.keys():
        return None
    config = of_bedrock(config)
    value = next((config[key] for key in TOOLS if key in config), None)
    try:
        value = source.data(value) if isinstance(value, str) and value.startswith(FILE) else value
    except UnsupportedError:
        value = None
    schemas = {str(tool["name"]): _schema(tool) for tool in _tools(value)}
    return CallForm(_form(name, config, value), schemas)


def form_of_all(forms: Iterable[CallForm | None]) -> CallForm | None:
    """Return the form of all models that have tools; one without a name if they have several."""
    known = [form for form in forms if form]
    if not known:
        return None
    name = known[0].name if len({form.name for form in known}) == 1 else ""
    alike = all(form.schemas == known[0].schemas for form in known)
    return CallForm(name, known[0].schemas if alike else {})


def _form(name: str, config: Mapping[str, JsonValue], tools: JsonValue) -> str:
    prefix, _, rest = name.partition(":")
    match prefix:
        case "openai" if rest.startswith("responses:"):
            return "responses"
        case _ if prefix in CHATS:
            return "function" if "functions" in config and "tools" not in config else "chat"
        case "google" if rest.startswith("live:"):
            return "live"
        case "google" | "vertex" if "claude" not in rest:
            return "google"
        case "adaline":
            own = tools[0] if isinstance(tools, list) and tools else None
            return "chat" if isinstance(own, dict) and "function" in own else "adaline"
        case "bedrock" if rest.startswith("amazon.nova") and "sonic" not in rest:
            return "nova"
        case "anthropic" | "bedrock" if prefix == "anthropic" or rest.startswith("converse:"):
            return "blocks"
    return ""


def _tools(value: JsonValue) -> Iterator[JsonObject]:
    """Yield the objects that describe tools, in any of the APIs' lists."""
    if isinstance(value, list):
        for item in value:
            yield from _tools(item)
    elif isinstance(value, dict) and isinstance(value.get("name"), str):
        yield value
    elif isinstance(value, dict):
        yield from _tools([inner for inner in value.values() if isinstance(inner, dict | list)])


def _schema(tool: JsonObject) -> JsonValue:
    schema = next((tool[key] for key in SCHEMAS if key in tool), {})
    if isinstance(schema, dict) and schema.keys() == {"json"}:
        schema = schema["json"]
    return _lower(schema)


def _lower(schema: JsonValue) -> JsonValue:
    """Return a schema with types in lower case: Gemini's API writes them in capitals."""
    if isinstance(schema, list):
        return [_lower(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    own: JsonObject = {"type": kind.lower()} if isinstance(kind, str) else {}
    return {**{key: _lower(value) for key, value in schema.items()}, **own}
