from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lve.errors import Problem, UsageError
from lve.spec.discover import discover


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (
        "repo/privacy/test.json",
        "repo/privacy/emails/test.yaml",
        "repo/privacy/emails/instances/test.json",
        "repo/privacy/names/openai--gpt-4/test.json",
        "repo/both/test.json",
        "repo/both/test.yaml",
        "repo/.hidden/test.json",
        "repo/node_modules/x/test.json",
        "repo/notes/README.md",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    return tmp_path


pytestmark = pytest.mark.usefixtures("tree")

ALL = [
    "repo/both/test.json",
    "repo/privacy/test.json",
    "repo/privacy/emails/test.yaml",
    "repo/privacy/names/openai--gpt-4/test.json",
]


def no_problem(problem: Problem) -> None:
    raise AssertionError(problem)


def found(*paths: str | Path) -> list[str]:
    return [path.as_posix() for path in discover(paths, report=no_problem)]


def test_a_tree_is_searched_in_order() -> None:
    assert found("repo") == ALL


def test_a_path_that_is_named_often_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[object] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (searched.append(path), scandir(path))[1])
    assert found(*["repo"] * 50) == ALL
    assert len(searched) == len(set(searched))


def test_the_current_folder_can_be_searched() -> None:
    assert found(".") == ALL


def test_a_file_is_taken_as_it_is() -> None:
    assert found("repo/privacy/test.json") == ["repo/privacy/test.json"]


def test_a_test_is_found_once() -> None:
    assert found("repo/privacy", Path("repo"), "./repo/both") == [*ALL[1:], ALL[0]]


def test_a_glob_may_match_files_and_folders() -> None:
    assert found("repo/**/test.yaml") == ["repo/both/test.yaml", ALL[2]]
    assert found("repo/priv*") == ALL[1:]


def test_a_glob_leaves_out_what_a_search_leaves_out() -> None:
    assert "node_modules" not in " ".join(found("repo/**/test.json"))


def test_a_folder_without_tests_has_none() -> None:
    assert found("repo/notes") == []


def test_an_empty_folder_is_said_beside_others() -> None:
    problems: list[Problem] = []
    list(discover(["repo/notes", "repo/both", "repo/both"], report=problems.append))
    assert [(str(problem.file), problem.severity) for problem in problems] == [
        ("repo/notes", "warning")
    ]


def test_a_named_hidden_folder_is_searched() -> None:
    assert found("repo/.hidden") == ["repo/.hidden/test.json"]


def test_a_missing_path_names_a_similar_one() -> None:
    with pytest.raises(UsageError, match="did you mean repo/privacy"):
        found("repo/privcy")


def test_other_files_are_refused() -> None:
    with pytest.raises(UsageError, match="is not a test document"):
        found("repo/notes/README.md")


def test_a_glob_without_matches_is_refused() -> None:
    with pytest.raises(UsageError, match="matches no"):
        found("repo/*.xml")


def test_links_to_folders_are_not_followed(tree: Path) -> None:
    (tree / "repo" / "loop").symlink_to(tree / "repo", target_is_directory=True)
    assert found("repo") == ALL


@pytest.fixture
def deep(tree: Path) -> str:
    """The innermost of 700 folders."""
    folder = "deep"
    Path(folder).mkdir()
    for _ in range(700):
        folder += "/d"
        Path(folder).mkdir()  # with `parents` it would be too deep for mkdir itself
    return folder


def test_a_tree_may_be_deep(deep: str) -> None:
    for folder in (deep, "deep/d", "deep/d/e"):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, "test.json").write_text("{}")
    assert found("deep") == ["deep/d/test.json", f"{deep}/test.json", "deep/d/e/test.json"]


def test_a_glob_goes_through_a_tree_however_deep(deep: str) -> None:
    Path(deep, "test.json").write_text("{}")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(500)
    try:
        assert found("deep/**") == found("deep/**/test.json") == [f"{deep}/test.json"]
    finally:
        sys.setrecursionlimit(limit)


def test_a_glob_ends_where_links_lead_back(tree: Path) -> None:
    for number in range(20):
        (tree / f"repo/loop{number}").symlink_to(".")
    assert found("repo/**") == found("repo") == ALL
    assert found("**/test.json") == found("repo/**/**/test.json")
    assert found("repo/**/test.yaml") == ["repo/both/test.yaml", ALL[2]]


def test_searching_is_lazy() -> None:
    paths = discover(["repo/both", "missing"], report=no_problem)
    assert next(paths) == Path("repo/both/test.json")
