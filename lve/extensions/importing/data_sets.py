"""Makes a test of a file of rows: prompt and check are guessed from the columns, and the user is
told how, to correct them."""

from __future__ import annotations

import json
import re
from collections import Counter
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
from lve.plurals import amount
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
"""Names of columns, in any case; the first that most rows have counts."""
LETTERS = "ABCDEFGHIJ"
OPTIONS, RIGHT, YES_NO = "lettered_options", "right_option", "yes_or_no"
"""Columns that are added: the options with letters, the letter of the right one, and a right answer
that is true or false as a word."""
MAX_COLUMNS = 200
MAX_WORDS = 8
"""Of right answers that are compared as texts; of longer ones, a judge is asked."""
MIN_CHARACTERS = 3
"""Of right answers that are searched in an answer; shorter ones occur in most answers."""
ROWS = "rows.jsonl"
_NUMBER = re.compile(r"\s*[$€£]?-?[\d,]*\.?\d+\s*%?\s*")
_GSM8K = re.compile(r"####\s*(\S[^\n]*)\s*\Z")


class Guess(NamedTuple):
    """What a test is made of."""

    prompt: str
    check: JsonObject
    rows: Sequence[JsonObject]
    left_out: Sequence[str] = ()
    """How many rows aren't among them, and why."""


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
    if not rows:
        why = left_out[0] if left_out else f"{display_path(path)} has no rows"
        raise UsageError(why, code="nothing_to_import")
    if len(rows[0]) > MAX_COLUMNS:
        why = f"{display_path(path)} has more than {MAX_COLUMNS} columns"
        raise UsageError(why, code="nothing_to_import")
    answer, every = _first(ANSWERS, _columns(rows)), len(rows)
    if answer is not None:
        rows = [{**row, answer: _right(row.get(answer))} for row in rows]
        rows = [row for row in rows if row[answer] not in (None, "", [])]
    if not rows:
        raise UsageError(f"{display_path(path)} has no answers", code="nothing_to_import")
    if every > len(rows):
        why = f"{amount(every - len(rows), 'row')} with nothing in `{answer}`"
        left_out.append(f"{display_path(path)}: {why}")
    guess = _guess(path, rows, answer)
    left_out += [f"{display_path(path)}: {why}" for why in guess.left_out]
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
    why = "" if answer else ", which any text passes, as no column has right answers"
    notes.append(f"guessed, so look at it: the check is {json.dumps(guess.check)}{why}")
    return Imported([with_certificate(test, rows=len(guess.rows))], left_out, notes)


def _right(value: JsonValue) -> JsonValue:
    """Return a right answer without blanks; those of SQuAD, of which there may be none, as a
    list."""
    if isinstance(value, Mapping) and isinstance(texts := value.get("text"), list):
        value = texts
    if isinstance(value, list):
        return [each for each in value if each is not None and str(each).strip()]
    return "" if isinstance(value, str) and not value.strip() else value


def _columns(rows: Sequence[JsonObject]) -> list[str]:
    """Return the columns that most rows have, in their order."""
    count = Counter(name for row in rows for name in row)
    return [name for name, number in count.items() if 2 * number >= len(rows)]


def _guess(path: Path, rows: Sequence[JsonObject], answer: str | None) -> Guess:
    columns = _columns(rows)
    others = [name for name in columns if name != answer and _are_texts(rows, name)]
    question = _first(QUESTIONS, others)
    if question is None:
        if not others:
            names = ", ".join(excerpt(name) for name in columns) or "none in most rows"
            raise UsageError(
                f"{display_path(path)} has no text to ask about (columns: {names}): name its "
                "column `question`",
                code="nothing_to_import",
            )
        question = others[0]
    asked = [name for name in (_first(CONTEXTS, columns), question) if name]
    if (len(asked) == 2 and asked[0] == asked[1]) or answer in asked[:-1]:
        asked = asked[1:]
    if asked[-1] == "instruction":
        asked.reverse()
    full = [row for row in rows if _is_text(row.get(question)) and None not in map(row.get, asked)]
    why = [f"{amount(len(rows) - len(full), 'row')} without a text in {_ticked(asked)}"]
    if not full:
        raise UsageError(f"{display_path(path)}: all {why[0]}", code="nothing_to_import")
    return _judged(
        [f"{{{name}}}" for name in asked], answer, full, why if len(full) < len(rows) else []
    )


