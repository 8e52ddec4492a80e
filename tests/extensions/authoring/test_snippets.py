"""Snippets for VS Code: what they leave is a valid test, before anything is typed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call

from lve.extensions.authoring.editors import SNIPPETS as FILE
from lve.extensions.authoring.templates import template

TEXT = template("lve.code-snippets")
SNIPPETS: dict[str, dict[str, Any]] = json.loads(TEXT)
STOP = re.compile(r"\$\{\d+:([^{}]*)\}")


@pytest.mark.parametrize("name", SNIPPETS)
def test_what_a_snippet_leaves_is_a_valid_test(root: Path, name: str) -> None:
    text = "\n".join(SNIPPETS[name]["body"])
    document = STOP.sub(r"\1", text)
    assert "$" not in document
    (root / "t").mkdir()
    (root / "t" / "test.yaml").write_text(document)
    code, out, err = call("check", "t")
    assert (code, err) == (0, ""), out
    assert out == "1 test: all valid\n"


def test_they_are_offered_in_yaml_by_names_of_their_own() -> None:
    prefixes = [snippet["prefix"] for snippet in SNIPPETS.values()]
    assert len({*prefixes}) == len(prefixes)
    assert all(re.fullmatch(r"lve-[a-z]+", prefix) for prefix in prefixes)
    assert {snippet["scope"] for snippet in SNIPPETS.values()} == {"yaml"}


def test_the_file_is_written_for_vs_code_alone(root: Path) -> None:
    assert call("schema", "install", "--editor", "vscode")[0] == 0
    assert (root / FILE).read_text() == TEXT
    (root / FILE).unlink()
    assert call("schema", "install", "--editor", "jetbrains")[0] == 0
    assert not (root / FILE).exists()
