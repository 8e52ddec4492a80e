"""docs/prompt-objects.md: its Python examples run, its test document loads."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

from lve.prompts.plan import build_plan
from lve.spec.load import load_spec

PAGE = Path(__file__).parents[2] / "docs" / "prompt-objects.md"


def test_the_python_examples_give_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    failed, attempted = doctest.testfile(str(PAGE), module_relative=False)
    assert attempted >= 15
    assert failed == 0


def test_the_test_document_loads(tmp_path: Path) -> None:
    [block] = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "test.json").write_text(block, encoding="utf-8")
    (tmp_path / "rivers.csv").write_text("river\nNile\n", encoding="utf-8")
    spec = load_spec(tmp_path)
    assert spec.parameters == ("river",)
    assert build_plan(spec).spec is spec
    assert json.loads(block)["repair"] is True
