"""Finds the prompt objects that have changed since their tests last ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from lve.errors import SessionError
from lve.named_tuples import NamedTuple
from lve.sessions.session_file import RUNS_FOLDER, session_ids
from lve.sessions.session_folder import SessionFolder

MAX_SESSIONS = 50
"""Sessions that are searched, the latest first. A test that isn't in them counts as new."""
SHOWN_DIGITS = 12

Sums = Mapping[str, Mapping[str, str]]
"""Test -> part -> hash (`hashes_of`)."""


class PromptChange(NamedTuple):
    """A test whose prompt object has changed since it last ran."""

    test: str
    session: str
    """Id of the last session that ran it."""
    before: str
    """Hash of the prompt in that session."""
    now: str
    """Hash of the prompt now."""

    def __str__(self) -> str:
        before, now = self.before[:SHOWN_DIGITS], self.now[:SHOWN_DIGITS]
        return f"{self.test}: the prompt changed since session {self.session} ({before} -> {now})"


def prompt_changes(
    session_dir: Path, tests: Sums, *, before: str | None = None
) -> Iterator[PromptChange]:
    """Yield the tests whose prompt object has changed since they last ran.

    Args:
        session_dir: `workspace.session_dir`.
        tests: the tests that are about to run. Sessions are only read if a test has a prompt
            object.
        before: id of a session; only earlier ones are searched.
    """
    wanted = {
        test: parts["prompt_object"] for test, parts in tests.items() if "prompt_object" in parts
    }
    if not wanted:
        return
    earlier = [name for name in session_ids(session_dir) if before is None or name < before]
    for name in reversed(earlier[-MAX_SESSIONS:]):
        if not wanted:
            return
        sums = _sums_of(SessionFolder(session_dir / RUNS_FOLDER / name))
        for test in [test for test in wanted if "prompt_object" in sums.get(test, {})]:
            old, new = sums[test]["prompt_object"], wanted.pop(test)
            if old != new:
                yield PromptChange(test, name, old, new)


def _sums_of(session: SessionFolder) -> Sums:
    try:
        sums: Sums = session.info().get("tests", {})
    except SessionError:  # A damaged older session must not stop this one.
        return {}
    return sums
