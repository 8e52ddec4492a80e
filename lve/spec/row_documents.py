"""Rows of files that aren't made of lines: JSON, YAML (read as a whole) and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lve.errors import MissingExtraError, Problem, SpecError
from lve.spec.json_text import parse_json
from lve.spec.places import TextError
from lve.spec.rows import Row
from lve.spec.text_file import read_text
from lve.spec.yaml_text import parse_yaml
from lve.workspace import display_path

MAX_DOCUMENT_BYTES = 64_000_000
"""Size of the largest JSON or YAML file that is read; larger data belongs in JSONL."""
_LARGE_HINT = "JSONL is read line by line and may be of any size"


def read_json(file: Path) -> Iterator[Row | Problem]:
    """Read a JSON list of objects. The line of a row is its number."""
    return _rows_of(file, parse_json)


def read_yaml(file: Path) -> Iterator[Row | Problem]:
    """Read a YAML list of objects. The line of a row is its number."""
    return _rows_of(file, parse_yaml)


def read_parquet(file: Path) -> Iterator[Row | Problem]:
    """Read a Parquet file batch by batch. The line of a row is its number.

    Raises:
        MissingExtraError: pyarrow isn't installed.
        SpecError: it is no Parquet file.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("Parquet files need: pip install 'lve[datasets]'") from error
    try:
        number = 0
        with parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=1024):
                for values in batch.to_pylist():
                    number += 1
                    yield Row(values, number)
    except pyarrow.ArrowException as error:
        raise SpecError([Problem(f"not a Parquet file: {error}", display_path(file))]) from error


def _rows_of(file: Path, parse: Callable[[str], Any]) -> Iterator[Row | Problem]:
    text = read_text(file, display_path(file), max_bytes=MAX_DOCUMENT_BYTES, hint=_LARGE_HINT)
    try:
        data = parse(text)
    except TextError as error:
        raise SpecError([_problem_of(error, file)]) from error
    if not isinstance(data, list):
        raise SpecError([Problem("a data set must be a list of objects", display_path(file))])
    for number, values in enumerate(data, 1):
        if isinstance(values, dict):
            yield Row({str(key): value for key, value in values.items()}, number)
        else:
            yield Problem("a row must be an object", display_path(file), number)


def _problem_of(error: TextError, file: Path) -> Problem:
    finding = error.findings[0]
    return Problem(finding.message, display_path(file), finding.line, finding.column)
