"""A prompt object that has changed since an earlier session is reported."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lve.sessions.prompt_changes import MAX_SESSIONS, prompt_changes
from lve.sessions.session_folder import SessionFolder


def session(state: Path, second: int, tests: Any) -> str:
    started = datetime(2026, 11, 21, 12, second // 60, second % 60, tzinfo=UTC)
    return SessionFolder.create(state, {"tests": tests}, now=lambda: started).id


def changes(state: Path, **prompts: str) -> list[str]:
    tests = {test: {"prompt_object": prompt} for test, prompt in prompts.items()}
    return [str(change) for change in prompt_changes(state, tests)]


def test_the_last_session_of_each_test_counts(tmp_path: Path) -> None:
    session(tmp_path, 1, {"a": {"prompt_object": "1" * 64}, "b": {"prompt_object": "1" * 64}})
    last = session(tmp_path, 2, {"b": {"prompt_object": "2" * 64}, "c": {"document": "3"}})
    assert changes(tmp_path, a="1" * 64, b="1" * 64, c="1", new="4") == [
        f"b: the prompt changed since session {last} (222222222222 -> 111111111111)"
    ]


def test_only_sessions_before_one_count(tmp_path: Path) -> None:
    first = session(tmp_path, 1, {"a": {"prompt_object": "1"}})
    second = session(tmp_path, 2, {"a": {"prompt_object": "2"}})
    session(tmp_path, 3, {"a": {"prompt_object": "3"}})
    [change] = prompt_changes(tmp_path, {"a": {"prompt_object": "2"}}, before=second)
    assert (change.session, change.before, change.now) == (first, "1", "2")


def test_unreadable_sessions_are_passed_over(tmp_path: Path) -> None:
    first = session(tmp_path, 1, {"a": {"prompt_object": "1"}})
    for second, content in enumerate(["[]", "no", '{"version": 1, "tests": [1]}'], 2):
        name = session(tmp_path, second, {})
        (tmp_path / "runs" / name / "session.json").write_text(content)
    session(tmp_path, 9, {"a": 5})
    [change] = changes(tmp_path, a="2")
    assert first in change


def test_without_prompt_objects_no_session_is_read(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("not even a folder")
    assert list(prompt_changes(tmp_path, {"a": {"document": "1"}})) == []


def test_what_was_long_ago_is_not_looked_for(tmp_path: Path) -> None:
    session(tmp_path, 0, {"a": {"prompt_object": "1"}})
    for second in range(1, MAX_SESSIONS):
        session(tmp_path, second, {})
    assert len(changes(tmp_path, a="2")) == 1
    session(tmp_path, MAX_SESSIONS, {})
    assert changes(tmp_path, a="2") == []
