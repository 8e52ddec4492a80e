"""`.pre-commit-hooks.yaml`: what the hooks run, and on which files."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import call
from support.folders import write_test

ROOT = Path(__file__).parents[2]
FILE = ROOT / ".pre-commit-hooks.yaml"
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load(FILE.read_text("utf-8"))
}


def run_hook(name: str, *files: str) -> int:
    """Run a hook as pre-commit does with some files, and return the exit code."""
    hook = HOOKS[name]
    program, *words = shlex.split(hook["entry"])
    assert program == "lve"
    matching = [file for file in files if re.search(hook["files"], file)]
    passed = matching if hook.get("pass_filenames", True) else []
    return call(*words, *hook.get("args", []), *passed)[0] if matching else 0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lve.yaml").write_text("")
    row = {"args": {}, "response": "Hello.", "is_safe": True}
    write_test(
        tmp_path / "greeting", checker_args=None, check={"contains": "Hello"}, instances=[row]
    )
    return tmp_path


def test_pre_commit_can_read_them() -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_document_is_checked(root: Path) -> None:
    document = next((root / "greeting").glob("test.*"))
    name = str(document.relative_to(root))
    assert run_hook("lve-check", name, "README.md") == 0
    document.write_text(document.read_text().replace("contains", "containz"))
    assert run_hook("lve-check", name) == 2
    assert run_hook("lve-check", "README.md") == 0


def test_recorded_answers_are_judged_when_any_part_of_a_test_changes(root: Path) -> None:
    [rows] = (root / "greeting" / "instances").iterdir()
    name = str(rows.relative_to(root))
    assert run_hook("lve-replay", name) == 0
    rows.write_text(rows.read_text().replace("Hello.", "Go away."))
    assert run_hook("lve-replay", name) == 1
    for other in ("suite.yaml", "a/lve.yaml", "greeting/checker/checker.py", "a/b.prompt"):
        assert run_hook("lve-replay", other) == 1
    assert run_hook("lve-replay", "README.md") == 0
