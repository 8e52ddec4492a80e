"""The tasks of tests/cases/importers/lm_eval, and what the harness wrote of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lve.extensions.importing.lm_eval.importer import TaskImport
from lve.extensions.importing.lm_eval.records import Task, task_of
from lve.importers import Imported

CASE = Path(__file__).parents[1] / "cases" / "importers" / "lm_eval"


def recorded_lines() -> list[dict[str, Any]]:
    """Return the recorded lines, without their nonce."""
    text = (CASE / "dump.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def imported(lines: list[dict[str, Any]]) -> Imported:
    """Return what is imported of lines."""
    return TaskImport("tasks").read(lines)


def recorded_task(name: str, **changes: Any) -> Task:
    """Return a recorded task with its rows, its record changed."""
    own = [line for line in recorded_lines() if line.get("task") == name]
    task = task_of({**own[0], **changes})
    task.rows += own[1:]
    return task
