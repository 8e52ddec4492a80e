"""Judging with a check as a test document writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve
from lve.messages import Message, Role, ToolCall, Transcript
from lve.spec.load import load_spec


def judge_of(check: object, folder: Path, **more: Any) -> Judge:
    """Return the judge of a test with a check (an object) or several (a list)."""
    document = {
        "description": "d",
        "model": "dummy/dummy",
        "prompt": [{"role": "user", "content": "Say it."}],
        "checks" if isinstance(check, list) else "check": check,
        **more,
    }
    kept = {key: value for key, value in document.items() if value is not None}
    (folder / "test.json").write_text(json.dumps(kept), encoding="utf-8")
    return resolve(load_spec(folder, folder))


def run_of_calls(text: str) -> Transcript:
    """Return a run from its calls, `name(arguments)` one per line; an empty line begins a turn."""
    messages = [Message("Do it.")]
    for turn in text.split("\n\n"):
        lines = [line.partition("(") for line in turn.split("\n") if line]
        calls = tuple([ToolCall("1", name, said[:-1]) for name, _, said in lines])
        messages.append(Message("", Role.assistant, tool_calls=calls))
    return Transcript(tuple(messages), filled=tuple(range(1, len(messages))))


def verdict(judge: Judge, answer: str, args: Mapping[str, Any] | None = None) -> Verdict:
    """Return the verdict on an answer."""
    said = Message(answer, Role.assistant, "response")
    run = Transcript((Message("Say it."), said), filled=(1,))
    return judge.judge(CheckContext((run,), args or {}, args=args or {}))
