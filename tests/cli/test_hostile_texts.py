"""Texts of tests, settings and files that want to do something to the terminal."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.folders import workspace, write_test
from support.forked import python

EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\u202eevil"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace of tests, each of which tries it in another place."""
    workspace(tmp_path)
    write_test(tmp_path / "key", **{EVIL: 1})
    write_test(tmp_path / "name", model=f"x/{EVIL}")
    write_test(tmp_path / f"folder{EVIL}")
    write_test(tmp_path / "checker", checker_args={"checker_name": EVIL})
    write_test(tmp_path / "prompt", prompt=[{"role": "user", "content": f"{{{EVIL}}}"}])
    write_test(
        tmp_path / "rows",
        prompt=[{"role": "user", "content": "{name}"}],
        prompt_parameters=["name"],
        instances=[{"args": {EVIL: EVIL}, "response": EVIL, "run_info": {EVIL: 1}}],
    )
    (tmp_path / "prompts").mkdir()
    prompt = {"name": "evil", "instruction": EVIL, "input_keys": [EVIL], "output_key": EVIL}
    (tmp_path / "prompts" / "p.json").write_text(json.dumps(prompt))
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "check .",
        "list .",
        "show .",
        "render .",
        "render . --json",
        "run .",
        "run . --model dummy/dummy",
        "run . --model dummy/dummy --dry-run",
        "run rows --model replay",
        "record . --model dummy/dummy",
        "prompt show prompts/p.json",
        "prompt save prompts/p.json --cache-dir saved",
        "prompt list --cache-dir saved",
        f"check missing{EVIL}",
    ],
)
def test_nothing_raw_reaches_the_terminal(root: Path, command: str) -> None:
    done = subprocess.run(
        [*python(), "-m", "lve", *command.split(" ")],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert said
    assert [character for character in "\x1b\x07\x9b\u202e" if character in said] == []
