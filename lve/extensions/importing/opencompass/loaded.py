"""Has OpenCompass' or AISBench's own classes load the rows of data sets, in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lve.data_classes import dataclass, field
from lve.documents.json_text import has_lone_surrogate
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.extensions.importing.boxes.box import BoxError, BoxOptions, run_in_box, tool_of_package
from lve.extensions.importing.opencompass.data_sets import DataSet
from lve.extensions.importing.opencompass.package import NAMES
from lve.extensions.importing.opencompass.rows import (
    TEST,
    TRAIN,
    NoRowsError,
    columns_of,
    files_of,
    jsonl,
    splits_of,
)
from lve.json_types import JsonObject

EACH_S = 120
"""Seconds for one data set."""
MAX_COLUMNS = 1_000


@dataclass(slots=True)
class Loaded:
    """The rows of one data set."""

    rows: dict[str, list[JsonObject]] = field(default_factory=lambda: {TEST: [], TRAIN: []})
    why: str = ""
    """Why they can't be used; empty if they can."""
    is_whole: bool = False
    """Whether the last one has arrived."""


def loaded_files(
    data_set: DataSet, data: Path | None, loaded: Loaded | None
) -> dict[str, str | bytes]:
    """Return the files with the rows of a test: those that were loaded, or of a folder; none
    without either.

    Raises:
        NoRowsError: there are none where there should be some.
    """
    if loaded is None:
        return {} if data is None else files_of(data_set, data)
    if loaded.why or not loaded.rows[TEST]:
        raise NoRowsError(loaded.why or "its loader gives no rows")
    return {file: jsonl(loaded.rows[split]) for file, split in splits_of(data_set).items()}


def load_rows(
    data_sets: Sequence[DataSet], options: BoxOptions, folder: Path | None
) -> list[Loaded]:
    """Return the rows of data sets, each as its class loads them.

    Args:
        data_sets: of the configurations.
        options: what the user allows.
        folder: that the classes may read; `data/gsm8k` is in it, or in what it is named `data` for.

    Raises:
        UsageError: the tool isn't set up.
    """
    loaded = [
        Loaded(why="" if data_set.config.get("type") else "it names no loader")
        for data_set in data_sets
    ]
    for package in dict.fromkeys(data_set.package for data_set in data_sets):
        numbers = [number for number, each in enumerate(data_sets) if each.package == package]
        parts = [data_sets[number] for number in numbers], [loaded[number] for number in numbers]
        _load(package, *parts, options, folder)
    return loaded


def _load(
    package: str,
    data_sets: Sequence[DataSet],
    loaded: Sequence[Loaded],
    options: BoxOptions,
    folder: Path | None,
) -> None:
    """Add the rows of the data sets of a package."""
    home = None if folder is None else folder.absolute()
    request = {
        "package": package,
        "data_sets": [data_set.config for data_set in data_sets],
        "limit": options.limit,
        "each_s": EACH_S,
        "home": "." if home is None else str(home.parent if home.name == "data" else home),
    }
    program = extension_part("program of loaders")
    why = "has ended without an end"
    tool = tool_of_package(package)
    assert tool is not None
    try:
        for line in run_in_box(tool, program, request, options, folder=home):
            _add(line, loaded, data_sets)
    except BoxError as error:
        why = str(error)
    for each in loaded:
        if not each.is_whole:
            each.why = each.why or f"{NAMES[package]} {why}"


def _add(line: JsonObject, loaded: Sequence[Loaded], data_sets: Sequence[DataSet]) -> None:
    """Add what a line says, which is checked like any foreign data."""
    number, row, split = line.get("of"), line.get("row"), line.get("split")
    if not isinstance(number, int) or not 0 <= number < len(loaded):
        return
    if line.get("kind") == "failed":
        loaded[number].why = excerpt(str(line.get("why")), 300)
    elif line.get("kind") == "whole":
        loaded[number].is_whole = True
    elif not isinstance(row, dict) or len(row) > MAX_COLUMNS or split not in (TEST, TRAIN):
        loaded[number].why = "a row is none"
    elif missing := [name for name in columns_of(data_sets[number]) if name not in row]:
        loaded[number].why = f"a row has no {', '.join(missing)}"
    elif has_lone_surrogate(row):
        loaded[number].why = "a row has half of a character"
    else:
        loaded[number].rows[str(split)].append(row)
