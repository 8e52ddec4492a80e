"""What is known of models: which args they refuse or rename, their limits and prices.

The settings win over the workspace's table, and that over the one that comes with lve.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from lve.models.tables import KnownModel, Provider, shipped_table, tables
from lve.workspace import OFFLINE_PROVIDERS, LongPrompts, ModelSettings, Price, Settings

ADDRESS_VARIABLES = {
    "openai": "OPENAI_BASE_URL",
    "anthropic": "ANTHROPIC_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
}
"""Provider -> the variable in which the user names another server for it."""


def servers() -> Mapping[str, Provider]:
    """Return the servers that need no settings, by the word before the first `/` of a name."""
    return shipped_table().providers


def known_model(name: str, settings: Settings) -> KnownModel | None:
    """Return what is known of a model: the settings win over the tables.

    Args:
        name: as the user gave it.
        settings: the workspace's.

    Raises:
        SettingsError: the workspace's table can't be used.
    """
    entry = settings.models.get(name)
    provider = entry.provider if entry else name.partition("/")[0]
    if name == "replay" or provider in OFFLINE_PROVIDERS:
        return None
    full = f"{provider}/{entry.model}" if entry and entry.model else name
    found = (table.find(full.lower()) for table in tables(settings))
    known = next((model for model in found if model is not None), None)
    return known if entry is None else _with_settings(known, entry)


def api_of(name: str, settings: Settings) -> Literal["chat", "responses"] | None:
    """Return which of OpenAI's APIs a model is to be asked by: as the settings say, or as it needs
    at its provider and on Azure; None if that isn't known. Other servers have chat completions for
    all their models.

    Args:
        name: as the user gave it.
        settings: the workspace's.
    """
    entry = settings.models.get(name) or ModelSettings(provider=name.partition("/")[0])
    if entry.api is not None:
        return entry.api
    known = known_model(name, settings)
    return known.api if known and entry.provider in (known.provider, "azure") else None


def price_of(name: str, settings: Settings, *, base_url: str | None = None) -> Price | None:
    """Return a model's price: the settings', or the tables' if it is asked at the address of the
    provider whose price it is.

    Args:
        name: as the user gave it.
        settings: the workspace's.
        base_url: of the command line.
    """
    entry = settings.models.get(name) or ModelSettings(provider=name.partition("/")[0])
    if entry.price is not None:
        return entry.price
    known = _known_at_home(name, settings, entry, base_url)
    return known.price if known else None


def end_of(name: str, settings: Settings, *, base_url: str | None = None) -> date | None:
    """Return the day on which a model's provider shuts it down; None if none is known, or if it is
    asked somewhere else. Arguments as for `price_of`."""
    entry = settings.models.get(name) or ModelSettings(provider=name.partition("/")[0])
    known = _known_at_home(name, settings, entry, base_url)
    return date.fromisoformat(known.ends) if known and known.ends else None


def _known_at_home(
    name: str, settings: Settings, entry: ModelSettings, base_url: str | None
) -> KnownModel | None:
    """Return what is known of a model that is asked at the address of its family's provider."""
    known = known_model(name, settings)
    is_elsewhere = base_url or entry.base_url or known is None or known.provider != entry.provider
    return None if is_elsewhere or _is_redirected(entry.provider) else known


def batch_price_of(name: str, settings: Settings, *, base_url: str | None = None) -> Price | None:
    """Return a model's price in batches; arguments as for `price_of`. The settings' own price is
    taken as it is."""
    price = price_of(name, settings, base_url=base_url)
    entry, known = settings.models.get(name), known_model(name, settings)
    if price is None or known is None or known.batch_price is None or (entry and entry.price):
        return price
    return part_of(price, known.batch_price)


def part_of(price: Price, factor: float) -> Price:
    """Return a part of a price."""
    long, cached = price.long_prompts, price.cached_input
    return Price(
        price.input * factor,
        price.output * factor,
        None if cached is None else cached * factor,
        None if long is None else LongPrompts(long.above, *part_of(Price(*long[1:]), factor)[:3]),
    )


def _is_redirected(provider: str) -> bool:
    """Whether the environment names another server than the provider's."""
    import os

    return bool(os.environ.get(ADDRESS_VARIABLES.get(provider, "")))


def _with_settings(known: KnownModel | None, entry: ModelSettings) -> KnownModel | None:
    if not (entry.refuses or entry.renames):
        return known
    known = known or KnownModel(
        "lve.yaml", None, frozenset(), {}, {}, None, None, None, None, None, None, (), ""
    )
    return known._replace(
        refuses=known.refuses.union(entry.refuses), renames={**known.renames, **entry.renames}
    )
