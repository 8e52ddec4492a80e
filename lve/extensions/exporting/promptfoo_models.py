"""Names models as promptfoo does."""

from __future__ import annotations

from lve.models.known import known_model, known_servers
from lve.pipeline.model_args import base_args
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings
from lve.spec.spec import Spec

OWN = {"anthropic": "anthropic:messages", "gemini": "google", "openai": "openai:chat"}
"""Provider -> promptfoo's name of it. Others are servers with OpenAI's API."""
_CONFIG = frozenset(
    (
        *("temperature", "max_tokens", "max_completion_tokens", "top_p", "seed", "stop"),
        *("presence_penalty", "frequency_penalty", "response_format", "reasoning_effort"),
    )
)
"""Model args that are settings of promptfoo's, too. Others are passed on."""


def provider_of(name: str, spec: Spec, settings: Settings) -> dict[str, object] | None:
    """Return a model as a provider of promptfoo; None if it has none.

    Args:
        name: of the model.
        spec: the test, for this model.
        settings: the workspace's settings.
    """
    prefix, _, rest = name.partition("/")
    entry = settings.entry(name) or ModelSettings(provider=prefix)
    server, model = known_servers().get(entry.provider), entry.model or rest
    address = entry.base_url or (server.base_url if server and server.api == "openai" else None)
    if not model or (entry.provider not in OWN and address is None):
        return None
    traits = known_model(name, settings)
    renames = {**(traits.renames if traits else {}), **entry.renames}
    args = {renames.get(n, n): v for n, v in base_args(settings, name, spec).items()}
    config: dict[str, object] = {n: v for n, v in args.items() if n in _CONFIG and v is not None}
    if others := {n: v for n, v in args.items() if n not in _CONFIG and v is not None}:
        config["passthrough"] = others
    if address is not None:
        config["apiBaseUrl"] = address
    key = entry.api_key_env or (server.api_key_env if server else None)
    if key and address is not None:
        config["apiKeyEnvar"] = key
    return {"id": f"{OWN.get(entry.provider, OWN['openai'])}:{model}", "config": config}
