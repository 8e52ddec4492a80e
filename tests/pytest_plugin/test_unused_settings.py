"""pytest tells once of settings that don't count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_settings_that_do_not_count_are_told_of_once(
    workers: tuple[str, ...], pytester: pytest.Pytester, write_test: Write
) -> None:
    (pytester.path / "lve.yaml").touch()
    write_test("suite/x")
    write_test("suite/y")
    (pytester.path / "repository/suite/lve.yaml").touch()
    result = pytester.runpytest("repository/suite", "--lve-model=dummy/dummy", *workers)
    said = str(result.stdout)
    assert (
        said.count("lve: repository/suite/lve.yaml is not used: the workspace is this folder") == 1
    )


@pytest.mark.parametrize("more", ["", "/test.json", "/test.json::main.jsonl"])
def test_a_test_or_an_instance_that_is_named_lies_in_its_folder(
    more: str, pytester: pytest.Pytester, write_test: Write
) -> None:
    (pytester.path / "lve.yaml").touch()
    write_test("suite/x")
    (pytester.path / "repository/suite/lve.yaml").touch()
    result = pytester.runpytest(f"repository/suite/x{more}", "--lve-model=dummy/dummy")
    assert "lve: repository/suite/lve.yaml is not used" in str(result.stdout)
