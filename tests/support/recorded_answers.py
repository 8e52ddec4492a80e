"""A test with one recorded answer, its changed prompt, and what a replay says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.command_line import lve
from support.folders import write_test

TEST: dict[str, Any] = {
    "prompt": [{"content": "Say hello to {name}."}],
    "prompt_parameters": ["name"],
}
CHANGED: dict[str, Any] = {**TEST, "prompt": [{"content": "Write to {name}."}]}
STALE = {"args": {}, "response": "Hello", "sent": "sha256:0"}
"""A row whose replay is an error."""
HANDWRITTEN = {"args": {"name": "Ann"}, "response": "Hello", "passed": True}


def record_test(root: Path) -> Path:
    """Record one answer of the test `t`, in `instances/x.jsonl`; return the folder of the test."""
    folder: Path = write_test(root / "t", **TEST)
    lve("record", "t", "-p", "name=Ann", "--to", "x")
    return folder


def line(folder: Path, name: str = "x") -> dict[str, Any]:
    """Return the only instance of a file."""
    text = (folder / "instances" / f"{name}.jsonl").read_text()
    (value,) = map(json.loads, text.splitlines())
    assert isinstance(value, dict)
    return value


def replayed(code: int = 0) -> dict[str, Any]:
    """Return the report of the replay of `t`."""
    value = json.loads(lve("run", "t", "--model", "replay", "--json", code=code).stdout)
    assert isinstance(value, dict)
    return value
