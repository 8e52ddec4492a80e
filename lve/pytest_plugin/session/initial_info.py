"""Writes down at the start which tests a session runs, so that `lve run --resume` can continue it
even if it is killed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from lve.error_boundary import error_boundary
from lve.errors import LveError
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import models_of
from lve.pytest_plugin.item_protocol import LveItem, Marked
from lve.sessions.provenance import hashes_of
from lve.sessions.session_info import SessionInfo
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec

Pair = tuple[str, str]
"""A test and a model."""


def initial_info(
    items: Iterable[LveItem], options: RunOptions, settings: Settings, *, deselected: int = 0
) -> SessionInfo:
    """Return the fields of `session.json` that list the tests, models and selected instances.

    Args:
        items: all items that pytest has selected, those of other shards included.
        options: the options of the session.
        settings: the settings of the workspace.
        deselected: how many items pytest has deselected.
    """
    specs: dict[str, Spec] = {}
    selected: dict[Pair, list[Instance]] = {}
    totals: dict[str, int] = {}
    is_skipped = Marked(lambda mark: mark.name == "skip")
    for item in items:
        if item.model is not None and not is_skipped(item):
            specs[item.spec.path] = item.spec
            totals[item.spec.path] = item.collected
            selected.setdefault((item.spec.path, item.model), []).extend(item.selected)
    return {
        "paths": [str(spec.file) for spec in specs.values()],
        "models": list(dict.fromkeys(model for _, model in selected)),
        "tests": _hashes(specs.values()),
        "selected": [
            {"test": spec.path, "model": model, "instances": _places(instances)}
            for spec in specs.values()
            for model in _models(spec, options, settings)
            if len(instances := selected.get((spec.path, model), [])) < totals[spec.path]
        ],
        **({"deselected": deselected} if deselected else {}),
    }


def _models(spec: Spec, options: RunOptions, settings: Settings) -> Iterator[str]:
    with suppress(LveError):
        yield from models_of(spec, options, settings)


def _hashes(specs: Iterable[Spec]) -> dict[str, dict[str, str]]:
    """Return the hashes of the tests' files. Errors are left out: preparing the test reports
    them."""
    hashes = {}
    for spec in specs:
        with suppress(LveError), error_boundary("hashing the test's files"):
            hashes[spec.path] = hashes_of(spec)
    return hashes


def _places(instances: Iterable[Instance]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for instance in instances:
        places.setdefault(instance.source, []).append(instance.line)
    return places
