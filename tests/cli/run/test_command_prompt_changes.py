"""`lve run` of a test whose prompt object isn't the one it last ran with."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import Result
from support.command_line import lve
from support.folders import write_test


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
    return lve("run", "t", *args, code=1)


def test_the_change_is_told_and_reported(root: Path) -> None:
    write(root, "Name the mouth.")
    first = json.loads(run("--json").stdout)
    assert first["summary"]["prompt_changes"] == []
    write(root, "Name the sea.")
    result = run("--json")
    (change,) = json.loads(result.stdout)["summary"]["prompt_changes"]
    assert change["path"] == "t"
    assert change["session"] == first["session"]
    assert change["before"] != change["now"]
    assert f"lve: t: the prompt changed since session {first['session']} (" in result.stderr


def test_a_resumed_session_says_what_had_changed_when_it_began(root: Path) -> None:
    write(root, "Name the mouth.")
    run()
    write(root, "Name the sea.")
    began = json.loads(run("--json").stdout)
    write(root, "Name the ocean.")
    run()
    result = lve("run", "--resume", began["session"], "--json", code=1)
    assert "the prompt changed" not in result.stderr, "that was said when it began"
    resumed = json.loads(result.stdout)
    assert resumed["summary"]["prompt_changes"] == began["summary"]["prompt_changes"]
    assert len(resumed["summary"]["prompt_changes"]) == 1


def test_a_stream_has_it_in_the_summary(root: Path) -> None:
    write(root, "Name the mouth.")
    run()
    write(root, "Name the sea.")
    summary = json.loads(run("--jsonl").stdout.splitlines()[-1])
    assert [change["path"] for change in summary["prompt_changes"]] == ["t"]
    assert json.loads(run("--jsonl").stdout.splitlines()[-1])["prompt_changes"] == []
