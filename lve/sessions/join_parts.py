"""Joins the parts of a session: those of processes that ran it together, and the shards of a run.

Each part has journals, says what it lacks of its tests, and has fields as in `session.json`. The
whole has all lines of the journals, the sum of what the parts lack, and of what they spent.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lve.files.owner_only import open_private
from lve.named_tuples import NamedTuple
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo, Status, Unfinished
from lve.sessions.session_tests import SessionTest, TestKey, append_tests, read_tests
from lve.sessions.spending import sum_of_amounts

WORST_FIRST: tuple[Status, ...] = ("failed", "budget", "stopped", "interrupted", "complete")
"""A joined session has the worst status of its parts."""


class Part(NamedTuple):
    """What one process, or one shard, has written of a session."""

    journals: Sequence[Path]
    info: SessionInfo
    """Fields of `session.json`: at least `status`."""
    tests: Mapping[TestKey, SessionTest]
    """What it says of its tests."""
    places: Mapping[TestKey, Sequence[str]] = {}
    """The first rows of each test that a replay left out."""


def join(whole: SessionFolder, parts: Sequence[Part]) -> SessionInfo:
    """Append the results of all parts to a session's journal, and what they say of their tests to
    `tests.jsonl`, unless that says so already.

    Args:
        whole: the folder of the joined session.
        parts: in the order in which their results follow each other.

    Returns:
        The fields of `session.json` that sum up the parts: `status`, `spent`, `spent_unrecorded`
        and, if any has it, `sent`.

    Raises:
        OSError: a journal can't be read or written.
        SessionError: `tests.jsonl` can't be read or written.
    """
    _append_journals(whole.results_file, parts)
    written = read_tests(whole.path)
    tests = (test for test in _joined_tests(parts) if written.get((test.test, test.model)) != test)
    append_tests(whole.path, tests)
    infos = [part.info for part in parts]
    sent = {model: fields for info in infos for model, fields in info.get("sent", {}).items()}
    return {
        "status": min((info["status"] for info in infos), key=WORST_FIRST.index),
        "spent": sum_of_amounts(info.get("spent") for info in infos),
        "spent_unrecorded": sum_of_amounts(info.get("spent_unrecorded") for info in infos),
        **({"sent": sent} if sent else {}),
    }


def _append_journals(results_file: Path, parts: Iterable[Part]) -> None:
    from shutil import copyfileobj  # late: it loads compression formats

    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    with os.fdopen(open_private(results_file, flags), "ab") as whole:
        for part in parts:
            for journal in part.journals:
                with os.fdopen(open_private(journal, os.O_RDONLY), "rb") as lines:
                    copyfileobj(lines, whole)
        whole.flush()
        os.fsync(whole.fileno())


def _joined_tests(parts: Sequence[Part]) -> list[SessionTest]:
    """Return what all parts say of their tests, those of skipped and invalid tests last."""
    joined: dict[TestKey, SessionTest] = {}
    ran: set[str] = set()
    for part in parts:
        unfinished = Unfinished.of(part.info)
        ran.update(test for test, model in part.tests if model and (test, None) not in part.tests)
        for key, test in part.tests.items():
            has_left = unfinished.has(test.test, test.model or "")
            test = test if has_left else test._replace(left=0)
            joined[key] = _plus(joined.get(key), test)
    for name in [test.test for test in joined.values() if test.not_recorded]:
        if name in ran:  # that a part had no recorded answer of it isn't why to skip the whole
            joined.pop((name, None), None)
    whole = (test._replace(left=test.left or None) for test in joined.values())
    return sorted(whole, key=lambda test: test.model is None)


def _plus(before: SessionTest | None, test: SessionTest) -> SessionTest:
    """Return a test of one more part with what all of them lack; what one doesn't know, none
    does."""
    if before is None:
        return test
    left = None if before.left is None or test.left is None else before.left + test.left
    return test._replace(
        not_recorded=before.not_recorded + test.not_recorded,
        repeats_not_recorded=before.repeats_not_recorded + test.repeats_not_recorded,
        left=left,
    )
