"""Lines that a task forged are no tasks and no rows."""

from __future__ import annotations

from typing import Any

import pytest
from support.lm_eval_dump import imported, recorded_lines, recorded_task

from lve.extensions.importing.lm_eval.records import RecordError, check_row, task_of

LINES = recorded_lines()
TASK = next(line for line in LINES if line.get("task") == "capitals")
CHOICES = recorded_task("capitals").rows[0]
ANSWER = recorded_task("sums").rows[0]


def test_the_version_that_stands_for_none_is_none() -> None:
    assert recorded_task("sums").version == ""
    assert recorded_task("capitals").version == "2.0"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"output_type": "shell"}, "there is no output type shell"),
        ({"output_type": None}, "'output_type' is no text"),
        ({"task": ["x"]}, "'task' is no text"),
        ({"metrics": {}}, "'metrics' is no list of objects"),
        ({"metrics": ["acc"]}, "'metrics' is no list of objects"),
        ({"metrics": [{}] * 2000}, "'metrics' is no list of objects"),
        ({"metrics": [{"name": "acc", "options": 1, "aggregation": ""}]}, "'options' is no object"),
        ({"filters": [{"name": "x", "steps": 1}]}, "'steps' is no list of objects"),
        ({"delimiter": 1}, "'delimiter' is no text"),
    ],
)
def test_a_forged_task_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(RecordError, match=why):
        task_of({**TASK, **changes})


@pytest.mark.parametrize(
    ("row", "changes", "why"),
    [
        ("capitals", {"doc": "1"}, "a row has no number"),
        ("capitals", {"contexts": "x"}, "'contexts' is no list of texts"),
        ("capitals", {"contexts": ["a", "b"]}, "don't fit together"),
        ("capitals", {"continuations": []}, "don't fit together"),
        ("capitals", {"choices": ["Lyon"]}, "its choices and continuations don't fit together"),
        ("capitals", {"contexts": [""], "continuations": [" a"] * 2000}, "more than 1,000 choices"),
        ("capitals", {"contexts": ["\ud800"]}, "half of a character"),
        ("capitals", {"why": "it has images"}, "it has images"),
        ("sums", {"prompt": None}, "'prompt' is no text"),
        ("sums", {"options": []}, "'options' is no object"),
    ],
)
def test_a_forged_row_is_refused(row: str, changes: dict[str, Any], why: str) -> None:
    task = recorded_task(row)
    with pytest.raises(RecordError, match=why):
        check_row(task, {**task.rows[0], **changes})


def test_metrics_count_as_the_tasks_own_unless_they_say_otherwise() -> None:
    metrics = [{"name": "acc", "options": {}, "aggregation": "mean"}]
    assert task_of({**TASK, "metrics": metrics}).metrics[0].is_own


def test_a_bad_row_leaves_the_others() -> None:
    bad = {**ANSWER, "prompt": 3}
    lines = [LINES[0], *[line for line in LINES if line.get("task") == "sums"], bad, LINES[-1]]
    result = imported(lines)
    assert result.tests[0].files["rows.jsonl"].count("\n") == 2  # type: ignore[arg-type]
    assert any("row of sums: 'prompt' is no text" in str(text) for text in result.left_out)
