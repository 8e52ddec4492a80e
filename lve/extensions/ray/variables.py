"""The environment variables that models need. A worker gets these and no others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from lve.errors import LveError
from lve.extensions.ray.messages import Variables
from lve.models.known_models import known_servers
from lve.models.registry import provider_of
from lve.settings.settings import Settings

ADDRESS_VARIABLES = {
    "openai": ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    "azure": ("AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"),
}
"""Provider -> variables with its address and the user's organization, beside those in the table of
known models."""
KEY_VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "azure": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
}
"""Provider -> variables with keys, beside those in the table of known models."""
AWS_PREFIX = "AWS_"
"""The prefix of the variables that AWS's own tools read."""


def variables_for(models: Iterable[str], settings: Settings) -> Variables:
    """Return the variables that models need and that are set.

    Args:
        models: the models' names.
        settings: the workspace's settings.
    """
    names = {name for model in models for name in _names(model, settings)}
    return Variables({name: os.environ[name] for name in names if name in os.environ})


def _names(model: str, settings: Settings) -> Iterator[str]:
    try:
        provider = provider_of(model, settings)
    except LveError:  # a name without a provider, which is sent to --base-url
        provider = "openai"
    yield from ADDRESS_VARIABLES.get(provider, ())
    entry, server = settings.models.get(model), known_servers().get(provider)
    if server is not None:
        yield server.address_env
    if entry is not None:
        yield from _names_in(entry.options)
    if entry is not None and entry.api_key_env:
        yield entry.api_key_env
        return
    if provider == "bedrock":
        yield from (name for name in os.environ if name.startswith(AWS_PREFIX))
    yield from KEY_VARIABLES.get(provider, ())
    if server is not None:
        yield server.api_key_env
        yield server.other_key_env


def _names_in(options: object) -> Iterator[str]:
    """Yield the names of variables in the options of an application: the list `env`, and the values
    of `headers_env` and its like."""
    for key, value in options.items() if isinstance(options, Mapping) else ():
        if key == "env" and isinstance(value, list):
            yield from map(str, value)
        elif str(key).endswith("_env") and isinstance(value, Mapping):
            yield from map(str, value.values())
        else:
            yield from _names_in(value)
