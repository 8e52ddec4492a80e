"""What each command says and writes, word for word, one after the other in a workspace.

`tests/cases/command_lines/NAME.json` has the lines for `tests/cases/workspaces/NAME`. Times,
sessions and folders are masked. `make records` writes them anew: each change is meant, and seen in
the diff.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from golden_runs import MASKS
from support.command_line import lve

CASES = Path(__file__).parents[1] / "cases"
NAMES = sorted(file.stem for file in (CASES / "command_lines").glob("*.json"))
MAX_WRITTEN = 3000
"""Characters of a file. A longer one is only named: other tests read it, and it changes often."""
MORE_MASKS = (
    *MASKS,
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)?"), "MOMENT"),
    (re.compile(r'("measured": ")\d{4}-\d\d-\d\d'), r"\1DATE"),
    (re.compile(r'("(?:[a-z_]*_s|seconds|(?:[a-z]+_)?time)": ?)[\d.e-]+'), r"\1TIME"),
    (re.compile(r"\([\d.]+ k?B\)"), "(SIZE)"),
    (re.compile(r"\b[0-9a-f]{40,64}\b"), "HASH"),
    (re.compile(r'\btime="[\d.]+"'), 'time="TIME"'),
    (re.compile(r",(?:[\d.]+e-\d+|0\.0\d*),"), ",TIME,"),
    (re.compile(r'(\.json": )\d+'), r"\1SIZE"),
)
VERDICT = re.compile(r"^[✓✗!?] .*\n(?: {4}.*\n)*", re.MULTILINE)
VERDICTS = re.compile(rf"(?:{VERDICT.pattern}){{2,}}", re.MULTILINE)
"""Tests that have ended, one after the other, each with its reasons."""


def said(line: str, root: Path) -> dict[str, object]:
    """Return the exit code of a command line, what it printed, and which files it wrote."""
    before = files_of(root)
    result = lve(*shlex.split(line), code=None)
    parts = {
        "code": result.exit_code,
        "out": masked(result.stdout, root),
        "err": masked(result.stderr, root),
        "writes": {
            name: written(data, root)
            for name, data in files_of(root).items()
            if before.get(name) != data
        },
    }
    return {name: part for name, part in parts.items() if part not in ("", 0, {})}


def files_of(root: Path) -> dict[str, bytes]:
    """Return the files of a workspace, but not its sessions and cache."""
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    names = {path.relative_to(root).as_posix(): path for path in paths}
    return {name: path.read_bytes() for name, path in names.items() if name[:5] != ".lve/"}


def written(data: bytes, root: Path) -> str:
    """Return what a file says: the text of one that isn't long; of an archive, that of its files of
    JSON."""
    if data[:2] == b"PK":
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = {name: archive.read(name) for name in archive.namelist()}
        return "".join(
            f"{name}: {masked(data.decode(), root) if name[-5:] == '.json' else 'no JSON'}\n"
            for name, data in members.items()
        )
    text = masked(data.decode(), root)
    return text if len(text) <= MAX_WRITTEN else "a long text"


def masked(text: str, root: Path) -> str:
    """Return a text without what differs in every run and on every machine."""
    text = text.replace(str(root), "ROOT")
    for pattern, word in MORE_MASKS:
        text = pattern.sub(word, text)
    lines = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    return VERDICTS.sub(in_order, lines)


def in_order(verdicts: re.Match[str]) -> str:
    """Return tests with their verdicts by name: they are printed as they end, and a judge that is
    asked again ends when the clock says."""
    return "".join(sorted(VERDICT.findall(verdicts[0]), key=lambda verdict: verdict[1:]))


def lines_of(name: str) -> dict[str, dict[str, object]]:
    """Return command lines with what they said."""
    lines: dict[str, dict[str, object]]
    lines = json.loads((CASES / "command_lines" / f"{name}.json").read_text(encoding="utf-8"))
    return lines


def workspace(name: str, folder: Path) -> Path:
    """Return a copy of a workspace."""
    return Path(shutil.copytree(CASES / "workspaces" / name, folder / "w")).resolve()


@pytest.mark.parametrize("name", NAMES)
def test_each_line_says_what_it_said(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They share a workspace: sessions and reports of one are there for the next."""
    for variable in [name for name in os.environ if name.startswith(("LVE_", "OPENAI", "CI"))]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("COLUMNS", "100")
    root = workspace(name, tmp_path)
    monkeypatch.chdir(root)
    before = lines_of(name)
    now = {line: said(line, root) for line in before}
    compared = [line for line in before if is_installed(line)]
    assert [(line, before[line], now[line]) for line in compared if now[line] != before[line]] == []


def is_installed(line: str) -> bool:
    """Return whether what a line needs beside lve is there: `make quick` has no openpyxl."""
    return ".xlsx" not in line or find_spec("openpyxl") is not None


def main() -> None:
    """Write what the lines of the files say now."""
    os.environ["COLUMNS"] = "100"
    for name in sys.argv[1:] or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            root = workspace(name, Path(folder))
            os.chdir(root)
            now = {line: said(line, root) for line in lines_of(name)}
            os.chdir("/")
        text = json.dumps(now, indent=1, ensure_ascii=False)
        file = CASES / "command_lines" / f"{name}.json"
        file.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
