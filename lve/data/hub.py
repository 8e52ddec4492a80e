"""Loads data sets from the Hugging Face hub (extra `lve[datasets]`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lve.data.row_sources import RowSource
from lve.data.rows import Row
from lve.errors import MissingExtraError, Problem, SpecError
from lve.hub_access import is_hub_name
from lve.spec.model import Spec
from lve.workspace import display_path


class HubRows(RowSource):
    """Rows of one split, which the package `datasets` keeps on disk."""

    def __init__(self, table: Any, name: str) -> None:
        self.table = table
        self.name = name

    def __len__(self) -> int:
        return len(self.table)

    def records(self) -> Iterator[Row | Problem]:
        """Yield the rows; the line is the row's number."""
        return (Row(values, n) for n, values in enumerate(self.table, 1))

    def record(self, position: int) -> Row:
        """Return one row."""
        if not 0 <= position < len(self.table):
            raise IndexError(position)
        return Row(self.table[position], position + 1)


def hub_rows(spec: Spec, given: Mapping[str, Any], path: str) -> HubRows:
    """Load a data set from the hub.

    Raises:
        SpecError: the settings don't allow downloads, or it can't be loaded.
        MissingExtraError: `datasets` isn't installed.
    """
    from lve.spec.settings import load_workspace_from

    name = given["hub"]
    settings = load_workspace_from(Path.cwd(), spec.root).settings
    if not settings.allow_downloads:
        hint = "the maintainer can set `allow_downloads: true` in lve.yaml"
        if not settings.is_own:
            hint += f", which counts for those who stand in {display_path(spec.root)}"
        message = f"the data set {name!r} would have to be downloaded"
        raise SpecError([Problem(message, display_path(spec.file), path=path, hint=hint)])
    if not is_hub_name(name) or Path(name).exists():
        # The package would read a folder of that name on this machine.
        message = f"{name!r} is no data set's name on the hub"
        hint = "OWNER/NAME; files of the test folder are `path`"
        raise SpecError([Problem(message, display_path(spec.file), path=path, hint=hint)])
    try:
        import datasets
    except ImportError as error:
        raise MissingExtraError(
            "data sets of the Hugging Face hub need: pip install 'lve[datasets]'"
        ) from error
    try:
        # trust_remote_code stays off, so that a data set's own script never runs.
        table = datasets.load_dataset(name, given.get("subset"), split=given.get("split", "test"))
    except Exception as error:  # the package raises many kinds of errors
        problem = Problem(f"can't load {name!r}: {error}", display_path(spec.file), path=path)
        raise SpecError([problem]) from error
    return HubRows(table, f"hub:{name}")
