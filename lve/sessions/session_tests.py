"""`tests.jsonl`: describes the tests of a session, so that its reports don't need the test folders.

A line per test and model is appended when they start, and one for each skipped or invalid test when
the session ends. Of several lines about the same test and model the last one is valid. Processes
that run a session together append to the same file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from lve.documents.json_lines import fast_written_value, file_json
from lve.documents.validation.schema import is_valid
from lve.errors import with_code
from lve.files.owner_only import open_private
from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple
from lve.sessions.session_file import DamagedLines, cannot_read, cannot_write
from lve.spec.spec import Expectation

TESTS_FILE = "tests.jsonl"
VERSION = 1
MAX_LINE_BYTES = 4_000_000
MAX_LINES = 1_000_000
"""Lines that are read, enough for 100,000 tests against ten models."""
MAX_WAITING = 1000
"""Descriptions of tests that wait until they are written together."""
MAX_TEXT = 10_000
"""Characters of a description or a problem."""
_DEFAULT = Expectation()
TestKey = tuple[str, str | None]
"""A test, and the model that it ran against, if it got one."""


class SessionTest(NamedTuple):
    """A test of a session against one model, or a test that was refused before it got one."""

    test: str
    """`Spec.path`."""
    model: str | None = None
    document: str | None = None
    """Path of the test document, relative to the workspace's root."""
    description: str = ""
    author: str | None = None
    category: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    """Pairs of name and value."""
    parameters: tuple[str, ...] = ()
    """The args of its instances that fill the prompt; the others are model args."""
    expect: Expectation = _DEFAULT
    """The expectation by which the session judged it."""
    is_sequential: bool = False
    """As in `Tally`."""
    has_failures_only: bool = False
    """As in `Tally`."""
    column: str | None = None
    """The column whose values are categories of results."""
    by: tuple[str, ...] = ()
    """Columns and tags by whose values reports have rates."""
    groups: tuple[JsonObject, ...] = ()
    """Groups of tests with a score that it is part of (`groups` of the document)."""
    metric: str = "score"
    """Name of the score."""
    errors: Mapping[str, Any] | None = None
    """The measured error rates of its judge (`JudgeErrors`)."""
    skipped: str | None = None
    """Why it was skipped."""
    is_unavailable: bool = False
    """Whether it was skipped because something isn't installed or trusted."""
    not_recorded: int = 0
    """Rows that a replay left out because no answer of theirs is recorded."""
    repeats_not_recorded: int = 0
    """Further results that a replay lacks, because the test asks for repeats."""
    left: int | None = None
    """Results that the session lacks at most, as it has ended early; None if that isn't known."""
    overall: Mapping[str, float] | str | None = None
    """What a scorer gives all rows together, or why nothing; as in `Breakdown`."""
    problems: tuple[str, ...] = ()
    """Why it is invalid, as `file:line:column: ...`."""

    @property
    def is_about_gaps(self) -> bool:
        """Whether it says what the session lacks of the test, which is known only at its end. Then
        it adds that to what earlier lines say of the test."""
        missing = bool(self.not_recorded or self.repeats_not_recorded)
        return missing or self.left is not None or self.overall is not None

    def with_gaps(self, gaps: SessionTest) -> SessionTest:
        """Return it with what another line says that the session lacks."""
        return self._replace(
            not_recorded=gaps.not_recorded,
            repeats_not_recorded=gaps.repeats_not_recorded,
            left=gaps.left,
            overall=self.overall if gaps.overall is None else gaps.overall,
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as in schemas/session_test.schema.json, without default values."""
        values: dict[str, Any] = {"version": VERSION}
        for name in _FIELDS:
            value = getattr(self, name)
            if value != _DEFAULTS.get(name, _DEFAULT):
                values[name] = value
        if "expect" in values:
            values["expect"] = {
                name: getattr(self.expect, name)
                for name in _EXPECTED
                if getattr(self.expect, name) != getattr(_DEFAULT, name)
            }
        return values

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SessionTest:
        """Return the test that `to_json` wrote; `data` must fit the schema."""
        values = {name: data[name] for name in _FIELDS if name in data}
        for name in ("parameters", "problems", "by", "groups"):
            values[name] = tuple(values.get(name, ()))
        values["tags"] = tuple((name, value) for name, value in data.get("tags", ()))
        values["expect"] = Expectation(**data.get("expect", {}))
        return cls(**values)


_FIELDS = SessionTest._fields
_DEFAULTS = SessionTest._field_defaults
_EXPECTED = Expectation._fields


def append_tests(folder: Path, tests: Iterable[SessionTest]) -> None:
    """Append lines to a session's `tests.jsonl`.

    Args:
        folder: of the session.
        tests: to append.

    Raises:
        SessionError: the file can't be written.
    """
    text = "".join(f"{file_json(test.to_json())}\n" for test in tests)
    if not text:
        return
    path = folder / TESTS_FILE
    try:
        with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as file:
            # The last line may be incomplete, if the process that wrote it was killed.
            start = "\n" if file.tell() else ""
            file.write((start + text).encode("ascii", "replace"))
    except OSError as error:
        raise cannot_write(path, error) from error


def read_tests(
    folder: Path, *, warn: Callable[[str], None] | None = None
) -> dict[TestKey, SessionTest]:
    """Return (test, model) -> the test of a session. Damaged lines are skipped, with a warning.

    Raises:
        SessionError: the file can't be read.
    """
    tests: dict[TestKey, SessionTest] = {}
    damaged = DamagedLines()
    for number, line in enumerate(islice(_lines(folder / TESTS_FILE), MAX_LINES), 1):
        test = _parse(line)
        if test is None:
            if line.strip():
                damaged.add(number)
        else:
            if test.model is not None:  # It has started, so it isn't invalid any more.
                tests.pop((test.test, None), None)
            key = test.test, test.model
            earlier = tests.get(key) if test.is_about_gaps else None
            tests[key] = earlier.with_gaps(test) if earlier else test
    if damaged.count and warn is not None:
        place = damaged.place(folder / TESTS_FILE)
        message = f"{place}: {damaged} left out: reports lack what they said of tests"
        warn(with_code(message, "left_out"))
    return tests


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
            while line := file.readline(MAX_LINE_BYTES):
                yield line
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_read(path, error) from error


def _parse(line: bytes) -> SessionTest | None:
    try:
        data = fast_written_value(line.removesuffix(b"\n"))
        return SessionTest.from_json(data) if is_valid(data, "session_test") else None
    except (ValueError, KeyError, TypeError):
        return None
