"""A workspace with everything that sessions leave behind, as files."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import MappingProxyType

from support import caches
from support.folders import write_sums, write_test

from lve.execution.cache.sqlite_file import CACHE_FILE
from lve.extensions.view.label_file import write_label
from lve.sessions.session_file import session_ids
from lve.sessions.session_folder import SessionFolder
from lve.spec.expectation import Expectation

from . import commands

IDS = ("20260101-000000-001-aaaa", "20260102-000000-002-bbbb", "20260103-000000-003-cccc")
"""What the sessions are called: the last one was run by processes that were killed."""
SETTINGS = """
model: my/script
models:
  my/script:
    provider: scripted
    options: {answers: answers.json}
  my/judge: {provider: scripted, options: {answers: judge.json}}
roles: {judge: my/judge}
"""
ANSWERS = {
    "Compute 0 + 0": "0",
    "Compute 1 + 7": "9",
    "Compute 2 + 4": {"error": "bad_request"},
    "default": "Hello!",
}
LABELLED = {
    "test": "sums",
    "model": "my/script",
    "source": "instances/main.jsonl",
    "line": 1,
    "repeat": 0,
}
_PLAIN = (
    (
        rb'"(started|ended|time|when|at|timestamp|created)": ?"[^"]*"',
        rb'"\1": "2026-01-01T00:00:00.000+00:00"',
    ),
    (rb'"(latency_s|first_token_s|elapsed_s|duration_s)": ?[\d.e-]+', rb'"\1": 0.25'),
)
"""What differs from run to run, and what takes its place: a seed gives the same inputs again."""


def real_files(root: Path) -> Mapping[str, bytes]:
    """Return relative path -> content of a workspace that is made in an empty folder."""
    before = Path.cwd()
    os.chdir(root)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            _make(root)
    finally:
        os.chdir(before)
    files = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm", ".lock"))
    }
    for old, new in zip(session_ids(root / ".lve"), IDS, strict=True):
        files = {
            name.replace(old, new): data.replace(old.encode(), new.encode())
            for name, data in files.items()
        }
    return MappingProxyType({name: _plain(name, data) for name, data in files.items()})


def _make(root: Path) -> None:
    (root / "lve.yaml").write_text(SETTINGS, encoding="utf-8")
    (root / "answers.json").write_text(json.dumps(ANSWERS), encoding="utf-8")
    verdict = '{"reason": "r", "verdict": "passed", "score": 1}'
    (root / "judge.json").write_text(json.dumps({"default": verdict}), encoding="utf-8")
    write_sums(root / "sums", 3, model="my/script", tags=[{"name": "severity", "value": "low"}])
    write_test(root / "greets", model="my/script", repeats=2, expect={"pass_rate": ">=0.5"})
    for _ in IDS:
        commands.run(["run", "sums", "greets", "--max-cost", "5", "-q"])
    folders = [SessionFolder(root / ".lve" / "runs" / name) for name in session_ids(root / ".lve")]
    for folder in folders:
        write_label(folder.path, {**LABELLED, "label": "right", "author": "ana", "comment": "c"})
    commands.run(["compare", "last", "--save"])
    labels = [
        {
            "args": {"a": "1", "b": str(n)},
            "response": str(n + 1),
            "label": "passed",
            "author": "ana",
        }
        for n in range(6)
    ]
    (root / "labels.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in labels), encoding="utf-8"
    )
    commands.run(["calibrate", "sums", "labels.jsonl"])
    _kill(folders[-1].path)
    caches.fill(root / ".lve" / CACHE_FILE, 3)
    with closing(sqlite3.connect(root / ".lve" / CACHE_FILE)) as db:  # else it is beside the file
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _kill(folder: Path) -> None:
    """Make a session one whose processes were killed."""
    info = json.loads((folder / "session.json").read_text(encoding="utf-8"))
    part = {
        "status": "complete",
        "expected": [["sums", "my/script", False, 0, 0, [], Expectation()._asdict()]],
        **{name: info[name] for name in ("tests", "models", "paths", "spent", "spent_unrecorded")},
    }
    (folder / "part-gw0.json").write_text(json.dumps(part), encoding="ascii")
    (folder / "results.jsonl").rename(folder / "results-gw0.jsonl")
    spent = {"cost": 0.5, "tokens": 10, "requests": 3}
    for name in ("spent.json", "spent-gw1.json"):
        (folder / name).write_text(json.dumps(spent).ljust(199) + "\n", encoding="ascii")
    (folder / "results-gw1.jsonl").write_bytes((folder / "results-gw0.jsonl").read_bytes()[:500])
    batch = {"token": "t", "model": "my/script", "requests": ["r0"]}
    (folder / "batches.jsonl").write_text(json.dumps(batch) + "\n", encoding="ascii")
    (folder / "session.json").write_text(
        json.dumps({**info, "status": "running"}), encoding="ascii"
    )


def _plain(name: str, data: bytes) -> bytes:
    if name.endswith(".db"):
        return data
    for pattern, plain in _PLAIN:
        data = re.sub(pattern, plain, data)
    return data
