"""Reads tests that are rows of a CSV file, or lines of a JSONL file."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping

from lve.documents.csv_text import csv_records, delimiter_of
from lve.documents.position_types import Finding, JsonPath
from lve.documents.read import DocumentPosition
from lve.escape import excerpt
from lve.extensions.importing.promptfoo.source import Source, UnsupportedError
from lve.json_types import JsonObject, JsonValue

EXPECTED = re.compile(r"__expected\d*")
SPECIAL = "__"
"""Begins the names of columns that are no variables."""
OPTIONS = {"__prefix": "prefix", "__suffix": "suffix"}
IGNORED = ("__metadata:", "__metric")
"""Columns that are only shown."""
CODE = ("javascript", "fn", "eval", "python")
LISTS = frozenset({"contains-any", "contains-all", "icontains-any", "icontains-all"})
_EXPECTATION = re.compile(
    r"(?P<type>(?:not-)?[a-z]+(?:-[a-z]+)*)(?:\((?P<threshold>\d+(?:\.\d+)?)\))?(?::(?P<value>.*))?",
    re.DOTALL,
)
_COLUMN_SETTING = re.compile(r"__config:(?P<column>__expected\d*):threshold")


class LinePosition(DocumentPosition):
    """The position of a line of a table."""

    __slots__ = ()

    @property
    def path(self) -> str:
        """Empty: a table has no JSON path."""
        return ""

    def below(self, keys: JsonPath) -> DocumentPosition:
        """Return the position itself."""
        return self

    def _place(self, *, key: bool = False) -> tuple[int, int] | tuple[None, None]:
        return int(self.keys[0]), 1


def table_rows(
    source: Source, name: str, types: frozenset[str]
) -> Iterator[tuple[object, DocumentPosition]]:
    """Yield the tests of a table and their positions. Lines that can't be read are left out and
    reported.

    Args:
        source: reads the file.
        name: the file, with or without `file://`: `.csv` or `.jsonl`.
        types: the names of assertions.

    Raises:
        UnsupportedError: the file can't be read, or has no header.
    """
    text, path = source.text(name), source.path(name)
    if name.endswith(".jsonl"):
        for line, content in enumerate(text.split("\n"), 1):
            if content.strip():
                position = LinePosition(path, (line,))
                try:
                    yield json.loads(content), position
                except (ValueError, RecursionError) as error:
                    source.leave_out(position, f"left out: not JSON: {error}")
        return
    yield from _csv_rows(source, text, LinePosition(path, (1,)), types)


def _csv_rows(
    source: Source, text: str, first: LinePosition, types: frozenset[str]
) -> Iterator[tuple[object, DocumentPosition]]:
    records = csv_records(io.StringIO(text, newline=""), delimiter_of(text.partition("\n")[0]))
    header: list[str] | None = None
    for line, record in records:
        position = LinePosition(first.document, (line,))
        if isinstance(record, Finding):
            source.leave_out(position, f"left out: {record.message}")
        elif not any(record):
            continue
        elif header is None:
            header = [name.strip() for name in record]
        elif len(record) > len(header):
            source.leave_out(position, "left out: it has more cells than the header")
        else:
            cells = dict(zip(header, [*record, *[""] * len(header)], strict=False))
            try:
                yield _test_of(cells, types), position
            except UnsupportedError as error:
                source.leave_out(position, str(error))
    if header is None:
        raise UnsupportedError("left out: the table has no header")


def _test_of(cells: Mapping[str, str], types: frozenset[str]) -> JsonObject:
    """Return a row as a test is written in YAML."""
    variables: dict[str, JsonValue] = {}
    asserted: list[dict[str, JsonValue]] = []
    test: dict[str, JsonValue] = {"vars": variables, "assert": asserted}
    options: dict[str, JsonValue] = {}
    for name, cell in cells.items():
        if not name.startswith(SPECIAL):
            variables[name] = cell
        elif EXPECTED.fullmatch(name):
            if cell.strip():
                asserted.append(_assertion(cell.strip(), types, _threshold(cells, name)))
        elif name in OPTIONS:
            options |= {OPTIONS[name]: cell} if cell else {}
        elif name == "__description":
            test["description"] = cell
        elif name == "__threshold":
            test |= {"threshold": _number(cell)} if cell.strip() else {}
        elif not name.startswith(IGNORED) and not _COLUMN_SETTING.fullmatch(name) and cell:
            raise UnsupportedError(f"left out: its column {excerpt(name)} has no counterpart")
    return {**test, "options": options} if options else test


def _threshold(cells: Mapping[str, str], column: str) -> float | None:
    names = {column, "__expected"} if column == "__expected1" else {column}
    for name, cell in cells.items():
        setting = _COLUMN_SETTING.fullmatch(name)
        if setting is not None and setting["column"] in names and cell.strip():
            return _number(cell)
    return None


def _assertion(text: str, types: frozenset[str], threshold: float | None) -> dict[str, JsonValue]:
    """Return what a cell expects: `contains: Paris`, `similar(0.9): Paris`, or the whole answer.

    Raises:
        UnsupportedError: it is code.
    """
    kind, separator, _ = text.partition(":")
    if separator and kind in CODE:
        raise UnsupportedError(f"left out: it expects {excerpt(text)}, which is code")
    if separator and kind == "grade":
        text = f"llm-rubric{text[len(kind) :]}"
    match = _EXPECTATION.fullmatch(text)
    name = match["type"] if match is not None else ""
    if match is None or name.removeprefix("not-") not in types:
        return {"type": "equals", "value": text}
    assertion: dict[str, JsonValue] = {"type": name}
    value = (match["value"] or "").strip()
    if value:
        is_list = name.removeprefix("not-") in LISTS
        assertion["value"] = [part.strip() for part in value.split(",")] if is_list else value
    number = float(match["threshold"]) if match["threshold"] else threshold
    return {**assertion, "threshold": number} if number is not None else assertion


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise UnsupportedError(f"left out: {excerpt(repr(cell))} is no number") from None
