"""Tests by their names: what `lve check greeting` means, and where `lve new greeting` puts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test

from lve.errors import UsageError
from lve.extensions.authoring.places import documents_of_name, folder_of_new_test


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with two categories of tests."""
    monkeypatch.chdir(workspace(tmp_path))
    for name in ("manners/greeting", "manners/bye", "trust/bye", "20261128-1"):
        write_test(tmp_path / "repository" / name)
    return tmp_path


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("greeting", "manners/greeting"),
        ("manners/greeting", "manners/greeting"),
        ("manners/greeting/", "manners/greeting"),
        ("trust/bye", "trust/bye"),
        ("reeting", None),
        ("greeting/test.json", None),
        ("manners", None),
        ("repository/greeting", None),  # begins as a path
        ("../greeting", None),
        ("/greeting", None),
        ("", None),
        ("last", None),
        ("20261128-1", None),  # the name of a session
        ("g" * 5000, None),
        ("greet\0ing", None),
    ],
)
def test_a_name_is_the_end_of_a_path(root: Path, word: str, means: str | None) -> None:
    named = [] if means is None else [Path("repository", means, "test.json")]
    assert documents_of_name(word) == named


def test_a_path_comes_first(root: Path) -> None:
    write_test(root / "greeting")
    assert documents_of_name("greeting") == []
    listed = json.loads(call("list", "greeting", "--json")[1])["tests"]
    assert [test["path"] for test in listed] == ["greeting"]


def test_a_name_of_several_tests_is_refused_with_their_paths(root: Path) -> None:
    with pytest.raises(UsageError, match=r"names 2 tests: repository/manners/bye, repository/tru"):
        call("check", "bye")


def test_no_folder_is_searched_outside_of_a_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(tmp_path / "tests" / "greeting")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="greeting does not exist"):
        call("check", "greeting")


def test_names_hold_in_folders_below_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / "repository" / "trust")
    assert documents_of_name("manners/bye") == [root / "repository/manners/bye/test.json"]


@pytest.mark.parametrize("verb", ["check", "list", "show", "render", "contrib readme"])
def test_verbs_take_names(verb: str, root: Path) -> None:
    assert call(*verb.split(), "greeting")[0] == 0
    assert isinstance(lve(*verb.split(), "greetin", code=2).exception, UsageError)


def test_a_session_remembers_the_path(root: Path) -> None:
    call("run", "greeting", "-m", "dummy/dummy")
    (session,) = (root / ".lve" / "runs").iterdir()
    assert "repository/manners/greeting" in (session / "results.jsonl").read_text("utf-8")


def test_a_new_test_starts_from_a_name(root: Path) -> None:
    assert call("new", "trust/other", "--from", "greeting")[0] == 0
    assert (root / "repository/trust/other/test.yaml").is_file()


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("hi", "repository/hi"),
        ("manners/hi", "repository/manners/hi"),
        ("repository/hi", "repository/hi"),
        ("../hi", "../hi"),
        ("/tmp/hi", "/tmp/hi"),
    ],
)
def test_a_new_test_is_put_where_tests_are(root: Path, typed: str, place: str) -> None:
    assert folder_of_new_test(Path(typed), root) == Path(place)


def test_elsewhere_a_new_test_is_put_where_one_stands(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "repository" / "trust")
    assert folder_of_new_test(Path("hi"), root) == Path("hi")
