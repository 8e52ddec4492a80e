"""The output of `lve session cache stats` for a team's store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from lve.cli.printing import View
from lve.escape import one_line
from lve.extensions.store.address import place_of
from lve.extensions.store.state import StoredModel, models_in_store
from lve.verdicts.wording import amount


def store_stats(url: str) -> View:
    """Return the number of completions of each model in a store.

    Raises:
        SessionError: the store can't be used.
    """
    place, models = place_of(url), models_in_store(url)
    return View(lambda: _as_json(place, models), _lines(place, models))


def _lines(place: str, models: list[StoredModel]) -> Iterator[str]:
    yield f"the team's store {place}: {_megabytes(sum(model.size_bytes for model in models))}"
    yield amount(sum(model.entries for model in models), "completion")
    oldest = _oldest(models)
    if oldest is not None:
        yield f"the oldest is of {datetime.fromtimestamp(oldest):%Y-%m-%d %H:%M}"
    for model in models:
        name = one_line(model.model) or "(no name)"
        yield f"  {name}: {amount(model.entries, 'completion')}, {_megabytes(model.size_bytes)}"


def _as_json(place: str, models: list[StoredModel]) -> dict[str, object]:
    oldest = _oldest(models)
    return {
        "store": place,
        "entries": sum(model.entries for model in models),
        "oldest": oldest and datetime.fromtimestamp(oldest, UTC).isoformat(),
        "models": [
            {"model": model.model, "entries": model.entries, "size_bytes": model.size_bytes}
            for model in models
        ],
    }


def _oldest(models: list[StoredModel]) -> float | None:
    return min((model.oldest for model in models if model.oldest is not None), default=None)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
