"""The environment variables that models need: a worker gets these and no other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from lve.errors import LveError
from lve.models.known import servers
from lve.models.registry import provider_of
from lve.pipeline.cluster.messages import Variables
from lve.settings.settings import Settings

OF_PROVIDERS = {
    "openai": ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    "azure": ("AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"),
    "anthropic": ("ANTHROPIC_BASE_URL",),
    "gemini": ("GOOGLE_GEMINI_BASE_URL",),
}
"""What says where models are and whose the requests are."""
KEYS_OF_PROVIDERS = {
    "openai": ("OPENAI_API_KEY",),
    "azure": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
    "gemini": ("GOOGLE_API_KEY",),
}
"""Beside those in the table of known models."""
AWS = "AWS_"
"""How variables begin that AWS's own tools read."""


def variables_for(models: Iterable[str], settings: Settings) -> Variables:
    """Return the variables that models need, as far as they are set.

    Args:
        models: their names.
        settings: the workspace's.
    """
    names = {name for model in models for name in _names(model, settings)}
    return Variables({name: os.environ[name] for name in names if name in os.environ})


def _names(model: str, settings: Settings) -> Iterator[str]:
    try:
        provider = provider_of(model, settings)
    except LveError:  # a name that is sent to --base-url as it is
        provider = "openai"
    yield from OF_PROVIDERS.get(provider, ())
    entry, server = settings.models.get(model), servers().get(provider)
    if entry is not None and entry.api_key_env:
        yield entry.api_key_env
        return
    if provider == "bedrock":
        yield from (name for name in os.environ if name.startswith(AWS))
    yield from KEYS_OF_PROVIDERS.get(provider, ())
    if server is not None:
        yield server.api_key_env
