"""Interprets the `dataset` key: its row sources, and the tables of a test with `infer_cfg`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from lve.data.dataset_selection import SelectedRows, Selection
from lve.data.hub_access import is_hub_name
from lve.data.row_sources import FileRows, JsonlRows, JsonRows, ListedRows, RowSource
from lve.data.rows import ROW_READERS
from lve.documents.position_types import Position
from lve.errors import MissingExtraError, Problem, SpecError
from lve.escape import listed
from lve.spec.location import Unusable, place_of_file
from lve.spec.settings_file import load_workspace_from
from lve.spec.spec import SOURCE_KEYS, Spec, splits_in
from lve.suggest import did_you_mean
from lve.workspace import display_path

LARGE_JSON_BYTES = 1_000_000
"""Larger JSON files are read row by row."""
_SELECTION = tuple(f.name for f in fields(Selection))


def splits_of(spec: Spec) -> Mapping[str, RowSource] | RowSource:
    """Return split -> row source for a test, or its single row source.

    Raises:
        SpecError: a file can't be used.
    """
    data, splits = spec.dataset, splits_in(spec.dataset)
    if not splits:
        return _source(spec, data, "$.dataset", {})
    shared = {key: data[key] for key in _SELECTION if key in data}
    return {
        name: _source(spec, source, f"$.dataset.{name}", shared) for name, source in splits.items()
    }


def instance_source(spec: Spec) -> RowSource:
    """Return the rows that become the instances of a test without `infer_cfg`.

    Raises:
        SpecError: a file can't be used, or the data set has splits but none called `test`.
    """
    splits = splits_of(spec)
    if isinstance(splits, RowSource):
        return splits
    if "test" not in splits:
        suggestion = next(
            (hint for name in splits if (hint := did_you_mean(name, SOURCE_KEYS))), None
        )
        message = f"has no split `test`, only {listed(splits)}"
        file = display_path(spec.file)
        raise SpecError(
            [Problem(message, file, path="$.dataset", hint=suggestion, code="dataset_source")]
        )
    return splits["test"]


def _source(spec: Spec, value: object, path: str, shared: Mapping[str, object]) -> RowSource:
    if isinstance(value, Mapping):
        source_keys = {**shared, **value}
    else:
        source_keys = {**shared, "rows" if isinstance(value, list) else "path": value}
    if sum(key in source_keys for key in SOURCE_KEYS) != 1:
        raise SpecError([_problem(spec, "needs one of `path`, `rows`, `hub`", path)])
    source: RowSource
    if "rows" in source_keys:
        source = ListedRows(source_keys["rows"], spec.file.name)
    elif "path" in source_keys:
        source = _file(spec, source_keys["path"], source_keys.get("format"), path)
    else:
        source = hub_rows(spec, source_keys, path)
    selection = {key: source_keys[key] for key in _SELECTION if key in source_keys}
    place = Position(display_path(spec.file), path=f"{path}.where")
    return SelectedRows(source, Selection(**selection), place) if selection else source


def _file(spec: Spec, name: str, form: str | None, path: str) -> RowSource:
    ending = f".{form}" if form else Path(name).suffix.lower()
    if ending not in ROW_READERS:
        hint = f"known are {', '.join(ROW_READERS)}"
        raise SpecError([_problem(spec, f"a data set can't be a `{ending}` file", path, hint)])
    if isinstance(place := place_of_file(spec.folder, name, spec.app_files), Unusable):
        raise SpecError([_problem(spec, f"`{name}` {place.reason}", path, place.hint)])
    rows: FileRows
    if ending == ".jsonl":
        rows = JsonlRows(*place)
    elif ending == ".json" and place.path.stat().st_size > LARGE_JSON_BYTES:
        rows = JsonRows(*place)
    else:
        rows = FileRows(*place, ending)
    rows.name = name
    return rows


def hub_rows(spec: Spec, source_keys: Mapping[str, Any], path: str) -> ListedRows:
    """Return the rows of a data set on the Hugging Face hub; downloads it if necessary.

    Raises:
        SpecError: the settings don't allow downloads, or the data set can't be loaded.
        MissingExtraError: the package `datasets` isn't installed (`lve[datasets]`).
    """
    name = source_keys["hub"]
    settings = load_workspace_from(Path.cwd(), spec.root).settings
    if not settings.allow_downloads:
        hint = "the maintainer can set `allow_downloads: true` in lve.yaml"
        if not settings.is_own:
            hint += f", which applies when you run lve in {display_path(spec.root)}"
        message = f"the data set {name!r} would have to be downloaded"
        raise SpecError([_problem(spec, message, path, hint, code="dataset_hub")])
    if not is_hub_name(name) or Path(name).exists():
        # If there is a local folder of that name, the package would read that.
        message = f"{name!r} isn't the name of a data set on the hub"
        hint = "OWNER/NAME; files of the test folder are `path`"
        raise SpecError([_problem(spec, message, path, hint, code="dataset_hub")])
    try:
        import datasets
    except ImportError as error:
        raise MissingExtraError(
            "data sets of the Hugging Face hub need: pip install 'lve[datasets]'"
        ) from error
    try:
        # trust_remote_code stays off, so that a data set's own script never runs.
        table = datasets.load_dataset(
            name, source_keys.get("subset"), split=source_keys.get("split", "test")
        )
    except Exception as error:  # the package raises many kinds of errors
        raise SpecError(
            [_problem(spec, f"can't load {name!r}: {error}", path, code="dataset_hub")]
        ) from error
    return ListedRows(table, f"hub:{name}")


def _problem(
    spec: Spec, message: str, path: str, hint: str | None = None, *, code: str = "dataset_source"
) -> Problem:
    return Problem(message, display_path(spec.file), path=path, hint=hint, code=code)
