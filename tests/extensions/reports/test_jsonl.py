"""`.jsonl` says what `lve run --jsonl` said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import lve

TEST = """
description: d
model: openai/m
prompt: "Name {name}"
prompt_parameters: [name]
check: {contains: a}
"""


def test_the_lines_are_those_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lve.yaml").write_text("{}")
    folder = tmp_path / "t/instances"
    folder.mkdir(parents=True)
    (folder.parent / "test.yaml").write_text(TEST)
    lines = [
        {"args": {"name": name}, "response": name} for name in ("Ana", "Bo", "\x1b[2J::error::a")
    ]
    (folder / "m.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.chdir(tmp_path)
    printed = lve("run", "t", "--model", "replay", "--jsonl", code=1).stdout.splitlines()
    lve("report", "last", "-o", "out.jsonl")
    written = (tmp_path / "out.jsonl").read_text(encoding="ascii").splitlines()
    assert len(written) == 5
    assert sorted(written[:3]) == sorted(printed[:3])
    assert written[3] == printed[3]
    before, now = (json.loads(text[-1]) for text in (printed, written))
    for moving in ("seconds", "requests"):
        before.pop(moving), now.pop(moving)
    assert now == before
