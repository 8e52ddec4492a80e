"""Where a row is: its source and line, as results and messages name them."""

from __future__ import annotations

from lve.file_names import DOCUMENT_NAMES, INSTANCE_FOLDER

INSTANCES = f"{INSTANCE_FOLDER}/"
"""How the sources of rows in this folder begin: rows that are told by their args."""


def place_of_row(source: str, line: int) -> str:
    """Return the location of an instance: `instances/x.jsonl:3`, or `test.yaml row 3` for the third
    row of a data set in the test document itself."""
    return f"{source} row {line}" if source in DOCUMENT_NAMES else f"{source}:{line}"
