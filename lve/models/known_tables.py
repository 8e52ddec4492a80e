"""Reads the tables of known models.

One ships with lve (`known_models.json`). A workspace can have its own, `lve.models.json` beside
`lve.yaml`, which `lve models update` writes. Both follow `schemas/models.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from lve.documents.json_text import decode_written
from lve.documents.read import Document, read_document
from lve.documents.validation.schema import validate
from lve.errors import Problem, SettingsError, SpecError
from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple
from lve.settings.model_settings import Price, price_from
from lve.settings.settings import Settings

TABLE = Path(__file__).with_name("known_models.json")
MAX_CACHED = 1000


class Provider(NamedTuple):
    """A known server, whose models need no settings: `groq/NAME`."""

    base_url: str
    api_key_env: str
    needs_key: bool
    """Whether it refuses requests without a key."""
    source: str
    """URL of the page that documents this."""
    api: str = "openai"
    """The API that it has: `openai`, or the name of an extension's part that makes its models."""
    other_key_env: str = ""
    """The variable with its key if `api_key_env` is empty."""
    address_env: str = ""
    """The variable that replaces `base_url`."""
    hosts: Sequence[str] = ()
    """The hosts to which its key may be sent even if only settings name them."""
    key_prefixes: Sequence[str] = ()
    """Beginnings of the names of variables with its keys, beside that of `api_key_env`."""
    also: Sequence[str] = ()
    """Its names in other tools."""


class KnownModel(NamedTuple):
    """A model's entry in the tables."""

    family: str
    provider: str | None
    """The provider whose price `price` is."""
    refuses: frozenset[str]
    renames: Mapping[str, str]
    """Model arg -> the model's name for it."""
    defaults: Mapping[str, object]
    """Model arg -> the value that the provider assumes if none is sent."""
    context: int | None
    """Maximum number of tokens of prompt and answer together."""
    max_output: int | None
    price: Price | None
    batch_price: float | None
    """Price in batches as a fraction of `price`."""
    api: Literal["chat", "responses"] | None
    """The only one of OpenAI's APIs that serves the model; None if both do."""
    ends: str | None
    """The day on which the provider shuts the model down, if announced."""
    sources: tuple[str, ...]
    date: str


class Table(NamedTuple):
    """One table of models."""

    date: str
    providers: Mapping[str, Provider]
    by_name: Mapping[str, KnownModel]
    """Name or glob pattern -> the model."""
    patterns: tuple[str, ...]
    """The keys of `by_name` that are patterns."""

    def find(self, full: str) -> KnownModel | None:
        """Return the entry for a lower-case name such as `groq/openai/gpt-oss-20b`."""
        last = full.rpartition("/")[2]
        model = self.by_name.get(full) or self.by_name.get(last)
        if model is not None:
            return model
        pattern = _matching(self.patterns, full, last)
        return None if pattern is None else self.by_name[pattern]


@lru_cache(maxsize=64)
def _matching(patterns: tuple[str, ...], full: str, last: str) -> str | None:
    """Return the first pattern of a name. Cached, because it is asked for many times per test."""
    matches = (p for p in patterns if fnmatchcase(full if "/" in p else last, p))
    return next(matches, None)


@lru_cache(maxsize=1)
def shipped_table() -> Table:
    """Return the table that ships with lve."""
    return table_from(decode_written(TABLE.read_text(encoding="utf-8")))


def provider_called(name: str) -> str | None:
    """Return the known server that other tools call `name`; None if there is none."""
    servers = shipped_table().providers.items()
    return next((own for own, server in servers if name in server.also), None)


@lru_cache(maxsize=MAX_CACHED)
def read_table(file: Path) -> Table:
    """Return a workspace's table.

    Raises:
        SettingsError: the table is invalid. The message lists all problems, one per line.
    """
    try:
        document = read_document(file)
        problems = validate(document, "models") or [
            *_provider_problems(document.data, file),
            *_impossible_days(document),
        ]
    except SpecError as error:
        raise SettingsError(str(error), code=error.code) from None
    if problems:
        raise SettingsError("\n".join(map(str, problems)), code="model_table")
    return table_from(document.data)


def table_from(data: Mapping[str, Any]) -> Table:
    """Return the table in a document that has been validated."""
    by_name: dict[str, KnownModel] = {}
    for name, model in _models(data):
        by_name.setdefault(name, model)
    return Table(
        data["date"],
        {name: Provider(**fields) for name, fields in data.get("providers", {}).items()},
        by_name,
        tuple(name for name in by_name if "*" in name or "?" in name),
    )


def tables(settings: Settings) -> Iterator[Table]:
    """Yield the tables to search, in order: the workspace's own, if any, then lve's.

    Raises:
        SettingsError: the workspace's table is invalid.
    """
    if settings.known_models is not None:
        yield read_table(settings.known_models)
    yield shipped_table()


def _models(data: Mapping[str, Any]) -> Iterator[tuple[str, KnownModel]]:
    for family in data["families"]:
        for model in family["models"]:
            traits = KnownModel(
                family=family["name"],
                provider=family.get("provider"),
                refuses=frozenset(family.get("refuses", ())),
                renames=family.get("renames", {}),
                defaults=family.get("defaults", {}),
                context=model.get("context"),
                max_output=model.get("max_output"),
                price=price_from(model.get("price")),
                batch_price=family.get("batch_price"),
                api=model.get("api"),
                ends=model.get("ends"),
                sources=tuple(family["sources"]),
                date=family["date"],
            )
            for name in model["names"]:
                yield name.lower(), traits


def _impossible_days(document: Document) -> Iterator[Problem]:
    """Yield a problem per impossible date such as 2026-02-30; the schema checks only the form."""
    days: list[tuple[tuple[str | int, ...], str]] = [(("date",), document.data["date"])]
    for i, family in enumerate(document.data["families"]):
        days.append((("families", i, "date"), family["date"]))
        for k, model in enumerate(family["models"]):
            if "ends" in model:
                days.append((("families", i, "models", k, "ends"), model["ends"]))
    for place, day in days:
        try:
            date.fromisoformat(day)
        except ValueError:
            yield document.problem(f"no calendar has the day {day}", place, code="model_table")


def _provider_problems(data: JsonObject, file: Path) -> list[Problem]:
    """Return a problem if a workspace's table names servers: the table may come with a clone, and
    keys would be sent there."""
    if "providers" not in data:
        return []
    hint = "name the server in lve.yaml: `models: {NAME: {base_url: URL, api_key_env: NAME}}`"
    return [
        Problem("only lve's own table can have `providers`", file, hint=hint, code="model_table")
    ]
