"""Writing imported tests: hostile names and contents, existing folders, limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lve.errors import UsageError
from lve.extensions.importing import folders
from lve.extensions.importing.folders import document_bytes, write_tests
from lve.importers import ImportedTest

GOOD = ImportedTest("a/b", {"description": "x"}, {"rows.jsonl": '{"é": 1}\n', "x.png": b"\xff"})


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def refused(tmp_path: Path, *tests: ImportedTest) -> str:
    """Try to write tests, check that nothing was written, and return the message."""
    with pytest.raises(UsageError) as caught:
        write_tests(tests, tmp_path / "made")
    assert names(tmp_path) == []
    return str(caught.value)


def test_folders_are_written_whole(tmp_path: Path) -> None:
    write_tests([GOOD], tmp_path / "x" / "made")
    home = tmp_path / "x" / "made" / "a" / "b"
    assert names(home) == ["rows.jsonl", "test.json", "x.png"]
    assert (home / "rows.jsonl").read_bytes() == '{"é": 1}\n'.encode()
    assert (home / "test.json").read_text("utf-8") == '{\n  "description": "x"\n}\n'
    assert names(tmp_path / "x") == ["made"]


@pytest.mark.parametrize(
    ("prompt", "short"),
    [
        ([{"role": "user", "content": "Say {x}."}], "Say {x}."),
        ([{"role": "user", "content": "x.txt"}], [{"user": "x.txt"}]),
        (
            [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Say {x}."}],
            [{"system": "Be kind."}, {"user": "Say {x}."}],
        ),
        ([{"role": "user", "content": "Say {x}.", "name": "y"}], None),
        ([{"role": "tool", "content": "21"}], None),
        ([{"role": "user", "content": [{"type": "text", "text": "Say {x}."}]}], None),
        ([{"role": ["user"], "content": "Say {x}."}, 3], None),
        (3, None),
    ],
)
def test_messages_are_written_in_the_short_form(prompt: Any, short: Any) -> None:
    written = json.loads(document_bytes({"prompt": prompt}, "t"))
    assert written == {"prompt": prompt if short is None else short}


def test_an_empty_folder_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    write_tests([GOOD], tmp_path / "made")
    assert names(tmp_path / "made") == ["a"]


@pytest.mark.parametrize("what", ["file", "full", "link", "dangling"])
def test_nothing_is_overwritten(tmp_path: Path, what: str) -> None:
    made, other = tmp_path / "made", tmp_path / "other"
    if what == "file":
        made.write_text("mine")
    elif what == "full":
        made.mkdir()
        (made / "mine").touch()
    else:
        made.symlink_to(other)
        if what == "link":
            other.mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match="exists, and nothing is overwritten"):
        write_tests([GOOD], made)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../x", "/x", "x/", "x//y", "x/../y", ".git", "x\\y", "C:x", "x.", "x y"),
        *("x\ny", "x\x1b[2J", "\u202ex", "é", "-x", "x" * 81, "a/b/c/d/e", "instances", "Build"),
        "a/__pycache__",
    ],
)
def test_hostile_folders_are_refused(tmp_path: Path, name: str) -> None:
    assert "can't be in a folder" in refused(tmp_path, GOOD, ImportedTest(name, {}))


@pytest.mark.parametrize(
    "name",
    [
        *("../x.txt", "/x.txt", "a/x.txt", ".txt", "x", "x.py", "conftest.py", "lve.yaml"),
        *("test.json", "TEST.JSON", "test.yaml", "pyproject.toml", "x.txt\n", "x\u202e.txt"),
        *("instances/../x.jsonl", "instances/x.json", "instances/instances/x.jsonl", "instances/"),
    ],
)
def test_hostile_files_are_refused(tmp_path: Path, name: str) -> None:
    assert "can't have a file" in refused(tmp_path, ImportedTest("a", {}, {name: ""}))


@pytest.mark.parametrize(
    ("document", "files", "said"),
    [
        ({"a": float("nan")}, {}, "the document of the test a isn't JSON"),
        ({"a": {1}}, {}, "the document of the test a isn't JSON"),
        ({"a": "\ud800"}, {}, "characters that UTF-8 can't write"),
        ({}, {"x.txt": "\ud800"}, "the file x.txt of the test a has characters"),
        ({}, {"x.txt": 3}, "the file x.txt of the test a is neither text nor bytes"),
        ({}, {f"{n}.txt": "" for n in range(101)}, "the test a has 101 files"),
        ({}, {"x.txt": "", "X.txt": ""}, "can't have a file X.txt"),
    ],
)
def test_hostile_contents_are_refused(
    tmp_path: Path, document: Mapping[str, Any], files: Mapping[str, Any], said: str
) -> None:
    assert said in refused(tmp_path, ImportedTest("a", document, files))


def test_two_tests_are_not_in_one_folder(tmp_path: Path) -> None:
    said = refused(tmp_path, ImportedTest("a", {}), ImportedTest("A", {}))
    assert said == "two tests of the source would be in the folder A"


def test_a_folder_is_no_file_of_another_test(tmp_path: Path) -> None:
    refused(tmp_path, ImportedTest("a", {}), ImportedTest("a/test.json", {}))


def test_number_and_size_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no test" in refused(tmp_path)
    monkeypatch.setattr(folders, "MAX_TESTS", 1)
    assert "has 2 tests; 1 can be imported" in refused(tmp_path, GOOD, ImportedTest("c", {}))
    monkeypatch.setattr(folders, "MAX_BYTES", 10)
    assert "more than 10 bytes" in refused(tmp_path, GOOD)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file/made can't"):
        write_tests([GOOD], tmp_path / "file" / "made")


def test_the_registry_of_openais_evals_is_small_enough() -> None:
    assert folders.MAX_BYTES > 230_000_000  # what its tests take
