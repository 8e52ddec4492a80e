"""The key `models` of a test: names, or objects with values for one model alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lve.documents.position_types import JsonPath
from lve.documents.read import Document
from lve.errors import Problem
from lve.escape import excerpt
from lve.json_types import JsonValue
from lve.settings.settings import Caps
from lve.spec.expectation import expectation_of
from lve.spec.spec import ForModel

KEY = "models"
ARGS = "args"
TEST_KEYS = ("expect", "repeats", "timeout_s")
"""Keys of an entry that a test document has for all models."""


def names_in(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the models in a valid document."""
    if KEY in data:
        return tuple(entry["model"] if isinstance(entry, dict) else entry for entry in data[KEY])
    return (data["model"],) if data.get("model") else ()


def for_models(document: Document) -> dict[str, ForModel]:
    """Return model -> its own values, for the entries of a valid document that are objects."""
    return {
        entry["model"]: ForModel(
            args=entry.get(ARGS) or {},
            repeats=int(entry["repeats"]) if "repeats" in entry else None,
            expect=expectation_of(entry) if "expect" in entry else None,
            expect_position=document.at((*path, "expect")) if "expect" in entry else None,
            timeout_s=entry.get("timeout_s"),
        )
        for path, entry in entries_in(document.data)
    }


def entries_in(data: Mapping[str, Any]) -> Iterator[tuple[JsonPath, dict[str, Any]]]:
    """Yield path and value of each entry that is an object. The document may be invalid."""
    models = data.get(KEY)
    for number, entry in enumerate(models if isinstance(models, list) else ()):
        if isinstance(entry, dict):
            yield (KEY, number), entry


def without_overridden(entries: list[Any], data: Mapping[str, Any]) -> list[JsonValue]:
    """Return the `models` of a suite without the values that a test document overrides.

    Args:
        entries: the `models` of the suite.
        data: the test document.
    """
    own = data.get("default_model_args")
    own_args = own if isinstance(own, dict) else {}
    return [
        _without(entry, data, own_args) if isinstance(entry, dict) else entry for entry in entries
    ]


def _without(
    entry: Mapping[str, Any], data: Mapping[str, Any], own_args: Mapping[str, Any]
) -> dict[str, Any]:
    args = entry.get(ARGS) or {}
    left = {name: value for name, value in args.items() if name not in own_args}
    remaining = {
        key: setting
        for key, setting in entry.items()
        if key not in TEST_KEYS or data.get(key) is None
    }
    return {**remaining, ARGS: left}


def each_model_once(document: Document, _: Caps) -> Iterator[Problem]:
    """Yield a problem for each entry whose model an earlier entry has (a rule of
    `lve.spec.rules`)."""
    names: set[str] = set()
    models = document.data.get(KEY)
    for number, entry in enumerate(models if isinstance(models, list) else ()):
        name = entry.get("model") if isinstance(entry, dict) else entry
        if not isinstance(name, str):
            continue
        if name in names and entry not in models[:number]:  # the schema reports equal entries
            hint = "keep one entry for it; a `matrix` tries several values of a model arg"
            message = f"`{excerpt(name)}` is listed twice"
            yield document.problem(message, (KEY, number), hint=hint, code="model_entry")
        names.add(name)
