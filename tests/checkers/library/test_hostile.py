"""Hostile answers: every check ends soon with a verdict."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from support.dialogues import judge_of_group, said, shape_of
from support.examples import FUZZING
from support.forked import child_command

from lve.checkers.builtin_checker import ExampleAnswers
from lve.checkers.by_name import load_builtin
from lve.spec.check_names import CHECKS

N = 50_000
"""Characters: what takes time for each pair of them takes longer than `LIMIT_S`."""
ANSWERS = [
    "a" * N,
    " " * N,
    "1" * N,
    "1 " * N,
    "a@" * N,
    "a.b@c." * (N // 3),
    "(" * N,
    "{" * N,
    '{"a":' * (N // 5),
    '"' * N,
    "[1," * (N // 3),
    "\\boxed{" * (N // 7),
    "$" * N,
    "I can't " * (N // 8),
    "answer: " * (N // 8),
    "the answer is not " * (N // 16),
    "yes no " * (N // 7),
    "<a>" * N,
    "```\n" * (N // 4),
    "four five " * (N // 10),
    "12:34:" * (N // 6),
    "SELECT (" * (N // 8),
    "\ud800",
    "\x00\u202e\u0000",
    "é" * N,
    "۱" * N,
    "12 or " * (N // 6),
    "12 or 24/2 or " * (N // 14),
]
LIMIT_S = 4.0
PART = 1 if FUZZING else 2
"""`make test` gives a check every second answer, another half to each; `make fuzz` all."""


def with_text(answer: ExampleAnswers, text: str) -> Any:
    """Return as many answers, all with this text, as `examples` of a test have them."""
    if isinstance(answer, tuple):
        return [text] * len(answer)
    return text if isinstance(answer, str) else dict.fromkeys(answer, text)


def loads_a_model(name: str) -> bool:
    kind = load_builtin(name)
    return kind is not None and kind.needs_model


RUNS_SCRIPTS = ("promptfoo_script",)
"""What answers do to a script is for its author, and a trusted script needs node."""


@pytest.fixture(autouse=True)
def _imported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process starts for nearly every check. That takes longer than judging."""
    monkeypatch.setattr("lve.child.started_process.child_command", child_command)


@pytest.mark.parametrize(
    "name", [n for n in CHECKS if not loads_a_model(n) and n not in RUNS_SCRIPTS]
)
def test_hostile_answers_end(name: str, tmp_path: Path) -> None:
    kind = load_builtin(name)
    assert kind is not None
    check, passes, _ = kind.examples[0]
    shape = passes[0] if passes else ""
    group = {"check": check, **shape_of(shape)}
    judge = judge_of_group(group, tmp_path)
    try:
        said(group, judge, with_text(shape, "a"))  # starts what judges
        for answer in ANSWERS[crc32(name.encode()) % PART :: PART]:
            began = time.monotonic()
            found = said(group, judge, with_text(shape, answer))
            assert time.monotonic() - began < LIMIT_S, answer[:20]
            assert found.outcome in ("passed", "failed", "error"), found
            assert "crashed" not in found.reason
    finally:
        judge.stop()
