"""Folders of sessions."""

from __future__ import annotations

import json
import shutil
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.results import make_result

from lve.documents.validation.schema import load_schema
from lve.errors import NoSessionError, SessionError
from lve.secrets.redaction import lasting_redactor
from lve.sessions.provenance import hashes_of, versions
from lve.sessions.session_file import seconds_of, session_ids
from lve.sessions.session_folder import SessionFolder
from lve.spec.spec import Spec

SCHEMA = jsonschema.Draft202012Validator(load_schema("session"))
NOON = datetime(2026, 11, 21, 12, 0, 0, 42_000, tzinfo=UTC)


def create(state: Path, seconds: int = 0, **info: Any) -> SessionFolder:
    return SessionFolder.create(state, info, now=lambda: NOON + timedelta(seconds=seconds))


def test_ids_sort_by_time_and_are_unique(tmp_path: Path) -> None:
    ids = [create(tmp_path, seconds).id for seconds in (0, 0, 0, 1, 61, 4000)]
    assert len(set(ids)) == 6
    assert [name[:19] for name in ids] == sorted(name[:19] for name in ids)
    assert ids[0].startswith("20261121-120000-042-")
    assert session_ids(tmp_path) == sorted(ids)


def test_a_session_from_beginning_to_end(tmp_path: Path) -> None:
    session = create(
        tmp_path,
        versions=versions(),
        git=None,
        options={"max_connections": 64},
        models=["m"],
        tests={"a": {"document": "0"}},
    )
    SCHEMA.validate(session.info())
    assert session.info()["status"] == "running"
    journal = session.open_journal()
    journal.append(make_result())
    journal.close()
    session.end("interrupted", summary={"instances": {}})
    SCHEMA.validate(session.info())
    again = SessionFolder.find(tmp_path)
    again.begin_again({"max_requests": 9})
    SCHEMA.validate(again.info())
    assert again.info()["status"] == "running"
    assert len(again.info()["resumed"]) == 1
    assert again.info()["options"] == {"max_requests": 9}
    assert [result.id for result in again.results()] == [make_result().id]


def test_writing_many_tests_takes_little_more_memory_than_their_text(tmp_path: Path) -> None:
    tests = {f"test {n}": {part: f"{n}{part}" * 9 for part in "abcde"} for n in range(2000)}
    folder = create(tmp_path)
    tracemalloc.start()
    folder.write({**folder.info(), "tests": tests})
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    text = (folder.path / "session.json").read_text(encoding="ascii")
    assert text == json.dumps(json.loads(text), indent=2) + "\n"
    assert most < 5 * len(text)


def test_the_end_of_a_session_takes_no_memory_for_what_is_known_of_its_tests(
    tmp_path: Path,
) -> None:
    tests = {f"test {n}": {part: f"{n}{part}" * 9 for part in "abcde"} for n in range(2000)}
    folder = create(tmp_path, tests=tests, models=["m"])
    before = folder.info()
    tracemalloc.start()
    folder.end("complete", unfinished=[])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    text = (folder.path / "session.json").read_text(encoding="ascii")
    assert text == json.dumps(json.loads(text), indent=2) + "\n"
    assert most < len(text) / 4
    after = folder.info()
    assert list(after)[: len(before)] == list(before)
    assert after["tests"] == tests
    assert (after["status"], after["unfinished"]) == ("complete", [])


@pytest.mark.parametrize("tests", [{}, {"t": {}}, {"t": {"a": "1"}, "u": {"a": "2"}}, None])
@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_a_file_in_any_form_keeps_what_it_says_of_tests(
    tmp_path: Path, tests: dict[str, dict[str, str]] | None, indent: int | None
) -> None:
    folder = create(tmp_path, **({} if tests is None else {"tests": tests}))
    folder.update(summary={"tests": {"total": 3}, "rows": 1})
    file = folder.path / "session.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()), indent=indent), encoding="ascii")
    folder.update(status="stopped")
    assert folder.info().get("tests") == tests
    assert folder.info()["status"] == "stopped"
    assert folder.info()["summary"] == {"tests": {"total": 3}, "rows": 1}


