"""Plans of tests with messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lve.prompts.messages.plan import MessagePlan, build_message_plan
from lve.spec.load import load_spec
from lve.spec.spec import Instance

DOCUMENT = {
    "description": "d",
    "model": "dummy/dummy",
    "checker_args": {"checker_name": "LambdaChecker", "func": "lambda r: True"},
}


def make_plan(folder: Path, files: dict[str, str] | None = None, **keys: Any) -> MessagePlan:
    for name, text in (files or {}).items():
        (folder / name).write_text(text, encoding="utf-8")
    document = {key: value for key, value in {**DOCUMENT, **keys}.items() if value is not None}
    (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
    return build_message_plan(load_spec(folder))


def instance(**parameters: Any) -> Instance:
    return Instance(parameters, parameters, {}, "x.jsonl", 1)
