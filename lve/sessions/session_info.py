"""The content of a session's `session.json` (schemas/session.schema.json), and its text.

What it says of tests is written and copied part by part: fifty thousand take 27 MB.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, TypeAlias

from lve.documents.json_lines import file_json, plain
from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple, TypedDict

Status: TypeAlias = Literal["running", "complete", "interrupted", "budget", "stopped", "failed"]


class AmountInfo(TypedDict, total=False):
    """What was sent to models."""

    cost: float
    """In US dollars; absent if a price is unknown."""
    tokens: int
    """In and out."""
    requests: int
    """Attempts."""


class UnfinishedInfo(TypedDict):
    """A test that hasn't finished against a model."""

    test: str
    model: str


class RowsInfo(UnfinishedInfo):
    """The rows of a test that the session was to run against a model."""

    instances: Mapping[str, Sequence[int]]
    """Source -> lines."""


class SessionInfo(TypedDict, total=False):
    """Fields of `session.json`. The file has all down to `paths`; what it lacks below is unknown,
    or there was nothing to say."""

    version: int
    session: str
    """The session's id."""
    status: Status
    started: str
    ended: str | None
    """None before the end."""
    resumed: Sequence[str]
    """When it was resumed."""
    options: Mapping[str, Any]
    """As the user gave them, those at their default left out."""
    paths: Sequence[str]
    versions: Mapping[str, str]
    """Of lve, Python, the platform and plugins."""
    git: Mapping[str, str] | None
    """`commit` of the checkout that had the tests."""
    roles: Mapping[str, str]
    """Role -> model."""
    sandbox: Mapping[str, bool]
    """Layer of the sandbox -> whether the machine has it."""
    settings: str
    """The sum of the settings."""
    failures_of: str | None
    """The session whose failures this one repeats."""
    models: Sequence[str]
    tests: dict[str, dict[str, str]]
    """Test -> sums of its parts."""
    selected: Sequence[RowsInfo]
    deselected: int
    unfinished: Sequence[UnfinishedInfo]
    spent: AmountInfo
    sent: Mapping[str, Mapping[str, object]]
    """Model -> how requests to it were written, where it doesn't take them as lve writes them."""
    spent_unrecorded: AmountInfo
    summary: JsonObject | None
    """As `lve run --json` prints it; None before the end."""


AT_ONCE = 500
"""Tests that are written together."""
_ENCODER = json.JSONEncoder(indent=2)
_TESTS, _END = b'  "tests": {\n', b"  }"


def info_text(info: SessionInfo, tests: Iterable[bytes] | None = None) -> Iterator[bytes]:
    """Yield the text of a `session.json` in parts, without secrets.

    Args:
        info: its content.
        tests: the lines about the tests, if they aren't in `info`.
    """
    sums = info.get("tests")
    rest = _indented({**info, "tests": {}} if sums else info)
    lines = iter(_lines(sums) if sums else tests or ())
    if not (first := next(lines, b"")):
        yield rest + b"\n"
        return
    head, _, tail = rest.partition(b"\n" + _TESTS[:-1] + b"}")
    yield head + b"\n" + _TESTS + first
    yield from lines
    yield _END + tail + b"\n"


def _lines(tests: Mapping[str, object]) -> Iterator[bytes]:
    entries = iter(tests.items())
    end = b""
    while part := dict(islice(entries, AT_ONCE)):
        text = _indented({"tests": part}).removeprefix(b"{\n" + _TESTS)
        yield end + text.removesuffix(b"\n" + _END + b"\n}")
        end = b",\n"
    yield b"\n"


def _indented(value: Mapping[str, object]) -> bytes:
    return file_json(plain(value), _ENCODER.encode).encode("ascii")


def without_tests(lines: Iterable[bytes]) -> bytes:
    """Return a `session.json` that lve has written, as if it had no tests."""
    return b"".join(line for is_of_tests, line in _marked(lines) if not is_of_tests)


def lines_of_tests(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines about the tests: those that `without_tests` leaves out."""
    return (line for is_of_tests, line in _marked(lines) if is_of_tests)


def _marked(lines: Iterable[bytes]) -> Iterator[tuple[bool, bytes]]:
    """Yield each line, and whether it is about tests; in a file that is indented otherwise, no line
    is."""
    is_indented = is_inside = False
    for number, line in enumerate(lines):
        is_indented = line.startswith(b'  "') if number == 1 else is_indented
        is_inside = is_inside and not line.startswith(_END)
        yield is_inside, line
        is_inside = is_inside or (is_indented and line == _TESTS)


Pair = tuple[str, str]
"""A test and a model."""


class Unfinished(NamedTuple):
    """The tests of a session that haven't finished, each with its model."""

    is_known: bool
    """False after a crash, and if pytest ended the session early: then any test may be one."""
    pairs: frozenset[Pair] = frozenset()

    @classmethod
    def of(cls, info: SessionInfo) -> Unfinished:
        """Return the unfinished tests of a session.

        Args:
            info: the content of its `session.json`.
        """
        noted, status = info.get("unfinished"), info["status"]
        if status == "running" or (noted is None and status != "complete"):
            return cls(is_known=False)
        return cls(True, frozenset((test["test"], test["model"]) for test in noted or ()))

    def has(self, test: str, model: str) -> bool:
        """Whether a test may be unfinished against a model."""
        return not self.is_known or (test, model) in self.pairs
