"""Makes a test of a file of rows: prompt and check are guessed from the columns, and the user is
told how, to correct them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lve.errors import Problem, UsageError
from lve.escape import excerpt
from lve.extensions.importing.certificate import source_of, with_certificate
from lve.extensions.importing.folders import Names
from lve.extensions.importing.row_files import lines_of, placeholder, rows_of
from lve.importers import Imported, ImportedTest
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple
from lve.workspace import display_path

QUESTIONS = (
    *("question", "prompt", "instruction", "query", "problem", "user_input", "goal", "input"),
    *("sentence", "text"),
)
CONTEXTS = ("context", "passage", "article", "document", "story", "input")
ANSWERS = (
    *("answer", "answers", "target", "targets", "expected", "expected_output", "reference"),
    *("ideal", "gold", "ground_truth", "answerkey", "correct_answer", "label", "solution"),
    *("output", "response", "completion"),
)
CHOICES = ("choices", "options")
"""Names of columns, in any case; the first that all rows have counts."""
LETTERS = "ABCDEFGHIJ"
OPTIONS, RIGHT = "lettered_options", "right_option"
"""Columns that are added: the options with letters, and the letter of the right one."""
MAX_COLUMNS = 200
MAX_WORDS = 8
"""Of right answers that are compared as texts; of longer ones, a judge is asked."""
ROWS = "rows.jsonl"
_NUMBER = re.compile(r"\s*[$€£]?-?[\d,]*\.?\d+\s*%?\s*")
_GSM8K = re.compile(r"####\s*(\S[^\n]*)\s*\Z")


class Guess(NamedTuple):
    """What a test is made of."""

    prompt: str
    check: JsonObject
    rows: Sequence[JsonObject]


def read_data_set(path: Path) -> Imported:
    """Return a test of a file of rows.

    Args:
        path: a CSV, JSON, JSON lines, YAML or Parquet file.

    Raises:
        UsageError: it is none of these, or has no rows, or no text to ask about.
        SpecError: it can't be read.
    """
    rows, left_out = list[JsonObject](), list[str]()
    for number, row in rows_of(path):
        if isinstance(row, Problem):
            left_out.append(str(row))
            continue
        rows.append({placeholder(str(key)): value for key, value in row.items()})
        if len(rows[-1]) < len(row):
            why = "has columns whose names differ only in punctuation: one of each is kept"
            left_out.append(f"{display_path(path)}: row {number} {why}")
    if not rows or len(rows[0]) > MAX_COLUMNS:
        why = "no rows" if not rows else f"more than {MAX_COLUMNS} columns"
        raise UsageError(f"{display_path(path)} has {why}", code="nothing_to_import")
    answer, every = _first(ANSWERS, [*rows[0]]), len(rows)
    if answer is not None:
        rows = [row for row in rows if row.get(answer) not in (None, "", [])]
    if not rows:
        raise UsageError(f"{display_path(path)} has no answers", code="nothing_to_import")
    if every > len(rows):
        why = f"{every - len(rows):,} rows have nothing in `{answer}`"
        left_out.append(f"{display_path(path)}: {why}")
    guess = _guess(path, rows, answer)
    document: dict[str, JsonValue] = {
        "description": f"Rows of {excerpt(path.name, 100)}.",
        "source": source_of("dataset", path.resolve(), None, path.resolve().parent),
        "prompt": guess.prompt,
        "dataset": ROWS,
    }
    document["check"] = guess.check
    test = ImportedTest(Names().new(path.stem, "rows"), document, {ROWS: lines_of(guess.rows)})
    asks = " ".join(guess.prompt.split())
    notes = [f"guessed, so look at it: the prompt is {excerpt(asks, 200)}"]
    why = "" if answer else ", as no column has right answers"
    notes.append(f"guessed, so look at it: the check is {json.dumps(guess.check)}{why}")
    return Imported([with_certificate(test, rows=len(rows))], left_out, notes)


def _common(rows: Sequence[JsonObject]) -> list[str]:
    """Return the columns that all rows have, in their order."""
    common = set(rows[0]).intersection(*rows)
    return [name for name in rows[0] if name in common]


def _guess(path: Path, rows: Sequence[JsonObject], answer: str | None) -> Guess:
    columns = _common(rows)
    question = _first(QUESTIONS, [name for name in columns if name != answer])
    if question is None:
        others = [name for name in columns if name != answer and _are(rows, name, str)]
        if not others:
            names = ", ".join(excerpt(name) for name in columns) or "none in all rows"
            raise UsageError(
                f"{display_path(path)} has no text to ask about (columns: {names}): name its "
                "column `question`",
                code="nothing_to_import",
            )
        question = others[0]
    parts = [f"{{{name}}}" for name in (_first(CONTEXTS, columns), question) if name]
    if (len(parts) == 2 and parts[0] == parts[1]) or f"{{{answer}}}" in parts[:-1]:
        parts = parts[1:]
    if parts[-1:] == ["{instruction}"]:
        parts.reverse()
    lettered = [_lettered(row, columns, answer) for row in rows]
    if answer is not None and all(each is not None for each in lettered):
        own = [{**row, **(each or {})} for row, each in zip(rows, lettered, strict=True)]
        number = max(str(row[OPTIONS]).count("\n") + 1 for row in own)
        request = "Answer with the letter of the right option."
        check: JsonObject = {"option": f"{{{RIGHT}}}", "options": max(2, number)}
        return Guess("\n\n".join((*parts, f"{{{OPTIONS}}}", request)), check, own)
    return _open(parts, answer, rows)


def _open(parts: Sequence[str], answer: str | None, rows: Sequence[JsonObject]) -> Guess:
    """Return the test of rows without options, by what their answers are."""
    if answer is None:
        return Guess("\n\n".join(parts), {"min_characters": 1}, rows)
    values = [row[answer] for row in rows]
    finals = [_GSM8K.search(value) if isinstance(value, str) else None for value in values]
    if all(finals):
        ends = [match[1] for match in finals if match]
        rows = [{**row, "final_answer": end} for row, end in zip(rows, ends, strict=True)]
        answer, values = "final_answer", [*ends]
    place = f"{{{answer}}}"
    check: JsonObject = {"factuality": place}
    if all(isinstance(value, list) for value in values):
        check = {"contains_any": place}
    elif all(_is_number(value) for value in values):
        check = {"number": place}
    elif all(not isinstance(v, dict | list) and len(str(v).split()) <= MAX_WORDS for v in values):
        check = {"text": place}
    return Guess("\n\n".join(parts), check, rows)


def _first(names: Sequence[str], columns: Sequence[str]) -> str | None:
    by_name = {column.lower(): column for column in reversed(columns)}
    return next((by_name[name] for name in names if name in by_name), None)


def _are(rows: Sequence[JsonObject], name: str, kind: type) -> bool:
    return all(isinstance(row[name], kind) for row in rows)


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return len(value) < 100 and bool(_NUMBER.fullmatch(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lettered(row: JsonObject, columns: Sequence[str], answer: str | None) -> JsonObject | None:
    """Return the options of a row with letters, and the letter of the right one; None if it has no
    options, or none of them is right."""
    labels, texts = _options(row, columns)
    right = row.get(answer or "")
    if not 2 <= len(texts) <= len(LETTERS):
        return None
    readings: tuple[Callable[[], int], ...] = (
        lambda: labels.index(str(right).strip()),
        lambda: texts.index(str(right)),
        lambda: range(len(texts)).index(int(str(right))),
    )
    for read in readings:
        try:
            letter = LETTERS[read()]
        except ValueError:
            continue
        lines = [f"{mark}. {text}" for mark, text in zip(LETTERS, texts, strict=False)]
        return {OPTIONS: "\n".join(" ".join(line.split()) for line in lines), RIGHT: letter}
    return None


def _options(row: JsonObject, columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the labels and the texts of a row's options."""
    value: Any = row.get(_first(CHOICES, columns) or "")
    if isinstance(value, Mapping):  # as ARC has them
        texts, labels = value.get("text"), value.get("label")
        if isinstance(texts, list) and isinstance(labels, list) and len(texts) == len(labels):
            return [*map(str, labels)], [*map(str, texts)]
        value = [*value.values()] if {*value} <= {*LETTERS} else None
    if value is None:  # a column each
        value = [row[letter] for letter in LETTERS if letter in columns]
    texts = [*map(str, value)] if isinstance(value, list) else []
    return [*LETTERS[: len(texts)]], texts
