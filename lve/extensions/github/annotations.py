"""Reports for GitHub Actions: annotations on the lines of test documents, and the step's summary.

Annotations are workflow commands, which are lines that a step prints. Untrusted text in them is
escaped by GitHub's rules, so it can't end the command or start another one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import click

from lve.cli.printing import print_message
from lve.documents.read import read_document
from lve.errors import LveError
from lve.escape import escape_line, one_line
from lve.files.atomic_file import unwritable
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.reporting.files.markdown import markdown
from lve.verdicts.recorded_session import RecordedSession
from lve.verdicts.tally import Tally

MAX_ANNOTATIONS = 10
"""How many annotations of each level GitHub shows for a step."""
MAX_SUMMARY_BYTES = 1024 * 1024
"""GitHub doesn't show the summary of a step if it is longer."""
MAX_MESSAGE = 600
"""Columns of an annotation's message, and of its title."""
CHECK_KEYS = ("check", "checks", "checkers", "checker_args", "prompt")
"""Keys of a test document to annotate; the first one that it has."""
_PROBLEM = re.compile(r"([^\n:]{1,1000}):(\d{1,9})(?::\d{1,9})?: ?(.*)", re.DOTALL)

Level = Literal["error", "warning"]


class Annotation(NamedTuple):
    """A note on a line of a file."""

    level: Level
    message: str
    title: str
    file: str | None = None
    """Its path relative to the checkout."""
    line: int | None = None

    def __str__(self) -> str:
        """Return the annotation as a workflow command."""
        file = None if self.file is None else escape_line(self.file)
        fields = {"file": file, "line": self.line, "title": one_line(self.title, MAX_MESSAGE)}
        properties = ",".join(
            f"{name}={_property(str(value))}" for name, value in fields.items() if value is not None
        )
        return f"::{self.level} {properties}::{_data(one_line(self.message, MAX_MESSAGE))}"


def annotate(sessions: Sequence[RecordedSession], root: Path) -> None:
    """Print annotations of the test documents of sessions, and append their summary to the step's.

    Args:
        sessions: the sessions.
        root: the root of the workspace with the test documents.

    Raises:
        UsageError: the summary can't be written.
    """
    for line in annotation_lines(sessions, root, os.environ):
        click.echo(line, err=True)  # already escaped by GitHub's rules
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        append_summary(sessions, Path(summary))
    else:
        print_message(
            "GITHUB_STEP_SUMMARY isn't set, so this is no step of GitHub Actions: no summary"
        )


def annotation_lines(
    sessions: Sequence[RecordedSession], root: Path, environment: Mapping[str, str]
) -> list[str]:
    """Return workflow commands that annotate test documents, at most `MAX_ANNOTATIONS` per level.
    If there are more, the last one says how many.

    Args:
        sessions: the sessions whose tests are annotated.
        root: the root of the workspace with the test documents. Deleted documents are left out.
        environment: the environment variables of the step.
    """
    checkout = Path(environment.get("GITHUB_WORKSPACE") or Path.cwd())
    of_all = [
        annotation for session in sessions for annotation in _annotations(session, root, checkout)
    ]
    lines: list[str] = []
    for level in ("error", "warning"):
        some = [annotation for annotation in of_all if annotation.level == level]
        printed = some if len(some) <= MAX_ANNOTATIONS else some[: MAX_ANNOTATIONS - 1]
        lines += map(str, printed)
        if len(printed) < len(some):
            more = amount(len(some) - len(printed), "more test")
            message = f"{more} like these; the step's summary has them"
            lines.append(str(Annotation(level, message, f"lve: {more}")))
    return lines


def append_summary(sessions: Sequence[RecordedSession], file: Path) -> None:
    """Append the summary of sessions to that of the step, within GitHub's limit.

    Args:
        sessions: the sessions to sum up.
        file: the file that `GITHUB_STEP_SUMMARY` names.

    Raises:
        UsageError: the file can't be written.
    """
    try:
        with file.open("ab") as stream:
            text = markdown(sessions, max(MAX_SUMMARY_BYTES - stream.tell(), 0))
            stream.write(text.encode("utf-8"))
    except OSError as error:
        raise unwritable("the step's summary", error) from error


def _annotations(session: RecordedSession, root: Path, checkout: Path) -> Iterator[Annotation]:
    for test, problems in sorted(session.summary.invalid.items()):
        yield _problem_annotation(test, problems[0] if problems else "invalid", checkout)
    for tally in session.tallies:
        verdict, reason = tally.verdict()
        is_annotated = tally.test in session.summary.invalid and verdict != "failed"
        if verdict == "passed" or is_annotated:
            continue
        is_advice = tally.is_advisory and verdict != "error"
        level: Level = "warning" if is_advice or verdict == "inconclusive" else "error"
        title = f"lve: {tally.test or '.'} {verdict} ({tally.model})"
        document = session.tests[tally.test, tally.model].document
        place = _place(root, document, checkout, tally) if document else (None, None)
        yield Annotation(level, _message(tally, reason), title, *place)


def _message(tally: Tally, reason: str) -> str:
    first = next(iter(tally.examples), None)
    example = f"{first.place}: {first.reason or first.verdict}" if first else ""
    return "; ".join(filter(None, [reason, example]))


def _problem_annotation(test: str, problem: str, checkout: Path) -> Annotation:
    """Return the annotation of a problem. Its file, relative to the current folder, is parsed from
    its text."""
    title = f"lve: {test or '.'} can't be used"
    match = _PROBLEM.match(problem)
    relative = os.path.relpath(match[1], checkout) if match else ".."
    if match is None or relative.startswith(".."):
        return Annotation("error", problem, title)
    return Annotation("error", match[3], title, Path(relative).as_posix(), int(match[2]))


def _place(
    root: Path, document: str, checkout: Path, tally: Tally
) -> tuple[str, int | None] | tuple[None, None]:
    """Return the file and line to annotate: that of the test's check. Returns None twice if the
    document lies outside of the workspace: a forged `session.json` may name any file."""
    file = root / document
    relative = os.path.relpath(file, checkout)
    if os.path.isabs(document) or ".." in Path(document).parts or relative.startswith(".."):  # noqa: PTH117
        return None, None
    return Path(relative).as_posix(), _line(root, file, tally)


def _line(root: Path, file: Path, tally: Tally) -> int | None:
    try:
        document = read_document(file, root)
    except LveError:
        return None
    keys = document.data if isinstance(document.data, dict) else {}
    names = CHECK_KEYS if tally.expect.kind == "pass" else ("expect", *CHECK_KEYS)
    key = next((key for key in names if key in keys), None)
    place = document.position((key,), key=True) if key else None
    return place[0] if place else 1


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
