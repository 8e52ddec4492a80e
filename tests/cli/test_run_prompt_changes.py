"""`lve run` of a test whose prompt object isn't the one it last ran with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.folders import workspace, write_test

from lve.cli.main import cli


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(workspace(tmp_path))
    return tmp_path


def write(root: Path, instruction: str) -> None:
    prompt = {
        "name": "river",
        "instruction": instruction,
        "input_keys": ["river"],
        "output_key": "mouth",
    }
    write_test(root / "t", prompt=None, prompt_object=prompt, dataset="rows.csv")
    (root / "t" / "rows.csv").write_text("river\nNile\n", encoding="utf-8")


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["run", "t", *args], catch_exceptions=False)


def changes(result: Result) -> list[dict[str, Any]]:
    """Return what the summary says, which is the document's or the last line."""
    last = json.loads(result.stdout.splitlines()[-1] if "--jsonl" in ARGS else result.stdout)
    return last.get("summary", last)["prompt_changes"]
