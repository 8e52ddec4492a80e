"""Judges the rows of labelled answers with the checks of lve."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lve.checkers.contract import CheckContext
from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve
from lve.messages import Message, Role, Transcript
from lve.spec.load import load_spec


def actual(vector: Mapping[str, Any], workdir: Path) -> str:
    """Return the verdict on a row's answer."""
    said = Message(vector["answer"], Role.assistant, "response")
    run = Transcript((Message("Answer."), said), filled=(1,))
    judge = _judge(json.dumps(vector["check"]), workdir)
    return judge.judge(CheckContext((run,))).outcome


@cache
def _judge(check: str, workdir: Path) -> Judge:
    document = {
        "description": "d",
        "model": "dummy/dummy",
        "prompt": [{"content": "Answer."}],
        "check": json.loads(check),
    }
    (workdir / "test.json").write_text(json.dumps(document), encoding="utf-8")
    return resolve(load_spec(workdir, workdir))
