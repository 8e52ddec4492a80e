"""Texts of a few pieces each, in every order, through the readers: what stands beside what decides
(cases/recorded_calls/pieces.json)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from support.recorded_calls import Calls, changed, in_folder, record, said, texts

from lve.data.rows import iter_rows
from lve.documents.csv_text import csv_records, delimiter_of
from lve.documents.lenient_json import DuplicateKeyError, SearchEndedError, json_values
from lve.documents.mended_json import Mend
from lve.documents.position_types import TextError
from lve.documents.read import parser_for

PIECES = texts("pieces")


def mended(text: str, mend: Mend) -> str:
    values = []
    try:
        for value in json_values(text, mend, unique_keys=True, with_nan=True):
            values.append(json.dumps(value, ensure_ascii=False))
    except (SearchEndedError, DuplicateKeyError) as error:
        values.append(f"!{type(error).__name__[0]}")
    return " ".join(values)


def slips(text: str) -> str:
    return mended(text, Mend.slips)


def habits(text: str) -> str:
    return mended(text, Mend.habits)


def parsed(suffix: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        try:
            return said(parser_for(suffix)(text))
        except TextError as error:
            finding = error.findings[0]
            return f"{finding.message} {finding.line}:{finding.column}"

    return read


def table(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return " ".join(said(each) for each in csv_records(lines, delimiter_of(lines[0]), 30))


def rows_in(name: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        def work(folder: Path) -> object:
            rows = iter_rows(folder / name, folder)
            return " ".join(f"{said(row)}".replace(str(folder), "FOLDER") for row in rows)

        return str(in_folder({name: text}, work))

    return read


def every(name: str, read: Callable[[str], str], frame: str, length: int) -> Calls:
    """Return what is read of a frame with each sequence of pieces in it: a row for those that
    begin alike."""
    pieces: Sequence[str] = PIECES[name.split()[0]]
    last = length - (length > 2) - 1
    return {
        f"{name} {frame % ''.join(first)!r}": " | ".join(
            read(frame % "".join((*first, *rest)))
            for rest in itertools.product(pieces, repeat=length - last)
        )
        for first in itertools.product(pieces, repeat=last)
    }


def all_calls() -> Calls:
    calls: Calls = {}
    for kind, read in (("slips", slips), ("habits", habits)):
        for frame, length in (('{"k": %s}', 3), ("x [%s]", 2), ("{%s: 1}", 2), ('["%s"]', 2)):
            calls |= every(f"json {kind}", read, frame, length)
    for frame in ("%s", '{"a": %s}', "[1, %s]"):
        calls |= every("strict json", parsed(".json"), frame, 2)
    for frame in ("%s\n", "a: %s\n", "a:\n  b: 1\n%s"):
        calls |= every("yaml", parsed(".yaml"), frame, 2)
    for frame in ("a,b\n%s\n1,2\n", "%s\n1,2\n"):
        calls |= every("csv", table, frame, 2)
        calls |= every("csv of rows", rows_in("t.csv"), frame, 2)
    for name in ("t.jsonl", "t.json", "t.yaml", "t.txt"):
        calls |= every(f"rows {name}", rows_in(name), "%s", 2)
    return calls


def test_each_text_is_read_as_recorded() -> None:
    assert changed("pieces", all_calls()) == {}


if __name__ == "__main__":
    record("pieces", all_calls())
