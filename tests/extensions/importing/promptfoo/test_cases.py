"""Tests of a configuration: defaults, variables, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.promptfoo import source_in

from lve.extensions.importing.promptfoo.cases import Case, read_cases


def cases(folder: Path, config: dict[str, Any]) -> tuple[list[Case], list[str]]:
    """Return the tests of a configuration, and what is left out."""
    source, at = source_in(folder, config)
    return list(read_cases(source, config, at)), source.left_out


def test_defaults_come_first(tmp_path: Path) -> None:
    default = {"vars": {"a": 1, "b": 2.5}, "assert": ["x"], "threshold": 0.5}
    test = {"description": "d", "vars": {"a": [None, True]}, "assert": ["y"]}
    [case], left = cases(tmp_path, {"defaultTest": default, "tests": test})
    assert case.rows == [{"a": "", "b": "2.5"}, {"a": "true", "b": "2.5"}]
    assert [given for given, _ in case.asserted] == ["x", "y"]
    assert (case.threshold, case.description, left) == (0.5, "d", [])


def test_without_tests_the_defaults_are_one(tmp_path: Path) -> None:
    [case], _ = cases(tmp_path, {"defaultTest": {"assert": ["x"]}})
    assert case.rows == [{}]


def test_lists_are_combined(tmp_path: Path) -> None:
    [case], _ = cases(tmp_path, {"tests": [{"vars": {"a": [1, 2], "b": "cd"}, "assert": ["x"]}]})
    assert case.rows == [{"a": "1", "b": "cd"}, {"a": "2", "b": "cd"}]


def test_a_huge_product_is_not_built(tmp_path: Path) -> None:
    variables = {name: list(range(1000)) for name in "abcdefgh"}
    found, [left] = cases(tmp_path, {"tests": [{"vars": variables, "assert": ["x"]}]})
    assert found == []
    assert "more than 1,000 combinations" in left


def test_an_empty_list_gives_no_test(tmp_path: Path) -> None:
    found, [left] = cases(tmp_path, {"tests": [{"vars": {"a": []}, "assert": ["x"]}]})
    assert found == []
    assert "left out: a variable has no value" in left


@pytest.mark.parametrize("default", ["file://default.yaml", 3, [1]])
def test_other_defaults_are_left_out(tmp_path: Path, default: object) -> None:
    [case], [left] = cases(tmp_path, {"defaultTest": default, "tests": [{"assert": ["x"]}]})
    assert case.rows == [{}]
    assert "not an object of the same file" in left


def test_a_file_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("secret")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "x.txt")
    for name in ("../x.txt", "link.txt", str(tmp_path / "x.txt")):
        tests = [{"vars": {"a": f"file://{name}"}, "assert": ["x"]}]
        found, [left] = cases(tmp_path / "in", {"tests": tests})
        assert found == []
        assert "outside its folder" in left
