"""`lve record --accept`: answers that somebody has read, for the prompt of today."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import write_test
from support.recorded_answers import CHANGED, HANDWRITTEN, TEST, line, record_test, replayed


@pytest.fixture
def recorded(root: Path) -> Path:
    return record_test(root)


def test_accept_binds_stale_and_unbound_answers_and_keeps_the_rest(recorded: Path) -> None:
    before = line(recorded)
    unbound = {**HANDWRITTEN, "response": "Hello ünbound", "own": [1, 2.50]}
    text = json.dumps(unbound, ensure_ascii=False) + "\r\n"
    (recorded / "instances" / "y.jsonl").write_bytes(text.encode())
    write_test(recorded, **CHANGED)
    result = lve("record", "t", "--accept")
    files = sorted(file.name for file in (recorded / "instances").iterdir())
    assert result.output.splitlines() == [
        f"bound 1 to the prompt of today in t/instances/{name}" for name in files
    ]
    after = line(recorded)
    assert after["sent"] != before["sent"]
    assert after["prompt_out"][0]["content"] == "Write to Ann."
    assert after["prompt_out"][1]["content"] == "Hello world"
    both = {"sent", "prompt_out"}
    kept = [
        {key: value for key, value in one.items() if key not in both} for one in (before, after)
    ]
    assert kept[0] == kept[1]
    raw = (recorded / "instances" / "y.jsonl").read_bytes()
    assert raw.endswith(b"\r\n")
    assert json.loads(raw)["own"] == [1, 2.5]
    assert json.loads(raw)["sent"] == after["sent"]
    lve("run", "t", "--model", "replay")
    assert replayed()["summary"]["unbound"] == 0
    assert "nothing to accept" in lve("record", "t", "--accept").output


def test_accept_changes_no_file_that_it_can_not_write(root: Path) -> None:
    folder = write_test(root / "t", **TEST)
    (folder / "instances").mkdir()
    file = folder / "instances" / "x.json"
    file.write_text(json.dumps([HANDWRITTEN], indent=1))
    before = file.read_bytes()
    result = lve("record", "t", "--accept", code=3)
    assert "one object per line" in result.output
    assert file.read_bytes() == before
