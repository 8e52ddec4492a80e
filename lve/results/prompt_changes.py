"""Which prompt objects changed since a test was last run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from lve.errors import SessionError
from lve.results.session import RUNS_FOLDER, SessionFolder, session_ids

SESSIONS_LOOKED_AT = 50
"""Of the latest. A test that none of them ran counts as new."""
SHOWN_DIGITS = 12

Sums = Mapping[str, Mapping[str, str]]
"""Test -> sums of its parts (`hashes_of`)."""


def prompt_changes(state: Path, tests: Sums) -> Iterator[str]:
    """Yield a sentence for each test whose prompt object differs from the one it last ran with.

    Args:
        state: `workspace.state`.
        tests: the sums of the tests that are about to run. Sessions are read only if one of them
            has a prompt object.
    """
    wanted = {
        test: sums["prompt_object"] for test, sums in tests.items() if "prompt_object" in sums
    }
    if not wanted:
        return
    for name in reversed(session_ids(state)[-SESSIONS_LOOKED_AT:]):
        if not wanted:
            return
        before = _sums_of(SessionFolder(state / RUNS_FOLDER / name))
        for test in [test for test in wanted if "prompt_object" in before.get(test, {})]:
            old, new = before[test]["prompt_object"], wanted.pop(test)
            if old != new:
                yield (
                    f"{test}: the prompt changed since session {name} "
                    f"({old[:SHOWN_DIGITS]} -> {new[:SHOWN_DIGITS]})"
                )


def _sums_of(session: SessionFolder) -> Sums:
    try:
        tests = session.info().get("tests")
    except SessionError:  # what an older session says is no reason to stop this one
        return {}
    if not isinstance(tests, Mapping):
        return {}
    return {test: sums for test, sums in tests.items() if isinstance(sums, Mapping)}
