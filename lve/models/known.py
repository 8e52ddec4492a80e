"""What is known of models: which args they refuse or rename, their limits and prices.

The table that comes with lve is `known_models.json`. A workspace's own, `lve.models.json` beside
`lve.yaml`, goes before it; `lve models update` writes it. Both are as `schemas/models.schema.json`
says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from lve.documents.json_text import decode_written
from lve.errors import Problem, SettingsError, SpecError
from lve.workspace import OFFLINE_PROVIDERS, ModelSettings, Price, Settings, price_from

TABLE = Path(__file__).with_name("known_models.json")
MAX_CACHED = 1000


class Provider(NamedTuple):
    """A server that can be named without settings: `groq/NAME`."""

    base_url: str
    api_key_env: str
    needs_key: bool
    """Whether it refuses requests without a key."""
    source: str
    """Page that says so."""


class KnownModel(NamedTuple):
    """What the tables say of a model."""

    family: str
    provider: str | None
    """The provider whose price it is."""
    refuses: frozenset[str]
    renames: Mapping[str, str]
    """Model arg -> the name under which the model takes it."""
    defaults: Mapping[str, Any]
    """Model arg -> the value that counts when none is sent."""
    context: int | None
    """Most tokens of prompt and answer together."""
    max_output: int | None
    price: Price | None
    ends: str | None
    """The day on which the provider shuts it down, as far as it has said."""
    sources: tuple[str, ...]
    date: str


class Table(NamedTuple):
    """One table of models."""

    date: str
    providers: Mapping[str, Provider]
    by_name: Mapping[str, KnownModel]
    """Name or pattern -> the model."""
    patterns: tuple[str, ...]
    """Those of the names that are patterns."""

    def find(self, full: str) -> KnownModel | None:
        """Return the model of a name such as `groq/openai/gpt-oss-20b`, in lower case."""
        last = full.rpartition("/")[2]
        found = self.by_name.get(full) or self.by_name.get(last)
        if found is not None:
            return found
        for pattern in self.patterns:
            if fnmatchcase(full if "/" in pattern else last, pattern):
                return self.by_name[pattern]
        return None


@lru_cache(maxsize=1)
def shipped_table() -> Table:
    """Return the table that comes with lve."""
    return table_from(decode_written(TABLE.read_text(encoding="utf-8")))


def servers() -> Mapping[str, Provider]:
    """Return the servers that need no settings, by the word before the first `/` of a name."""
    return shipped_table().providers


@lru_cache(maxsize=MAX_CACHED)
def read_table(file: Path) -> Table:
    """Return the table of a workspace.

    Raises:
        SettingsError: it can't be used; with all problems, one per line.
    """
    from lve.documents.read import read_document
    from lve.documents.schema import validate

    try:
        document = read_document(file)
        problems = validate(document, "models") or _only_ours(document.data, file)
    except SpecError as error:
        raise SettingsError(str(error)) from None
    if problems:
        raise SettingsError("\n".join(map(str, problems)))
    return table_from(document.data)


def table_from(data: Mapping[str, Any]) -> Table:
    """Return the table in a valid document."""
    by_name: dict[str, KnownModel] = {}
    for name, model in _models(data):
        by_name.setdefault(name, model)
    return Table(
        data["date"],
        {name: Provider(**one) for name, one in data.get("providers", {}).items()},
        by_name,
        tuple(name for name in by_name if "*" in name or "?" in name),
    )


def tables(settings: Settings) -> Iterator[Table]:
    """Yield the tables that hold in a workspace, the first to ask first.

    Raises:
        SettingsError: the workspace's own can't be used.
    """
    if settings.known_models is not None:
        yield read_table(settings.known_models)
    yield shipped_table()


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
    known = known_model(name, settings)
    is_elsewhere = base_url or entry.base_url or known is None or known.provider != entry.provider
    if is_elsewhere or known is None or (entry.provider == "openai" and _is_redirected()):
        return None
    return known.price


def _is_redirected() -> bool:
    """Whether the environment names another server than OpenAI's."""
    import os

    return bool(os.environ.get("OPENAI_BASE_URL"))


def _with_settings(known: KnownModel | None, entry: ModelSettings) -> KnownModel | None:
    if not (entry.refuses or entry.renames):
        return known
    known = known or KnownModel(
        "lve.yaml", None, frozenset(), {}, {}, None, None, None, None, (), ""
    )
    return known._replace(
        refuses=known.refuses.union(entry.refuses), renames={**known.renames, **entry.renames}
    )


def _models(data: Mapping[str, Any]) -> Iterator[tuple[str, KnownModel]]:
    for family in data["families"]:
        for model in family["models"]:
            known = KnownModel(
                family=family["name"],
                provider=family.get("provider"),
                refuses=frozenset(family.get("refuses", ())),
                renames=family.get("renames", {}),
                defaults=family.get("defaults", {}),
                context=model.get("context"),
                max_output=model.get("max_output"),
                price=price_from(model.get("price")),
                ends=model.get("ends"),
                sources=tuple(family["sources"]),
                date=family["date"],
            )
            for name in model["names"]:
                yield name, known


def _only_ours(data: Mapping[str, Any], file: Path) -> list[Problem]:
    """Refuse servers in a workspace's table: it may have come with a clone."""
    if "providers" not in data:
        return []
    hint = "name the server in lve.yaml: `models: {NAME: {base_url: URL, api_key_env: NAME}}`"
    return [Problem("only lve's own table can have `providers`", file, hint=hint)]