def _judged(
    parts: Sequence[str], answer: str | None, rows: Sequence[JsonObject], left_out: list[str]
) -> Guess:
    """Return the test of rows, by their options if most have some and a right one."""
    columns = _columns(rows)
    start = _start(rows, columns, answer)
    lettered = [_lettered(row, columns, answer, start) for row in rows]
    own = [{**row, **each} for row, each in zip(rows, lettered, strict=True) if each]
    if answer is None or 2 * len(own) < len(rows):
        return _open(parts, answer, rows)._replace(left_out=left_out)
    if lost := len(rows) - len(own):
        left_out.append(
            f"{amount(lost, 'row')} without options of which `{answer}` says the right one"
        )
    number = max(str(row[OPTIONS]).count("\n") + 1 for row in own)
    request = "Answer with the letter of the right option."
    check: JsonObject = {"option": f"{{{RIGHT}}}", "options": max(2, number)}
    return Guess("\n\n".join((*parts, f"{{{OPTIONS}}}", request)), check, own, left_out)


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
    if all(isinstance(value, bool) for value in values):
        words = ["yes" if value else "no" for value in values]
        rows = [{**row, YES_NO: word} for row, word in zip(rows, words, strict=True)]
        parts, check = [*parts, "Answer yes or no."], {"choice": f"{{{YES_NO}}}"}
        check["of"] = ["yes", "no"]
    elif all(isinstance(value, list) for value in values):
        texts = [str(each) for value in values if isinstance(value, list) for each in value]
        is_short = any(len(text) < MIN_CHARACTERS or _is_number(text) for text in texts)
        check = {"text" if is_short else "contains_any": place}
    elif all(_is_number(value) for value in values):
        check = {"number": place}
    elif all(not isinstance(v, dict | list) and len(str(v).split()) <= MAX_WORDS for v in values):
        check = {"text": place}
    return Guess("\n\n".join(parts), check, rows)


def _first(names: Sequence[str], columns: Sequence[str]) -> str | None:
    by_name = {column.lower(): column for column in reversed(columns)}
    return next((by_name[name] for name in names if name in by_name), None)


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(rows: Sequence[JsonObject], name: str) -> bool:
    return 2 * sum(_is_text(row.get(name)) for row in rows) >= len(rows)


def _ticked(names: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return len(value) < 100 and bool(_NUMBER.fullmatch(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _start(rows: Sequence[JsonObject], columns: Sequence[str], answer: str | None) -> int:
    """Return the number of the first option: 1 if the last one's number is how many there are, and
    none has the number 0."""
    pairs = [(str(row.get(answer or "")), len(_options(row, columns)[1])) for row in rows]
    is_from_1 = any(right == str(size) for right, size in pairs)
    return int(is_from_1 and all(right != "0" for right, _ in pairs))


def _lettered(
    row: JsonObject, columns: Sequence[str], answer: str | None, start: int
) -> JsonObject | None:
    """Return the options of a row with letters, and the letter of the right one; None if it has no
    options, or none of them is right."""
    labels, values = _options(row, columns)
    texts, right = [*map(str, values)], row.get(answer or "")
    if not 2 <= len(texts) <= len(LETTERS):
        return None
    readings: list[Callable[[], int]] = [
        lambda: labels.index(str(right).strip()),
        lambda: texts.index(str(right)),
        lambda: range(start, start + len(texts)).index(int(str(right))),
    ]
    if isinstance(right, int) and right not in values and str(right) not in labels:
        # The number 1 isn't the text "1".
        readings.reverse()
    for read in readings:
        try:
            letter = LETTERS[read()]
        except ValueError:
            continue
        lines = [f"{mark}. {text}" for mark, text in zip(LETTERS, texts, strict=False)]
        return {OPTIONS: "\n".join(" ".join(line.split()) for line in lines), RIGHT: letter}
    return None


def _options(row: JsonObject, columns: Sequence[str]) -> tuple[list[str], list[JsonValue]]:
    """Return the labels and the values of a row's options."""
    value: Any = row.get(_first(CHOICES, columns) or "")
    if isinstance(value, Mapping):  # as ARC has them
        texts, labels = value.get("text"), value.get("label")
        if isinstance(texts, list) and isinstance(labels, list) and len(texts) == len(labels):
            return [*map(str, labels)], texts
        value = [*value.values()] if {*value} <= {*LETTERS} else None
    if value is None:  # a column each
        value = [row[letter] for letter in LETTERS if letter in columns and letter in row]
    values = value if isinstance(value, list) else []
    return [*LETTERS[: len(values)]], values
