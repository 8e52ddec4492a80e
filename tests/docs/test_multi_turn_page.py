"""docs/multi-turn.md: every example is a valid test, and its own examples prove it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.dialogues import prompts

from lve.checkers.static import bind_statically, check_statically
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec

PAGE = (Path(__file__).parents[2] / "docs" / "multi-turn.md").read_text(encoding="utf-8")
TESTS = re.findall(r"```yaml test.yaml\n(.*?)```", PAGE, re.DOTALL)
PARTS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("text", TESTS, ids=lambda text: text.split("\n")[0])
def test_a_whole_test_is_valid(text: str, tmp_path: Path) -> None:
    (tmp_path / "test.yaml").write_text(text, encoding="utf-8")
    spec = load_spec(tmp_path)
    assert build_plan(spec).warnings == ()
    assert check_statically(spec) == []
    assert spec.examples


@pytest.mark.parametrize("text", PARTS)
def test_checks_fit_a_test_with_two_turns(text: str, tmp_path: Path) -> None:
    head = json.dumps({"description": "d", "model": "dummy/dummy", **prompts({})})[1:-1]
    document = "\n".join(re.split(r", (?=\"(?:model|prompt)\")", head))
    (tmp_path / "test.yaml").write_text(f"{document}\n{text}", encoding="utf-8")
    assert bind_statically(load_spec(tmp_path)).problems == []
