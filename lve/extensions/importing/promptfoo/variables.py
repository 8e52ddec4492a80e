"""Reads the variables of tests: all combinations of their values, as rows."""

from __future__ import annotations

import re
from itertools import islice, product
from pathlib import PurePosixPath
from urllib.parse import parse_qsl

from lve.escape import excerpt
from lve.extensions.importing.promptfoo.source import BY_ITSELF, FILE, Source, UnsupportedError
from lve.extensions.importing.promptfoo.templates import filled, value_text

HUGGING_FACE = "huggingface://datasets/"
HUB_ROWS = "100"
"""promptfoo's default."""
MAX_HUB_ROWS = 100_000
_HUB_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?", re.ASCII)
TEXT_FILES = (
    *(".txt", ".md", ".json", ".sql", ".html", ".xml", ".csv", ".yaml", ".yml", ".log", ".rst"),
)
"""Endings of files that are a variable's value as they are; YAML becomes JSON."""
MAX_ROWS = 1_000
"""Maximum number of combinations of the values of one test's variables."""


def hub_of(source: Source, name: str) -> dict[str, object]:
    """Return the data set that an address names: `huggingface://datasets/ORG/NAME?split=test`.

    Raises:
        UnsupportedError: it has another form.
    """
    place, _, query = name.removeprefix(HUGGING_FACE).partition("?")
    options = dict(parse_qsl(query))
    if not _HUB_NAME.fullmatch(place) or set(options) - {"split", "subset", "config", "limit"}:
        raise UnsupportedError(f"left out: {excerpt(name)} is no data set of the hub")
    limit = options.get("limit", HUB_ROWS)
    if not limit.isdecimal() or not 0 < int(limit) <= MAX_HUB_ROWS:
        raise UnsupportedError(f"left out: {excerpt(name)} has no usable limit")
    source.tell(
        f"{place} is downloaded when the test runs, if lve.yaml has `allow_downloads: true`"
    )
    hub: dict[str, object] = {"hub": place, "split": options.get("split", "test")}
    if subset := options.get("subset", options.get("config")):
        hub["subset"] = subset
    return {**hub, "limit": int(limit)}


def rows_of(source: Source, variables: dict[str, object]) -> list[dict[str, str]]:
    """Return all combinations of the values of the variables."""
    choices = [
        [_value(source, name, choice) for choice in choices_of(source, value)]
        for name, value in variables.items()
    ]
    rows = list(islice(product(*choices), MAX_ROWS + 1))
    if len(rows) > MAX_ROWS:
        raise UnsupportedError(f"left out: its variables have more than {MAX_ROWS:,} combinations")
    if not rows:
        raise UnsupportedError("left out: a variable has no value")
    return [filled(dict(zip(variables, row, strict=True))) for row in rows]


def choices_of(source: Source, value: object) -> list[object]:
    """Return the values of a variable: of a list, or the files that a pattern fits."""
    if isinstance(value, list):
        return value
    if isinstance(value, str) and value.startswith(FILE) and "*" in value:
        return list(source.matching(value))
    return [value]


def _value(source: Source, name: str, value: object) -> str:
    source.step()
    if isinstance(value, str) and value.startswith(FILE):
        ending = PurePosixPath(value).suffix.lower()
        if ending not in TEXT_FILES:
            raise UnsupportedError(
                f"left out: its variable {name} is a file that isn't a text{BY_ITSELF}"
            )
        is_yaml = ending in (".yaml", ".yml")
        value = source.data(value) if is_yaml else source.text(value).strip()
    return value_text(value).removesuffix("\n")  # as in promptfoo
