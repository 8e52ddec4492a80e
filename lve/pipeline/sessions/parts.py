"""A session that several processes run together (pytest-xdist): each writes a part, and one of them
merges the parts.

`results-gw0.jsonl` is the journal of the process `gw0`, `part-gw0.json` what it writes at its end.
If it was killed, `spent-gw0.json` says what it may have spent.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_type_hints

from lve.documents.json_lines import plain, redacted_json
from lve.documents.json_text import decode_written
from lve.documents.schema import complaints_about
from lve.errors import SessionError
from lve.files.private import open_private, read_private
from lve.pipeline.sessions.description import gaps
from lve.pipeline.sessions.spending import ledger_file, spent_by_killed, sum_of_amounts
from lve.results.journal import Journal, read_journal
from lve.results.session import PART_JOURNALS, SessionFolder, Status
from lve.results.session_file import MAX_BYTES, replace_result_file
from lve.results.session_tests import append_tests
from lve.spec.model import Expectation
from lve.verdicts.not_recorded import NotRecorded
from lve.verdicts.summary import Summary

WORST_FIRST: tuple[Status, ...] = ("failed", "budget", "stopped", "interrupted", "complete")
"""A merged session has the worst status of its parts."""
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
    return Journal(_journal(folder, name), redact=folder.redact)


def _journal(folder: SessionFolder, name: str) -> Path:
    return folder.path / f"results-{name}.jsonl"


def _note(folder: SessionFolder, name: str) -> Path:
    return folder.path / f"part-{name}.json"


def _name_of(journal: Path) -> str:
    return journal.stem.removeprefix("results-")


def write_part(
    folder: SessionFolder, name: str, status: Status, summary: Summary, known: Mapping[str, Any]
) -> None:
    """Write the file with which a process ends its part.

    Args:
        folder: the session's folder.
        name: the process's name.
        status: how its part ended.
        summary: the summary of the tests that it ran.
        known: `tests`, `models`, `paths`, `spent`, `spent_unrecorded` and `sent` of its part, as in
            `session.json`.

    Raises:
        SessionError: the file can't be written.
    """
    expected = [
        [
            *(test, model, tally.is_sequential),
            *(missing.count, missing.repeats, missing.places),
            tally.expect._asdict(),
        ]
        for (test, model), tally in summary.tallies.items()
        for missing in [tally.not_recorded]
    ]
    part = {"status": status, "expected": expected, **known}
    text = redacted_json(plain(part), folder.redact)
    replace_result_file(_note(folder, name), text.encode("ascii"))


def merge_parts(folder: SessionFolder, *, is_interrupted: bool) -> Summary:
    """Merge the parts to `results.jsonl` and `session.json`, as `lve run` writes them.

    Args:
        folder: the session's folder.
        is_interrupted: whether the processes were stopped before all instances were submitted.

    Returns:
        The summary of the whole session.

    Raises:
        SessionError: the files can't be read or written, or a process still writes one. The parts
            stay as they are.
    """
    journals = sorted(folder.path.glob(PART_JOURNALS))
    for journal in journals:
        # Raises if another process has it open; removes a line that a killed process left
        # unfinished.
        Journal(journal).close()
    notes = sorted(folder.path.glob("part-*.json"))  # written before the journal is closed
    known = folder.info()
    killed = [one for one in map(_name_of, journals) if not _note(folder, one).exists()]
    lost = [
        spent_by_killed(ledger_file(folder.path, name), read_journal(_journal(folder, name)))
        for name in killed
    ]
    try:
        parts = [_read_part(note, known) for note in notes]
        _concatenate(folder, journals)
    except (OSError, ValueError) as error:
        raise SessionError(
            f"the parts of {folder.path} can't be put together: {error}", code="session_damaged"
        ) from error
    # A killed process has no file of its end.
    is_whole = len(notes) == len(journals) and not is_interrupted
    status: Status = "complete" if is_whole else "interrupted"
    status = min((status, *(part["status"] for part in parts)), key=WORST_FIRST.index)
    summary = _summary(folder, parts, is_complete=status == "complete")
    append_tests(folder.path, gaps(summary), folder.redact)
    tests = known.get("tests") or {}
    tests |= {test: sums for part in parts for test, sums in part["tests"].items()}
    folder.end(
        status,
        summary=summary.to_json(),
        tests=dict(sorted(tests.items())),
        models=_all("models", known, parts),
        paths=_all("paths", known, parts),
        spent=sum_of_amounts(part["spent"] for part in (*parts, *lost)),
        spent_unrecorded=sum_of_amounts(part["spent_unrecorded"] for part in (*parts, *lost)),
        **all_sent(parts),
    )
    ledgers = [ledger_file(folder.path, _name_of(journal)) for journal in journals]
    for file in (*journals, *notes, *ledgers):
        with suppress(OSError):
            file.unlink()
    return summary


def all_sent(infos: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the field `sent` of all parts or sessions together; nothing if none has it."""
    sent = {model: fields for info in infos for model, fields in info.get("sent", {}).items()}
    return {"sent": sent} if sent else {}


def _all(field: str, known: Mapping[str, Any], said: Iterable[Mapping[str, Any]]) -> list[str]:
    return sorted({text for one in (known, *said) for text in one.get(field, ())})


def _read_part(note: Path, session: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a process wrote at its end. A session that is resumed may be damaged or forged.

    Args:
        note: the file.
        session: the valid content of `session.json`, whose schema describes most of a part.

    Raises:
        OSError: the file can't be read.
        ValueError: it is damaged.
    """
    try:
        part = decode_written(read_private(note, MAX_BYTES).decode("ascii"))
        expected = [(*names, _expectation(expect)) for *names, expect in part["expected"]]
        are_named = all([type(name) for name in one[:-1]] == _NAMED for one in expected)
        shared = {name: part[name] for name in PART_FIELDS if name in part}
        is_whole = shared.keys() >= PART_FIELDS - {"sent"} and part["status"] in WORST_FIRST
        is_valid = not complaints_about({**session, **shared}, "session").complaints
        if are_named and is_whole and is_valid:
            return {**shared, "expected": expected}
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{note.name} is damaged") from error
    raise ValueError(f"{note.name} is damaged")


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


def _concatenate(folder: SessionFolder, journals: Iterable[Any]) -> None:
    from shutil import copyfileobj  # imports the compression formats

    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    with os.fdopen(open_private(folder.path / "results.jsonl", flags), "ab") as whole:
        for journal in journals:
            with os.fdopen(open_private(journal, os.O_RDONLY), "rb") as part:
                copyfileobj(part, whole)


def _summary(folder: SessionFolder, said: list[dict[str, Any]], *, is_complete: bool) -> Summary:
    summary = Summary()
    for part in said:
        for test, model, sequential, rows, repeats, places, expect in part["expected"]:
            tally = summary.expect(test, model, expect, sequential=sequential)
            missing = NotRecorded(rows, [*map(str, places)], repeats, folder=test)
            tally.not_recorded.merge(missing)
    for result in folder.results():
        summary.add(result)
    if is_complete:
        summary.complete()
    return summary
