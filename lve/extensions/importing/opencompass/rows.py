"""Finds and reads the rows of a data set in files that people have: those of upstream's loaders, or
the files that the configuration's `path` names."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lve.data_classes import dataclass
from lve.documents.read import read_text
from lve.errors import SpecError
from lve.extensions.importing.opencompass.data_sets import PROMPT, DataSet
from lve.json_types import JsonObject
from lve.workspace import display_path

MAX_BYTES = 64_000_000
ENDINGS = ("jsonl", "json", "csv")
TEST, TRAIN = "test", "train"
ROWS = "rows.jsonl"
EXAMPLES = "examples.jsonl"
_UNSAFE = re.compile(r"[^\w.-]+")


class NoRowsError(ValueError):
    """There are no rows for a data set. The message says why."""


@dataclass(frozen=True, slots=True)
class RowFiles:
    """A folder of files with rows."""

    folder: Path

    def rows(self, data_set: DataSet, split: str) -> list[JsonObject]:
        """Return the rows of a split of a data set.

        Args:
            data_set: names the files by `path`, `name` and `abbr`.
            split: the name that the files have for it: `test`, `dev`.

        Raises:
            NoRowsError: there is no file with the columns of `reader_cfg`.
        """
        tried: list[str] = []
        for path in _candidates(data_set, split):
            file = self.folder / path
            if not file.is_file():
                continue
            rows = self._read(file, data_set)
            missing = sorted(set(columns_of(data_set)) - set(rows[0])) if rows else ["rows"]
            if not missing:
                return rows
            tried.append(f"{display_path(file)} has no {', '.join(missing)}")
        why = "; ".join(tried[:3]) or f"no file of {display_path(self.folder)} is called as its"
        raise NoRowsError(f"{why} {'' if tried else f'{split} split'}".strip())

    def _read(self, file: Path, data_set: DataSet) -> list[JsonObject]:
        try:
            text = read_text(file, folder=self.folder, max_bytes=MAX_BYTES, hint="split it")
            return _parsed(text, file.suffix, columns_of(data_set))
        except (SpecError, ValueError, RecursionError) as error:
            raise NoRowsError(f"{display_path(file)} can't be read: {error}") from None


def columns_of(data_set: DataSet) -> list[str]:
    """Return the columns that `reader_cfg` names: those of the input, then the answer's."""
    reader = data_set.part("reader_cfg")
    inputs = reader.get("input_columns")
    named = [inputs] if isinstance(inputs, str) else inputs if isinstance(inputs, list) else []
    more = (PROMPT,) if data_set.calls_functions else ()
    return [str(name) for name in (*named, *more, reader.get("output_column")) if name]


def split_names(data_set: DataSet) -> Mapping[str, str]:
    """Return the names of the splits: `{test: validation, train: dev}`."""
    reader = data_set.part("reader_cfg")
    return {name: str(reader.get(f"{name}_split") or name) for name in (TEST, TRAIN)}


def needs_examples(data_set: DataSet) -> bool:
    """Return whether prompts have examples of another split."""
    retriever = data_set.part("infer_cfg").get("retriever")
    kind = retriever.get("type") if isinstance(retriever, dict) else None
    return not str(kind or "").endswith("ZeroRetriever")


def splits_of(data_set: DataSet) -> dict[str, str]:
    """Return the files with rows that a test needs, and the split of each: `test` or `train`."""
    names = split_names(data_set)
    has_own = needs_examples(data_set) and names[TEST] != names[TRAIN]
    return {ROWS: TEST, EXAMPLES: TRAIN} if has_own else {ROWS: TEST}


def files_of(data_set: DataSet, data: Path) -> dict[str, str | bytes]:
    """Return the files with the rows of a data set.

    Raises:
        NoRowsError: there are none.
    """
    names, source = split_names(data_set), RowFiles(data)
    splits = splits_of(data_set).items()
    return {file: jsonl(source.rows(data_set, names[split])) for file, split in splits}


def jsonl(rows: Iterable[JsonObject]) -> str:
    """Return rows as lines of JSON."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _candidates(data_set: DataSet, split: str) -> Iterator[str]:
    """Yield where the rows of a split may be, relative to the folder."""
    own = _UNSAFE.sub("_", data_set.abbr)
    for ending in ENDINGS:
        yield f"{own}/{split}.{ending}"
    name = str(data_set.config.get("name") or "")
    for home in _homes(str(data_set.config.get("path") or "")):
        yield home
        for ending in ENDINGS:
            for stem in _stems(name, split):
                yield f"{home}/{stem}.{ending}"


def _homes(path: str) -> Sequence[str]:
    steps = [step for step in path.split("/") if step not in ("", ".", "..", "data")]
    return ["/".join(steps[start:]) for start in range(len(steps))] or ["."]


def _stems(name: str, split: str) -> Sequence[str]:
    if not name or ".." in name:
        return (split,)
    return (
        *(f"{split}/{name}_{split}", f"{split}/{name}", f"{name}/{split}", f"{name}_{split}"),
        *(name, split),
    )


def _parsed(text: str, ending: str, columns: Sequence[str]) -> list[JsonObject]:
    """Return the rows of a text.

    Raises:
        ValueError: it has others than objects.
    """
    if ending.lower() == ".csv":
        return _of_csv(text, columns)
    if ending.lower() == ".jsonl":
        rows: object = [json.loads(line) for line in text.split("\n") if line.strip()]
    else:
        rows = json.loads(text)
        if isinstance(rows, dict):
            rows = rows.get("data") or rows.get("examples")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("it has no list of objects")
    return rows


def _of_csv(text: str, columns: Sequence[str]) -> list[JsonObject]:
    """Return the rows of a CSV text: by the names of its first line, or, if that is a row, in the
    order of `reader_cfg`."""
    lines = [line for line in csv.reader(io.StringIO(text, newline="")) if line]
    if not lines:
        return []
    if not set(columns) <= set(lines[0]) and len(lines[0]) == len(columns):
        lines.insert(0, list(columns))
    return [dict(zip(lines[0], line, strict=False)) for line in lines[1:]]
