"""A session that several processes run together: each writes a part, one puts them together.

`results-gw0.jsonl` is the journal of the process `gw0`, `part-gw0.json` what it says at its end;
of one that was killed, `spent-gw0.json` says what it spent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from lve.documents.json_lines import plain
from lve.documents.json_text import decode_written
from lve.errors import SessionError
from lve.files.private import open_private, read_private
from lve.pipeline.sessions.spending import ledger_file, spent_by_killed, sum_of_amounts
from lve.results.journal import Journal, read_journal
from lve.results.session import PART_JOURNALS, SessionFolder, Status
from lve.results.session_file import MAX_BYTES, replace_result_file
from lve.spec.model import Expectation
from lve.verdicts.summary import Summary

# The worst that one of the parts says holds for all.
WORST_FIRST: tuple[Status, ...] = ("failed", "budget", "stopped", "interrupted", "complete")


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
    """Write what a process says at its end.

    Args:
        folder: of the session.
        name: of the process.
        status: how its part ended.
        summary: of the tests that it ran.
        known: `tests`, `models`, `paths`, `spent`, `spent_unrecorded` and `sent` of its part, as in
            `session.json`.

    Raises:
        SessionError: it can't be written.
    """
    expected = [
        [test, model, tally.is_sequential, tally.expect._asdict()]
        for (test, model), tally in summary.tallies.items()
    ]
    said = {"status": status, "expected": expected, **known}
    text = folder.redact(json.dumps(plain(said)))
    replace_result_file(_note(folder, name), text.encode("ascii"))


def merge_parts(folder: SessionFolder, *, is_interrupted: bool) -> Summary:
    """Make one session of the parts: `results.jsonl` and `session.json` as `lve run` writes them.

    Args:
        folder: of the session.
        is_interrupted: whether the processes were stopped before all work was handed out.

    Returns:
        The numbers of the whole session.

    Raises:
        SessionError: the files can't be read or written, or a process still writes one. The parts
            stay as they are.
    """
    journals = sorted(folder.path.glob(PART_JOURNALS))
    for journal in journals:
        # Waits for nobody, and cuts a line that a process was killed in.
        Journal(journal).close()
    notes = sorted(folder.path.glob("part-*.json"))  # whoever ends has its journal until then
    known = folder.info()
    killed = [one for one in map(_name_of, journals) if not _note(folder, one).exists()]
    lost = [
        spent_by_killed(ledger_file(folder.path, name), read_journal(_journal(folder, name)))
        for name in killed
    ]
    try:
        said = [decode_written(read_private(note, MAX_BYTES).decode("ascii")) for note in notes]
        _concatenate(folder, journals)
    except (OSError, ValueError) as error:
        raise SessionError(
            f"the parts of {folder.path} can't be put together: {error}", code="session_damaged"
        ) from error
    # A process that was killed says nothing at its end.
    is_whole = len(notes) == len(journals) and not is_interrupted
    status: Status = "complete" if is_whole else "interrupted"
    status = min((status, *(part["status"] for part in said)), key=WORST_FIRST.index)
    summary = _summary(folder, said, is_complete=status == "complete")
    tests = known.get("tests") or {}
    tests |= {test: sums for part in said for test, sums in part["tests"].items()}
    folder.end(
        status,
        summary=summary.to_json(),
        tests=dict(sorted(tests.items())),
        models=_all("models", known, said),
        paths=_all("paths", known, said),
        spent=sum_of_amounts(part["spent"] for part in (*said, *lost)),
        spent_unrecorded=sum_of_amounts(part["spent_unrecorded"] for part in (*said, *lost)),
        **all_sent(said),
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
        for test, model, sequential, expect in part["expected"]:
            summary.expect(test, model, Expectation(**expect), sequential=sequential)
    for result in folder.results():
        summary.add(result)
    if is_complete:
        summary.complete()
    return summary
