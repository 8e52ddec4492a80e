"""A folder with a prompt object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

RIVER: dict[str, Any] = {
    "name": "river",
    "instruction": "Name the mouth of the river.",
    "examples": [{"river": "Danube", "answer": "Black Sea"}],
    "input_keys": ["river"],
    "output_key": "answer",
    "output_type": "str",
}


def enter_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with `river.json`, whose prompts are saved in `prompts/`, and return it."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LVE_CACHE_HOME", str(folder / "prompts"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    (folder / "river.json").write_text(json.dumps(RIVER), encoding="utf-8")
    return folder
