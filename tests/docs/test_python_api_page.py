"""docs/python-api.md: the examples give what the page shows, and every public name is there."""

from __future__ import annotations

import doctest
import shutil
from pathlib import Path

import pytest

import lve

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python-api.md"


def test_examples_give_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "repository", tmp_path / "repository")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    failed, attempted = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert attempted >= 15
    assert failed == 0


def test_every_public_name_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in lve.__all__ if f"lve.{name}" not in text] == []
