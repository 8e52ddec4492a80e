"""Reads label files: people's labels of answers, one JSON object per line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from lve.data.problems import LineProblems
from lve.data.rows import text_places
from lve.data_classes import dataclass
from lve.documents.json_lines import canonical_json
from lve.documents.validation.schema import explain_value, is_valid
from lve.errors import Problem, SpecError
from lve.files.inside import reason_of
from lve.limits.problems import limit_problems
from lve.named_tuples import NamedTuple
from lve.workspace import display_path

MAX_LABELS = 100_000
"""The most labels of a file, because all are kept in memory."""
MAX_BYTES = 256_000_000
Word = Literal["passed", "failed"]
Responses = tuple[str | Mapping[str, str], ...]


class ResultPlace(NamedTuple):
    """The result of a session that a label is about."""

    test: str
    model: str
    source: str
    line: int
    repeat: int


@dataclass(frozen=True, slots=True)
class Label:
    """A person's label of an answer."""

    line: int
    """Line in the label file."""
    word: Literal["passed", "failed", "right", "wrong"]
    author: str | None = None
    comment: str | None = None
    test: str | None = None
    """The test that the label is about; None: any test."""
    check: str | None = None
    """The check that the label is about; None: any check."""
    args: Mapping[str, Any] | None = None
    responses: Responses = ()
    """The answer, one entry per run; empty if the answer is in a session."""
    reference: Any = None
    id: str | None = None
    """Names the instance; None: its args and its reference do."""
    place: ResultPlace | None = None
    """The result in the session, if the answer is there."""

    @property
    def passes(self) -> bool:
        """Whether the label says that the answer passes. Call it only for `passed` and `failed`."""
        return self.word == "passed"

    def with_answer(self, args: Mapping[str, Any], responses: Responses, verdict: Word) -> Label:
        """Return a label of a session's result as a self-contained label.

        Args:
            args: the instance's args.
            responses: the answer.
            verdict: the session's verdict, which `right` and `wrong` refer to.
        """
        other: Word = "failed" if verdict == "passed" else "passed"
        word = {"right": verdict, "wrong": other}.get(self.word, self.word)
        return replace(self, word=word, args=args, responses=responses)

    @property
    def instance_key(self) -> str:
        """Identifies the instance."""
        return canonical_json([self.args, self.reference] if self.id is None else self.id)

    @property
    def answer_key(self) -> str:
        """Identifies the answer."""
        return canonical_json([self.instance_key, self.responses])


def read_labels(file: Path) -> list[Label]:
    """Return the labels in a file.

    Raises:
        SpecError: the file can't be read, or has invalid lines; with the first problems.
    """
    real = Path(os.path.realpath(file))  # the user named the file, so it may be a link
    try:
        if real.stat().st_size > MAX_BYTES:
            raise SpecError(
                [_whole(file, f"is larger than {MAX_BYTES // 1_000_000} MB", code="over_limit")]
            )
        rows = list(limit_problems(_labels(real, file)))
    except OSError as error:
        raise SpecError(
            [_whole(file, f"can't be read: {reason_of(error)}", code="unreadable")]
        ) from error
    labels = [row for row in rows if isinstance(row, Label)]
    problems = [row for row in rows if isinstance(row, Problem)]
    if problems:
        raise SpecError(problems)
    if not labels:
        hint = '{"args": {...}, "response": "...", "label": "passed"}'
        raise SpecError(
            [Problem("has no labels", display_path(file), hint=f"a line is {hint}", code="label")]
        )
    return labels


def repeated_labels(labels: Sequence[Label], file: Path) -> list[Problem]:
    """Return a problem for each label of an answer that its author has already labelled."""
    first: dict[tuple[str, str | None], Label] = {}
    problems = []
    for label in labels:
        earlier = first.setdefault((label.answer_key, label.author), label)
        if earlier is label:
            continue
        who = f"by {label.author} " if label.author else ""
        message = f"this answer has a label {who}already, in line {earlier.line}"
        if earlier.passes != label.passes:
            message += ", which says the opposite"
        hint = "keep one of them" if label.author else "keep one of them, or name both `author`s"
        problems.append(Problem(message, display_path(file), label.line, hint=hint, code="label"))
    return list(limit_problems(iter(problems)))


def _whole(file: Path, message: str, *, code: str) -> Problem:
    return Problem(message, display_path(file), code=code)


def _labels(real: Path, file: Path) -> Iterator[Label | Problem]:
    problems, count = LineProblems(file), 0
    for number, _, _, line in text_places(real, real.parent):
        if isinstance(line, Problem):
            yield line
            continue
        count += 1
        if count > MAX_LABELS:
            yield Problem(
                f"has more than {MAX_LABELS:,} labels",
                display_path(file),
                number,
                code="over_limit",
            )
            return
        value = problems.value(line, number)
        if not isinstance(value, Problem) and not is_valid(value, "labels"):
            explain = partial(_invalid, value, file, number)
            value = problems.explained(number, explain, len(line)) or value
        yield value if isinstance(value, Problem) else _label(value, file, number)


def _invalid(value: object, file: Path, line: int) -> Problem | None:
    wrong = dict.fromkeys(explain_value(value, "labels"))
    return Problem("; ".join(wrong), display_path(file), line, code="label") if wrong else None


def _label(value: Mapping[str, Any], file: Path, line: int) -> Label | Problem:
    """Return the label in a value that fits the schema, or a problem."""
    is_of_session, word = "source" in value, value["label"]
    wrong = None
    if is_of_session and "response" in value:
        wrong = "`response` and `source` exclude each other: the answer stands here or in a session"
    elif not is_of_session and "response" not in value:
        wrong = "there is no answer: `response` is missing (or `source` and `line` of a session's)"
    elif word in ("right", "wrong") and not is_of_session:
        wrong = f"`{word}` is about the verdict of a session: say `passed` or `failed`"
    if wrong is not None:
        return Problem(wrong, display_path(file), line, code="label")
    response = value.get("response", [])
    place = None
    is_named = is_of_session or not value.keys().isdisjoint(("id", "args", "reference"))
    if is_of_session:
        repeat = value.get("repeat", 0)
        place = ResultPlace(value["test"], value["model"], value["source"], value["line"], repeat)
    return Label(
        line=line,
        word=word,
        author=value.get("author"),
        comment=value.get("comment"),
        test=value.get("test"),
        check=value.get("check"),
        args=None if is_of_session else value.get("args", {}),
        responses=tuple(response) if isinstance(response, list) else (response,),
        reference=value.get("reference"),
        # Nothing says that two answers are to the same question, so each is one of its own.
        id=value.get("id") if is_named else canonical_json(response),
        place=place,
    )
