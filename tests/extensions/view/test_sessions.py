"""What `lve view` shows of sessions, and what it keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.report_sessions import make_session
from support.results import make_result

from lve.cli.report_files import find_sessions
from lve.errors import UsageError
from lve.extensions.calibration.labels import read_labels
from lve.extensions.view import sessions as sessions_module
from lve.extensions.view.sessions import ViewedSessions
from lve.secrets.redaction import lasting_redactor
from lve.sessions.session_folder import SessionFolder

Shown = Callable[..., ViewedSessions]
PLACE = {"test": "repository/a", "model": "openai/m", "source": "instances/x.jsonl", "line": 1}


def growing(state: Path) -> SessionFolder:
    return SessionFolder.create(state, {"options": {}, "tests": {"repository/a": {}}})


def add(folder: SessionFolder, **changes: Any) -> None:
    journal = folder.open_journal()
    journal.append(make_result(**changes))
    journal.close()


@pytest.fixture
def shown() -> Shown:
    return ViewedSessions


def page_of(viewed: ViewedSessions) -> bytes:
    return viewed.page()


def rows(content: bytes) -> int:
    summary = content.split(b'id="summary">')[1].split(b"</script>")[0]
    return int(json.loads(summary)["rows"])


def test_the_page_grows_with_the_session(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions_module, "PAUSE_FACTOR", 0)
    monkeypatch.setattr(sessions_module, "MIN_PAUSE_S", -1.0)
    folder = growing(tmp_path)
    viewed = shown([folder], None, lambda _: None)
    assert rows(page_of(viewed)) == 0
    for line in (1, 2, 3):
        before = viewed.state()["version"]
        add(folder, line=line)
        assert viewed.state()["version"] != before
        assert rows(page_of(viewed)) == line


def test_a_page_is_not_made_again_for_everyone_who_asks(shown: Shown, tmp_path: Path) -> None:
    folder = growing(tmp_path)
    add(folder)
    viewed = shown([folder], None, lambda _: None)
    first = page_of(viewed)
    add(folder, line=2)
    assert page_of(viewed) == first
    assert viewed.state()["rest"] > 0
    assert viewed.state()["sessions"][0]["results"] == 2


def test_warnings_are_told_once(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions_module, "MIN_PAUSE_S", -1.0)
    monkeypatch.setattr(sessions_module, "PAUSE_FACTOR", 0)
    folder = growing(tmp_path)
    told: list[str] = []
    viewed = shown([folder], None, told.append)
    for line in (1, 2, 3):
        add(folder, line=line)
        page_of(viewed)
    assert len(told) == 1


def test_a_label_is_kept_where_calibrate_reads_it(shown: Shown, tmp_path: Path) -> None:
    folder = growing(tmp_path)
    add(folder)
    viewed = shown([folder], "ana", lambda _: None)
    viewed.label({"session": folder.id, **PLACE, "label": "wrong", "comment": "no"})
    (label,) = read_labels(folder.path / "labels.jsonl")
    assert (label.word, label.author, label.comment) == ("wrong", "ana", "no")
    assert label.place == ("repository/a", "openai/m", "instances/x.jsonl", 1, 0)
    assert viewed.labels() == [
        {
            "session": folder.id,
            **PLACE,
            "label": "wrong",
            "comment": "no",
            "author": "ana",
            "own": True,
        }
    ]
    other = shown([folder], None, lambda _: None)
    assert [one["own"] for one in other.labels()] == [False]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": "maybe"}, "this is no label"),
        ({"label": 3}, "this is no label"),
        ({"extra": 1}, "this is no label"),
        ({"comment": "x" * 20_000}, "this is no label"),
        ({"check": ""}, "this is no label"),
        ({"response": "x"}, "it isn't about a result of a session"),
        ({"args": {}}, "it isn't about a result of a session"),
        ({"line": 2}, "no such answer"),
        ({"line": True}, "a label names"),
        ({"line": "1"}, "a label names"),
        ({"repeat": None}, "a label names"),
        ({"repeat": 1}, "no such answer"),
        ({"test": None}, "a label names"),
        ({"test": "other"}, "no such answer"),
        ({"model": ["openai/m"]}, "a label names"),
        ({"session": "../.."}, "this session isn't shown"),
        ({"session": None}, "this session isn't shown"),
    ],
)
def test_what_is_no_label_of_an_answer_is_refused(
    shown: Shown, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    folder = growing(tmp_path)
    add(folder)
    viewed = shown([folder], "ana", lambda _: None)
    with pytest.raises(UsageError, match=said):
        viewed.label({"session": folder.id, **PLACE, "label": "right", **change})
    assert not (folder.path / "labels.jsonl").exists()


@pytest.mark.parametrize("given", [None, [], "x", 3])
def test_a_label_is_an_object(shown: Shown, tmp_path: Path, given: object) -> None:
    with pytest.raises(UsageError, match="a label is a JSON object"):
        shown([growing(tmp_path)], None, lambda _: None).label(given)


def test_nobody_labels_in_anothers_name_and_secrets_are_taken_out(
    shown: Shown, tmp_path: Path
) -> None:
    folder = growing(tmp_path)
    lasting_redactor(["sk-secret-12345"])
    add(folder)
    viewed = shown([folder], "ana", lambda _: None)
    told = {"comment": "says sk-secret-12345", "author": "ben"}
    viewed.label({"session": folder.id, **PLACE, "label": "right", **told})
    text = (folder.path / "labels.jsonl").read_text()
    assert "sk-secret" not in text
    assert json.loads(text)["author"] == "ana"


def test_several_sessions_are_shown_together(shown: Shown, tmp_path: Path) -> None:
    folders = [make_session(tmp_path, tests=1, models=1, repeats=1, seed=n) for n in (1, 2)]
    viewed = shown(folders, None, lambda _: None)
    assert [one["session"] for one in viewed.state()["sessions"]] == [one.id for one in folders]
    assert rows(page_of(viewed)) == sum(one["results"] for one in viewed.state()["sessions"])


def test_the_page_knows_who_labels(shown: Shown, tmp_path: Path) -> None:
    folder = growing(tmp_path)
    add(folder)
    content = page_of(shown([folder], "Ana", lambda _: None))
    assert b'"author": "Ana"' in content or b'"author":"Ana"' in content


def test_the_latest_session_is_followed(shown: Shown, tmp_path: Path) -> None:
    first, second = growing(tmp_path / "a"), growing(tmp_path / "b")
    latest = [first]
    viewed = shown([first], None, pytest.fail)
    before = viewed.state()["version"]
    viewed.follow(lambda: latest)
    assert viewed.state()["version"] == before
    latest[:] = [second]
    after = viewed.state()
    assert second.id in after["version"]
    assert after["version"] != before, "the page loads itself again"
    assert second.id.encode() in page_of(viewed)
    viewed.follow(lambda: find_sessions(tmp_path, ["no-such"]))
    assert viewed.state()["sessions"], "what is gone is still shown"
