"""Reads rows of JSON and YAML files, which are parsed as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lve.data.rows import Row
from lve.documents.json_text import parse_json
from lve.documents.places import TOO_MANY_VALUES, TextError
from lve.documents.read import problem_of, read_text
from lve.documents.yaml_text import parse_yaml
from lve.errors import Problem, SpecError
from lve.workspace import display_path

MAX_JSON_BYTES = 64_000_000
"""Largest JSON file that is read; larger data belongs in JSONL."""
MAX_YAML_BYTES = 8_000_000
"""Largest YAML file that is read: parsing it takes ten seconds."""
_LARGE_HINT = "save it as JSONL: that is read line by line and may be of any size"


def read_json(file: Path, folder: Path) -> Iterator[Row | Problem]:
    """Read a JSON list of objects. The line of a row is its number."""
    return _rows_of(file, folder, parse_json, MAX_JSON_BYTES)


def read_yaml(file: Path, folder: Path) -> Iterator[Row | Problem]:
    """Read a YAML list of objects. The line of a row is its number."""
    return _rows_of(file, folder, parse_yaml, MAX_YAML_BYTES)


def _rows_of(
    file: Path, folder: Path, parse: Callable[[str], Any], max_bytes: int
) -> Iterator[Row | Problem]:
    shown = display_path(file)
    text = read_text(file, folder=folder, max_bytes=max_bytes, hint=_LARGE_HINT)
    try:
        data = parse(text)
    except TextError as error:
        raise SpecError([_problem_of(error, file)]) from error
    if not isinstance(data, list):
        raise SpecError([Problem("a data set must be a list of objects", shown)])
    for number, values in enumerate(data, 1):
        if isinstance(values, dict):
            yield Row({str(key): value for key, value in values.items()}, number)
        else:
            yield Problem("a row must be an object", shown, number)


def _problem_of(error: TextError, file: Path) -> Problem:
    finding = error.findings[0]
    hint = _LARGE_HINT if finding.message == TOO_MANY_VALUES else finding.hint
    return problem_of(replace(finding, path=None, hint=hint), file)