def test_a_session_file_that_is_too_large_is_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = create(tmp_path)
    monkeypatch.setattr("lve.sessions.session_file.WHOLE_BYTES", 100)
    with pytest.raises(SessionError, match=r"session\.json can't be read"):
        folder.update(status="stopped")


def test_of_several_processes_the_first_creates_the_session(tmp_path: Path) -> None:
    first, is_new = SessionFolder.share(tmp_path, "20261121-120000-042-abcd", {"models": ["m"]})
    again, is_new_again = SessionFolder.share(tmp_path, first.id, {"models": ["another"]})
    assert (is_new, is_new_again) == (True, False)
    assert again.path == first.path
    assert again.info()["models"] == ["m"]
    assert session_ids(tmp_path) == [first.id]


def test_sessions_are_found_by_last_id_and_prefix(tmp_path: Path) -> None:
    first, second = create(tmp_path, 0), create(tmp_path, 3600)
    assert SessionFolder.find(tmp_path).id == second.id
    assert SessionFolder.find(tmp_path, first.id).id == first.id
    assert SessionFolder.find(tmp_path, "20261121-12").id == first.id
    with pytest.raises(SessionError, match=r"2 sessions begin with '2026'.*say more"):
        SessionFolder.find(tmp_path, "2026")
    with pytest.raises(SessionError, match=f"no session 'x'; the latest are .*{second.id}"):
        SessionFolder.find(tmp_path, "x")
    with pytest.raises(SessionError) as caught:
        SessionFolder.find(tmp_path, "x" * 100_000)
    assert len(str(caught.value)) < 1000
    with pytest.raises(SessionError, match="no session in"):
        SessionFolder.find(tmp_path / "empty")


def test_sessions_are_found_by_their_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = create(tmp_path / "w", 0), create(tmp_path / "w", 3600)
    monkeypatch.chdir(first.path)
    (tmp_path / "link").symlink_to("w")
    linked = tmp_path / "link" / "runs" / first.id
    for path in (first.path, f"{first.path}/", ".", f"../{first.id}", linked):
        for only_here in (False, True):
            assert SessionFolder.find(tmp_path / "w", str(path), only_here=only_here) == first
    copy = shutil.copytree(first.path, tmp_path / first.id)
    for path in (copy, f"x/{first.id}", f"{first.path}\0", f"{first.path}x", "./last"):
        with pytest.raises(NoSessionError):
            SessionFolder.find(tmp_path / "w", str(path))


def test_a_session_in_which_nothing_was_selected_is_not_the_last_one(tmp_path: Path) -> None:
    empty, interrupted, done, nothing = (create(tmp_path, seconds) for seconds in range(4))
    empty.end("complete")
    interrupted.end("interrupted")
    journal = done.open_journal()
    journal.append(make_result())
    journal.close()
    done.end("complete")
    nothing.end("complete")
    assert SessionFolder.find(tmp_path).id == done.id
    done.results_file.unlink()
    assert SessionFolder.find(tmp_path).id == interrupted.id, "there is all to go on with"
    interrupted.end("complete")
    assert SessionFolder.find(tmp_path).id == nothing.id, "the latest when none has a result"


@pytest.mark.parametrize("name", ["..", "../..", "/etc", "*", ""])
def test_a_name_never_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    create(tmp_path, 0)
    create(tmp_path, 1)
    with pytest.raises(SessionError):
        SessionFolder.find(tmp_path, name)


def test_no_secret_reaches_any_file(tmp_path: Path) -> None:
    secret = "sk-very-secret-0123456789"
    lasting_redactor([secret])
    session = SessionFolder.create(
        tmp_path,
        {
            "options": {
                "base_url": f"http://me:{secret}@h/v1?k={secret}",
                "model_args": {"api_key": secret},
            },
            "note": f"a sentence with {secret} in it",
        },
    )
    journal = session.open_journal()
    journal.append(make_result(reason=f"401: {secret}", responses=(secret,)))
    journal.close()
    session.end("failed", summary={"why": secret})
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or secret not in file.read_text()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 99}', "null"])
def test_an_unreadable_session_file_is_a_clear_error(tmp_path: Path, content: str) -> None:
    session = create(tmp_path)
    (session.path / "session.json").write_text(content)
    with pytest.raises(SessionError, match=r"session\.json"):
        session.info()


