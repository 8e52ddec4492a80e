"""What each command says, word for word, one after the other in tests/cases/workspace.

Times, sessions and folders are masked. `make records` writes tests/cases/command_lines.json anew:
each change of it is meant, and seen in the diff.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from golden_runs import MASKS
from support.command_line import lve

CASES = Path(__file__).parents[1] / "cases"
FILE = CASES / "command_lines.json"
LINES: dict[str, dict[str, object]] = json.loads(FILE.read_text(encoding="utf-8"))
MORE_MASKS = (
    *MASKS,
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)?"), "MOMENT"),
    (re.compile(r'("(?:[a-z_]*_s|seconds)": ?)[\d.e-]+'), r"\1TIME"),
    (re.compile(r"\([\d.]+ k?B\)"), "(SIZE)"),
    (re.compile(r"\b[0-9a-f]{40,64}\b"), "HASH"),
)


def said(line: str, root: Path) -> dict[str, object]:
    """Return the exit code of a command line, and what it wrote."""
    result = lve(*line.split())
    problem = result.exception
    parts = {
        "code": result.exit_code,
        "out": masked(result.stdout, root),
        "err": masked(result.stderr, root),
        "raises": "" if isinstance(problem, SystemExit | None) else masked(str(problem), root),
    }
    return {name: part for name, part in parts.items() if part not in ("", 0)}


def masked(text: str, root: Path) -> str:
    """Return a text without what differs in every run and on every machine."""
    text = text.replace(str(root), "ROOT")
    for pattern, word in MORE_MASKS:
        text = pattern.sub(word, text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def workspace(folder: Path) -> Path:
    """Return a copy of the workspace."""
    return Path(shutil.copytree(CASES / "workspace", folder / "w")).resolve()


def test_each_line_says_what_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They share a workspace: sessions and reports of one are there for the next."""
    for name in [name for name in os.environ if name.startswith(("LVE_", "OPENAI", "CI"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    root = workspace(tmp_path)
    monkeypatch.chdir(root)
    now = {line: said(line, root) for line in LINES}
    assert [(line, LINES[line], now[line]) for line in LINES if now[line] != LINES[line]] == []


def main() -> None:
    """Write what the lines of the file say now."""
    os.environ["COLUMNS"] = "100"
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder).resolve())
        os.chdir(root)
        now = {line: said(line, root) for line in LINES}
        os.chdir("/")
    FILE.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
