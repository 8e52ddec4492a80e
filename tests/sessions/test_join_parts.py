"""What the parts of a session say together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lve.sessions.join_parts import Part, join
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, read_tests

STOPPED = {"status": "stopped", "unfinished": [{"test": "t", "model": "m"}]}


def joined(place: Path, *parts: tuple[dict[str, Any], SessionTest]) -> Any:
    """Join parts that have one test each, and return what `session.json` and the tests say."""
    whole = SessionFolder.create(place, {"options": {}})
    pieces = [Part([], info, {(test.test, test.model): test}) for info, test in parts]
    return join(whole, pieces), read_tests(whole.path)


def test_a_test_lacks_what_all_parts_lack(tmp_path: Path) -> None:
    lacks = SessionTest("t", "m", not_recorded=1, left=2)
    done = {"status": "complete"}
    fields, tests = joined(tmp_path, (STOPPED, lacks), (STOPPED, lacks), (done, lacks))
    assert (tests["t", "m"].not_recorded, tests["t", "m"].left) == (3, 4)
    assert fields["status"] == "stopped"


def test_what_a_part_does_not_know_is_not_known(tmp_path: Path) -> None:
    lacks = SessionTest("t", "m", left=2)
    parts = (STOPPED, lacks), (STOPPED, lacks._replace(left=None)), (STOPPED, lacks)
    assert joined(tmp_path, *parts)[1]["t", "m"].left is None


def test_a_test_that_one_part_ran_is_not_skipped_for_want_of_answers(tmp_path: Path) -> None:
    done = {"status": "complete"}
    skipped = SessionTest("t", skipped="nothing is recorded")
    ran = SessionTest("t", "m", not_recorded=2)
    assert [*joined(tmp_path, (done, skipped), (done, ran))[1]] == [("t", "m")]
    assert [*joined(tmp_path, (done, skipped), (done, skipped))[1]] == [("t", None)]


def test_amounts_are_summed_and_changed_requests_are_kept(tmp_path: Path) -> None:
    test = SessionTest("t", "m")
    first = {"status": "complete", "spent": {"cost": 0.5, "requests": 1}, "sent": {"m": {"a": 1}}}
    killed = {"status": "interrupted", "spent": {"cost": 0.25}}
    fields, _ = joined(tmp_path, (first, test), (killed, test))
    assert fields["spent"] == {"cost": 0.75, "tokens": 0, "requests": 1}
    assert (fields["status"], fields["sent"]) == ("interrupted", {"m": {"a": 1}})