def test_a_session_file_of_another_format_names_both(tmp_path: Path) -> None:
    session = create(tmp_path)
    file = session.path / "session.json"
    file.write_text(json.dumps({**session.info(), "version": 99}))
    with pytest.raises(SessionError, match=r"has format 99 .*use the lve that wrote it"):
        session.info()


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ({"options": []}, r"\$\.options: must be an object, not a list"),
        ({"options": {"models": "m"}}, r"\$\.options\.models: must be a list, not text"),
        ({"options": {"parameters": 5}}, r"\$\.options\.parameters: must be an object"),
        ({"options": {"max_request": 5}}, "did you mean `max_requests`"),
        ({"paths": None}, r"\$\.paths: must be a list, not null"),
        ({"paths": [1, 2, 3, 4, 5]}, r"\$\.paths\[2\]: .*; and 2 more"),
        ({"spent_unrecorded": {"request": 1}}, r"\$\.spent_unrecorded"),
        ({"status": "done"}, r"\$\.status"),
    ],
)
def test_a_damaged_session_file_says_what_is_wrong_and_where(
    tmp_path: Path, damage: dict[str, Any], expected: str
) -> None:
    session = create(tmp_path)
    file = session.path / "session.json"
    file.write_text(json.dumps({**session.info(), **damage}))
    with pytest.raises(SessionError, match=rf"session\.json was damaged: .*{expected}"):
        session.info()


@pytest.mark.parametrize("key", ["options", "paths", "status"])
def test_a_session_file_that_lacks_something_says_so(tmp_path: Path, key: str) -> None:
    session = create(tmp_path)
    content = {name: value for name, value in session.info().items() if name != key}
    (session.path / "session.json").write_text(json.dumps(content))
    with pytest.raises(SessionError, match=rf"session\.json was damaged: .*{key}.*"):
        session.info()


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(SessionError, match="--session-dir"):
        create(tmp_path / "state")


def test_hashes_change_with_what_they_cover_and_with_nothing_else(tmp_path: Path) -> None:
    files = {
        "test.json": "{}",
        "test.prompt": "hi",
        "instances/a.jsonl": "{}",
        "checker/checker.py": "x",
        "README.md": "about",
        "deeper/test.json": "{}",
        "deeper/checker.py": "y",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    spec = Spec(tmp_path / "test.json", tmp_path, ".", "c", "n", "d")
    before = hashes_of(spec)
    assert set(before) == {
        "document",
        "prompts",
        "data",
        "checkers",
        "messages",
        "checks",
        "model_args",
        "inputs",
    }
    changes = {
        "test.json": {"document"},
        "test.prompt": {"prompts"},
        "instances/a.jsonl": {"data"},
        "checker/checker.py": {"checkers"},
        "README.md": set(),
        "deeper/checker.py": set(),
    }
    for name, groups in changes.items():
        (tmp_path / name).write_text(files[name] + " ")
        after = hashes_of(spec)
        assert {group for group in before if before[group] != after[group]} == groups
        (tmp_path / name).write_text(files[name])
    assert json.loads(json.dumps(before)) == hashes_of(spec)


@pytest.mark.parametrize(
    ("started", "ended", "seconds"),
    [
        ("2026-11-20T09:30:00+00:00", "2026-11-20T09:31:30+00:00", 90),
        ("2026-11-20T09:30:00+00:00", None, None),
        ("2026-11-20T09:30:00+00:00", "2026-11-20T09:00:00+00:00", 0),
        ("yesterday", "2026-11-20T09:31:30+00:00", None),
    ],
)
def test_the_time_is_known_where_the_session_says_it(
    started: str, ended: str | None, seconds: float | None
) -> None:
    assert seconds_of({"started": started, "ended": ended}) == seconds
