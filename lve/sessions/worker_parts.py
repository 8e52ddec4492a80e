"""The parts of a session that several processes run together (pytest-xdist): each writes its own.

`results-gw0.jsonl` is the journal of the process `gw0`, `part-gw0.json` what it writes at its end.
If it was killed, `spent-gw0.json` says what it may have spent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_type_hints

from lve.documents.json_lines import file_json, plain
from lve.documents.json_text import decode_written
from lve.documents.validation.schema import complaints_about
from lve.files.inside import WHOLE_BYTES
from lve.files.owner_only import read_private
from lve.sessions.join_parts import WORST_FIRST, Part
from lve.sessions.journal.journal import Journal
from lve.sessions.journal.reading import read_journal
from lve.sessions.session_file import replace_result_file
from lve.sessions.session_folder import PART_JOURNALS, SessionFolder
from lve.sessions.session_info import SessionInfo
from lve.sessions.session_tests import SessionTest, TestKey, read_tests
from lve.sessions.spending import ledger_file, spent_by_killed
from lve.spec.spec import Expectation

PART_FIELDS = frozenset({"status", "tests", "models", "paths", "spent", "spent_unrecorded", "sent"})
"""The fields of a part that `session.json` has, too; `sent` may be missing."""
_NAMED = [str, str, bool, int, int, list]
"""Types of what a part says of a test before its expectation: its path, its model, whether it is
sequential, and how many rows and repeats a replay left out, and the first of these rows."""


def journal_of_part(folder: SessionFolder, name: str) -> Journal:
    """Open the journal of one process.

    Raises:
        SessionError: it can't be written.
    """
    return Journal(_journal(folder, name))


def write_part(folder: SessionFolder, name: str, part: Part) -> None:
    """Write the file with which a process ends its part.

    Args:
        folder: the session's folder.
        name: the process's name.
        part: what the process knows of it, without its journal.

    Raises:
        SessionError: the file can't be written.
    """
    expected = [
        [
            *(test.test, test.model, test.is_sequential),
            *(test.not_recorded, test.repeats_not_recorded, part.places.get(key, ())),
            test.expect._asdict(),
        ]
        for key, test in part.tests.items()
    ]
    text = file_json(plain({**part.info, "expected": expected}))
    replace_result_file(_note(folder, name), text.encode("ascii"))


def read_parts(folder: SessionFolder, info: SessionInfo) -> list[Part]:
    """Return the parts of all processes that ran a session. A session that is resumed may be
    damaged or forged.

    Args:
        folder: the session's folder.
        info: the valid content of its `session.json`, whose schema describes most of a part.

    Raises:
        OSError: a file can't be read.
        ValueError: a file is damaged.
        SessionError: a file can't be read, or a process still writes one.
    """
    for journal in folder.path.glob(PART_JOURNALS):
        # Raises if another process has it open; removes a line that a killed process left
        # unfinished.
        Journal(journal).close()
    begun = read_tests(folder.path)
    return [_read_part(folder, name, info, begun) for name in _names(folder)]


def remove_parts(folder: SessionFolder) -> None:
    """Remove the files of all parts, as far as that is possible: the journals first, because only a
    session with journals of parts is joined again."""
    names = _names(folder)
    for file_of in (_journal, _note, lambda folder, name: ledger_file(folder.path, name)):
        for name in names:
            with suppress(OSError):
                file_of(folder, name).unlink()


def _names(folder: SessionFolder) -> list[str]:
    """Return the names of the processes that ran the session."""
    journals = (file.stem.removeprefix("results-") for file in folder.path.glob(PART_JOURNALS))
    notes = (file.stem.removeprefix("part-") for file in folder.path.glob("part-*.json"))
    return sorted({*journals, *notes})


def _journal(folder: SessionFolder, name: str) -> Path:
    return folder.path / f"results-{name}.jsonl"


def _note(folder: SessionFolder, name: str) -> Path:
    return folder.path / f"part-{name}.json"


def _read_part(
    folder: SessionFolder, name: str, info: SessionInfo, begun: Mapping[TestKey, SessionTest]
) -> Part:
    """Return the part of one process; arguments as `read_parts`, and the tests that it began."""
    journal, note = _journal(folder, name), _note(folder, name)
    journals = [journal] if journal.exists() else []
    if not note.exists():  # The process was killed: it is written before the journal is closed.
        spent = spent_by_killed(ledger_file(folder.path, name), read_journal(journal))
        return Part(journals, {"status": "interrupted", **spent}, {})
    try:
        content = decode_written(read_private(note, WHOLE_BYTES).decode("ascii"))
        fields: Any = {field: content[field] for field in PART_FIELDS if field in content}
        is_whole = fields.keys() >= PART_FIELDS - {"sent"} and content["status"] in WORST_FIRST
        if is_whole and not complaints_about({**info, **fields}, "session").complaints:
            tests, places = dict[TestKey, SessionTest](), dict[TestKey, Sequence[str]]()
            for test, first_rows in _expected(content["expected"]):
                key = test.test, test.model
                tests[key] = begun.get(key, test).with_gaps(test)
                places[key] = first_rows
            return Part(journals, fields, tests, places)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise _damaged(note) from error
    raise _damaged(note)


def _damaged(note: Path) -> ValueError:
    return ValueError(
        f"{note.name} is damaged; if you remove it, its process counts as killed, and its results"
        " are kept"
    )


def _expected(rows: Sequence[Sequence[Any]]) -> Iterator[tuple[SessionTest, list[str]]]:
    """Yield the tests that a process says it has run, and the first rows that each left out.

    Raises:
        LookupError, TypeError, AttributeError: it isn't what a process writes.
    """
    for *named, expect in rows:
        if [type(value) for value in named] != _NAMED:
            raise TypeError("expected")
        test, model, is_sequential, count, repeats, places = named
        yield (
            SessionTest(
                test,
                model,
                expect=_expectation(expect),
                is_sequential=is_sequential,
                not_recorded=count,
                repeats_not_recorded=repeats,
            ),
            [*map(str, places)],
        )


def _expectation(fields: Mapping[str, Any]) -> Expectation:
    """Return the expectation with these fields.

    Raises:
        TypeError: a field is unknown, or of a wrong type.
        LookupError, AttributeError: it is none.
    """
    expect, kinds = Expectation(**fields), get_type_hints(Expectation)
    for name, value in expect._asdict().items():
        allowed = get_args(kinds[name]) or (kinds[name],)
        if value not in allowed and type(value) not in allowed:
            raise TypeError(name)
    return expect
