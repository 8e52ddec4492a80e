"""Looks up models: the args that they refuse or rename, limits, prices and shutdown dates.

The settings override the workspace's table, which overrides the table that ships with lve.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from lve.models.known_tables import KnownModel, Provider, shipped_table, tables
from lve.settings.model_settings import OFFLINE_PROVIDERS, LongPrompts, ModelSettings, Price
from lve.settings.settings import Settings

OPENAI_ADDRESS = "OPENAI_BASE_URL"
"""The environment variable that replaces the address of OpenAI's server."""


def known_servers() -> Mapping[str, Provider]:
    """Return the known servers, whose models need no settings: `groq` of `groq/NAME` -> server."""
    return shipped_table().providers


def known_model(name: str, settings: Settings) -> KnownModel | None:
    """Return what the tables and the settings say about a model, None if nothing.

    Args:
        name: the name that the user gave.
        settings: the workspace's settings; they override the tables.

    Raises:
        SettingsError: the workspace's table is invalid.
    """
    entry = settings.models.get(name)
    provider = entry.provider if entry else name.partition("/")[0]
    if name == "replay" or provider in OFFLINE_PROVIDERS:
        return None
    full = f"{provider}/{entry.model}" if entry and entry.model else name
    matches = (table.find(full.lower()) for table in tables(settings))
    traits = next((model for model in matches if model is not None), None)
    return traits if entry is None else _with_settings(traits, entry)


def api_of(name: str, settings: Settings) -> Literal["chat", "responses"] | None:
    """Return which of OpenAI's APIs to use for a model; None if it isn't known.

    The settings decide, then the tables, if the model runs at its own provider or on Azure: other
    servers have chat completions for all their models.

    Args:
        name: the name that the user gave.
        settings: the workspace's settings.
    """
    entry = _entry(name, settings)
    if entry.api is not None:
        return entry.api
    traits = known_model(name, settings)
    return traits.api if traits and entry.provider in (traits.provider, "azure") else None


def price_of(name: str, settings: Settings, *, base_url: str | None = None) -> Price | None:
    """Return a model's price, None if it isn't known.

    The settings decide, then the tables, if requests go to the provider whose price they list.

    Args:
        name: the name that the user gave.
        settings: the workspace's settings.
        base_url: the server given on the command line (`--base-url`).
    """
    entry = _entry(name, settings)
    if entry.price is not None:
        return entry.price
    traits = _known_at_provider(name, settings, entry, base_url)
    return traits.price if traits else None


def shutdown_date(name: str, settings: Settings, *, base_url: str | None = None) -> date | None:
    """Return the day on which the provider shuts a model down; None if it isn't known, or if
    requests go to another server. Arguments as for `price_of`."""
    entry = _entry(name, settings)
    traits = _known_at_provider(name, settings, entry, base_url)
    return date.fromisoformat(traits.ends) if traits and traits.ends else None


def _entry(name: str, settings: Settings) -> ModelSettings:
    return settings.models.get(name) or ModelSettings(provider=name.partition("/")[0])


def _known_at_provider(
    name: str, settings: Settings, entry: ModelSettings, base_url: str | None
) -> KnownModel | None:
    """Return a model's entry in the tables; None if requests go to another server than that of the
    model's provider."""
    traits = known_model(name, settings)
    is_elsewhere = base_url or entry.base_url or traits is None or traits.provider != entry.provider
    return None if is_elsewhere or _is_redirected(entry.provider) else traits


def batch_price_of(name: str, settings: Settings, *, base_url: str | None = None) -> Price | None:
    """Return a model's price in batches; arguments as for `price_of`. A price in the settings has
    no discount."""
    price = price_of(name, settings, base_url=base_url)
    entry, traits = settings.models.get(name), known_model(name, settings)
    if price is None or traits is None or traits.batch_price is None or (entry and entry.price):
        return price
    return scaled_price(price, traits.batch_price)


def scaled_price(price: Price, factor: float) -> Price:
    """Return a price multiplied by `factor`."""
    long, cached = price.long_prompts, price.cached_input
    return Price(
        price.input * factor,
        price.output * factor,
        None if cached is None else cached * factor,
        None
        if long is None
        else LongPrompts(long.above, *scaled_price(Price(*long[1:]), factor)[:3]),
    )


def _is_redirected(provider: str) -> bool:
    """Return whether an environment variable replaces the provider's address."""
    import os

    server = known_servers().get(provider)
    variable = OPENAI_ADDRESS if provider == "openai" else server.address_env if server else ""
    return bool(os.environ.get(variable))


def _with_settings(traits: KnownModel | None, entry: ModelSettings) -> KnownModel | None:
    if not (entry.refuses or entry.renames):
        return traits
    traits = traits or KnownModel(
        "lve.yaml", None, frozenset(), {}, {}, None, None, None, None, None, None, (), ""
    )
    return traits._replace(
        refuses=traits.refuses.union(entry.refuses), renames={**traits.renames, **entry.renames}
    )
