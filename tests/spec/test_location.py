"""A test's category and name by its path, and the files that it may name."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.spec.location import category_and_name, file_inside, model_folder
from lve.spec.location import test_path as path_of_test


@pytest.mark.parametrize(
    ("path", "models", "expected"),
    [
        ("repository/privacy/pii/emails/openai--gpt-4", (), ("privacy", "emails")),
        ("repository/security/phishing/openai--gpt-35-turbo", (), ("security", "phishing")),
        ("repository/privacy/emails", (), ("privacy", "emails")),
        ("repository/privacy/pii/emails", (), ("privacy", "emails")),
        ("repository/privacy/emails/gpt4", ("gpt4",), ("privacy", "emails")),
        ("repository/privacy/emails/microsoft--phi-1_5", (), ("privacy", "emails")),
        ("repository/privacy", (), ("privacy", "privacy")),
        ("trust/x", (), ("trust", "x")),
        ("repository", (), ("repository", "repository")),
        (".", (), ("", "folder")),
    ],
)
def test_category_and_name_follow_from_the_path(
    path: str, models: tuple[str, ...], expected: tuple[str, str]
) -> None:
    assert category_and_name(path, "folder", models) == expected


@pytest.mark.parametrize(
    ("folder", "root", "path"),
    [("/w/a/b", "/w", "a/b"), ("/w", "/w", "."), ("/work/a", "/w", "/work/a"), ("/a", "/", "a")],
)
def test_a_path_is_relative_to_the_root_it_is_in(folder: str, root: str, path: str) -> None:
    assert path_of_test(Path(folder), Path(root)) == path


def test_a_models_folder_is_its_name_without_odd_characters() -> None:
    assert model_folder("openai/gpt-3.5-turbo") == "openai--gpt-35-turbo"
    assert model_folder("a b:c_d") == "abc_d"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("there.txt", None),
        ("below/there.txt", None),
        ("below/../there.txt", None),
        ("inside", None),
        ("none.txt", "does not exist"),
        ("below", "is a folder, not a file"),
        ("../private.txt", "is outside the test folder"),
        ("/etc/hosts", "is outside the test folder"),
        ("outside", "is outside the test folder"),
        ("below\\there.txt", "is not a file name; folders are separated by `/`"),
        ("a\0b", "is not a file name; folders are separated by `/`"),
        ("there.txt/x", "does not exist"),
        ("x" * 5000, "can't be read: File name too long"),
    ],
)
def test_a_file_of_the_folder_can_be_used_and_no_other(
    name: str, why: str | None, tmp_path: Path
) -> None:
    folder = tmp_path / "t"
    (folder / "below").mkdir(parents=True)
    for file in (folder / "there.txt", folder / "below" / "there.txt", tmp_path / "private.txt"):
        file.write_text("x", encoding="utf-8")
    (folder / "inside").symlink_to("there.txt")
    (folder / "outside").symlink_to("../private.txt")
    assert file_inside(folder, name) == (why or folder / name)
