"""Names of folders from titles."""

from __future__ import annotations

import pytest

from lve.extensions.importing.folders import MAX_TITLE, NEVER_FOLDERS, Names


@pytest.mark.parametrize("title", ["build", "Dist", " venv! ", "node_modules", "checker"])
def test_a_title_that_is_no_test_s_folder_gets_another_name(title: str) -> None:
    """Folders of these names aren't searched for tests: the imported test would never run."""
    names = Names()
    assert names.new(title, "test_1") == "test_1"
    assert names.new(title, "test_1") == "test_1_2"


def test_all_names_are_ones_of_folders_with_tests() -> None:
    names = Names()
    for title in (*NEVER_FOLDERS, "Übung", "a/b", "../x", "x" * 300, "", "!"):
        name = names.new(title, "test_1")
        assert name not in NEVER_FOLDERS
        assert len(name) <= MAX_TITLE + 3


def test_equal_titles_get_numbers() -> None:
    names = Names()
    assert [names.new("A b!", "t") for _ in range(3)] == ["a_b", "a_b_2", "a_b_3"]
