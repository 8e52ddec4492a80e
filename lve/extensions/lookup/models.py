"""`lve models`: lists providers and known models, shows one, asks a server for its models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lve.cli.printing import View, print_line, print_view
from lve.cli.shared_options import json_option, shows
from lve.data_classes import dataclass
from lve.errors import UnknownModelError
from lve.file_names import MODELS_FILE
from lve.files.atomic_file import replace_file
from lve.files.inside import DOCUMENT_BYTES, read_regular
from lve.models.known_models import known_model, known_servers, price_of, scaled_price
from lve.models.known_tables import KnownModel, Table, read_table, tables
from lve.models.listing import list_models
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.settings.model_settings import Price
from lve.settings.settings import Settings
from lve.workspace import Workspace, display_path

SERVER_FIELDS = ("base_url", "api_key_env", "needs_key", "source", "api")
"""Fields of a known server that `lve models --json` prints."""
LABEL_WIDTH = 12
base_url_option = click.option(
    "--base-url", metavar="URL", help="URL of an OpenAI-compatible server."
)


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@json_option
@click.pass_context
def models(context: click.Context, as_json: bool) -> None:
    """List providers and known models, or show details of one.

    Only `lve models offered` sends anything.

    \b
    lve models
    lve models show openai/gpt-6-luna
    lve models offered ollama
    lve models update table.json
    """
    if context.invoked_subcommand is not None:
        return
    listing = Listing.of(choose_workspace(()).settings)
    print_view(View(listing.to_json, listing.lines()), as_json=as_json)


@models.command()
@click.argument("name")
@base_url_option
@shows
def show(name: str, base_url: str | None) -> View:
    """Show a model: its limits, its price, the parameters it refuses.

    \b
    lve models show openai/gpt-6-luna
    """
    settings = choose_workspace(()).settings
    model = known_model(name, settings)
    price = price_of(name, settings, base_url=base_url)
    if model is None and price is None:
        raise UnknownModelError(
            f"lve knows nothing about {name!r}: it sends requests unchanged, and learns which "
            "parameters the model refuses (docs/models.md). `lve models` lists the known models"
        )
    lines = (f"{label:<{LABEL_WIDTH}} {text}" for label, text in _lines(model, price))
    return View(lambda: {"name": name, **_described(model, price)}, lines)


@models.command()
@click.argument("name", metavar="PROVIDER")
@base_url_option
@shows
def offered(name: str, base_url: str | None) -> View:
    """List the models that a server offers (`/v1/models`).

    PROVIDER is openai, ollama, groq, ...; or a model of the settings, for its server.

    \b
    lve models offered ollama
    lve models offered openai --base-url http://localhost:8000/v1
    """
    import asyncio

    settings = choose_workspace(()).settings
    prefix = "" if name in settings.models else f"{name}/"
    served = asyncio.run(list_models(name, settings, base_url=base_url))
    names = [f"{prefix}{model}" for model in served]
    return View(lambda: {"models": names}, names)


@models.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def update(file: Path) -> None:
    """Install a table of models in the workspace.

    Checks FILE and copies it to lve.models.json beside lve.yaml. Its entries override lve's own
    table.

    \b
    lve models update table.json
    """
    workspace = choose_workspace(())
    table = read_table(file.absolute())
    target = workspace.root / MODELS_FILE
    replace_file(target, read_regular(file, DOCUMENT_BYTES))
    count = len({id(model) for model in table.by_name.values()})
    _print_taken(target, table, count, workspace)


def _print_taken(target: Path, table: Table, count: int, workspace: Workspace) -> None:
    print_line(f"{display_path(target)}: {amount(count, 'model')}, as of {table.date}")


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything that `lve models` lists."""

    settings: Settings
    by_name: dict[str, KnownModel]
    dates: list[str]

    @classmethod
    def of(cls, settings: Settings) -> Listing:
        """Return the listing of a workspace. If several tables have a name, the first one
        counts."""
        by_name: dict[str, KnownModel] = {}
        dates = []
        for table in tables(settings):
            dates.append(table.date)
            for name, model in table.by_name.items():
                if name not in table.patterns:
                    by_name.setdefault(name, model)
        return cls(settings, by_name, dates)

    def to_json(self) -> dict[str, object]:
        """Return the listing as JSON."""
        return {
            "dates": self.dates,
            "providers": {
                name: {field: getattr(server, field) for field in SERVER_FIELDS}
                for name, server in known_servers().items()
            },
            "settings": sorted(self.settings.models),
            "models": [
                {"name": name, **_described(model, model.price)}
                for name, model in self.by_name.items()
            ],
        }

    def lines(self) -> Iterator[str]:
        """Yield the listing for people, a line per entry."""
        yield "providers that need no settings:"
        for name, server in known_servers().items():
            key = server.api_key_env if server.needs_key else "no key needed"
            yield f"  {name}/NAME · {server.base_url} · {key}"
        if self.settings.models:
            yield "in the settings:"
            for name in sorted(self.settings.models):
                yield f"  {name}"
        yield f"known models (as of {', '.join(self.dates)}; {_price_words()}):"
        for name, model in self.by_name.items():
            parts = [_full_name(name, model), _limits(model), _price(model.price), _end(model)]
            yield "  " + " · ".join(filter(None, parts))


def _full_name(name: str, model: KnownModel) -> str:
    return name if "/" in name or model.provider is None else f"{model.provider}/{name}"


def _price_words() -> str:
    return "dollars per million tokens in/cached/out"


def _described(model: KnownModel | None, price: Price | None) -> dict[str, object]:
    fields: dict[str, object] = {} if model is None else model._asdict()
    if model is not None:
        fields["refuses"] = sorted(model.refuses)
    fields["price"] = price and {
        **price._asdict(),
        "long_prompts": price.long_prompts and price.long_prompts._asdict(),
    }
    return fields


def _lines(model: KnownModel | None, price: Price | None) -> Iterator[tuple[str, str]]:
    """Yield the facts about a model, each a label and a text."""
    if model is not None:
        yield "family", model.family
        yield "context", f"{model.context:,} tokens" if model.context else "not known"
        yield "answer", f"{model.max_output:,} tokens at most" if model.max_output else "not known"
        yield "refuses", ", ".join(sorted(model.refuses)) or "nothing known"
        if model.api is not None:
            words = {"responses": "the Responses API", "chat": "chat completions"}
            yield "asked by", words[model.api]
        yield "renames", _pairs(model.renames, " -> ")
        yield "defaults", _pairs(model.defaults, "=")
    yield "price", f"{_price(price)} ({_price_words()})" if price else "not known here"
    if price is not None and (long := price.long_prompts) is not None:
        yield "", f"{_price(Price(*long[1:]))} for prompts above {long.above:,} tokens"
    if price is not None and model is not None and model.batch_price is not None:
        yield "in batches", f"{_price(scaled_price(price, model.batch_price))} (lve run --batch)"
    if model is not None and model.ends:
        yield "ends", f"{model.ends}: its provider shuts it down"
    if model is not None and model.date:
        yield "as of", model.date
        for source in model.sources:
            yield "", source


def _pairs(values: Any, between: str) -> str:
    return ", ".join(f"{name}{between}{value}" for name, value in values.items()) or "none"


def _limits(model: KnownModel) -> str:
    return f"{model.context:,} tokens" if model.context else ""


def _end(model: KnownModel) -> str:
    return f"until {model.ends}" if model.ends else ""


def _price(price: Price | None) -> str:
    if price is None:
        return ""
    cached = "-" if price.cached_input is None else f"{price.cached_input:g}"
    return f"${price.input:g}/{cached}/{price.output:g}"
