"""docs/comparing.md: its example gives what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

from support.command_line import lve

from lve.comparison.compared import CAUSES
from lve.spec.settings_file import load_workspace

PAGE = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text(encoding="utf-8")
VARIES = re.compile(r"\d{8}-\d{6}-\d{3}-\w{4} \([^,]*,")
"""Ids and times of sessions."""


def block(head: str) -> str:
    found = re.search(rf"```{re.escape(head)}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None, head
    return found[1]


def test_the_example_is_what_comes_out(root: Path) -> None:
    (root / "lve.yaml").write_text(block("yaml lve.yaml"), encoding="utf-8")
    document = root / "greeting" / "test.yaml"
    document.parent.mkdir()
    document.write_text(block("yaml greeting/test.yaml"), encoding="utf-8")
    lve("run", "greeting")
    text = document.read_text(encoding="utf-8")
    document.write_text(text.replace("Greet me.", "Greet me formally."), encoding="utf-8")
    lve("run", "greeting", code=1)
    command, _, shown = block("console").partition("\n")
    result = lve(*command.removeprefix("$ lve ").split(), code=1)
    first, last = VARIES.sub("", shown).split("...\n")
    output = VARIES.sub("", result.stdout)
    assert output.startswith(first)
    assert output.endswith(last)


def test_the_settings_can_be_used(root: Path) -> None:
    (root / "lve.yaml").write_text(block("yaml lve.yaml settings"), encoding="utf-8")
    found = load_workspace(root).settings.comparison
    assert found[:3] == (0.05, 0.02, "tests/lve.baseline.json")
    assert found[3:] == ("significant", None, 0.1, True)


def test_every_cause_is_explained() -> None:
    section = PAGE.partition("## What changed")[2].partition("\n## ")[0]
    assert {name for name in CAUSES if f"`{name}`" not in section} == set()
