"""The rows of a file that an importer reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from lve.data.rows import ROW_READERS, Row, iter_rows
from lve.documents.json_lines import json_line
from lve.errors import Problem, UsageError
from lve.json_types import JsonObject
from lve.workspace import display_path

MAX_ROWS = 100_000
_OTHERS = re.compile(r"\W+", re.ASCII)


def rows_of(
    path: Path, ending: str | None = None
) -> Iterator[tuple[int, Mapping[str, Any] | Problem]]:
    """Yield the number and the values of each row of a file, or what is wrong with it.

    Args:
        path: a CSV, JSON, JSON lines, YAML, Parquet or text file.
        ending: what it is; by default, what its name says.

    Raises:
        UsageError: it is none of these, or has too many rows.
        SpecError: it can't be read.
    """
    if not path.is_file():
        raise UsageError(f"{display_path(path)} is no file", code="no_such_path")
    ending = ending or path.suffix.lower()
    if ending not in ROW_READERS:
        endings = ", ".join(ROW_READERS)
        raise UsageError(f"{display_path(path)}: its rows end in {endings}", code="wrong_suffix")
    for number, row in enumerate(islice(iter_rows(path, path.parent, ending), MAX_ROWS + 1), 1):
        if number > MAX_ROWS:
            message = f"{display_path(path)} has more than {MAX_ROWS:,} rows"
            raise UsageError(message, code="over_limit")
        yield number, row.values if isinstance(row, Row) else row


def placeholder(column: str) -> str:
    """Return the name by which a prompt can have a column: letters, digits and `_`."""
    name = _OTHERS.sub("_", column).strip("_")
    return name if name[:1].isalpha() else f"column_{name}"


def lines_of(rows: Sequence[JsonObject]) -> str:
    """Return rows as JSON lines."""
    return "".join(f"{json_line(row)}\n" for row in rows)
