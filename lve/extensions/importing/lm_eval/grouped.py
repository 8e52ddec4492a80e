"""Writes the groups of lm-evaluation-harness' tasks that have scores: a part of `dump.py`.

This file is run by its path, in a sandbox: it imports nothing of lve.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Harness = Any
"""An object of the harness, which lve's types don't know."""
Write = Callable[[Mapping[str, object]], None]


def write_groups(manager: Harness, names: Iterable[str], seconds: int, write: Write) -> None:
    """Write the groups of these names that have scores, and those in them.

    Args:
        manager: the harness' `TaskManager`.
        names: of groups; others are skipped.
        seconds: that each may take.
        write: writes a line.
    """
    lines: dict[str, dict[str, object] | None] = {}
    for name in names:
        if name in lines or name not in manager.all_groups:
            continue
        entries, file = manager.task_index, _file(manager.task_index[name])
        signal.alarm(seconds)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                for each, group in manager.load(name)["groups"].items():
                    home = _file(entries[each]) if each in entries else file
                    lines[str(each)] = _group_line(group, home)
        except (Exception, SystemExit) as error:  # as of a task
            why = " ".join(f"no scores of the group: {type(error).__name__}: {error}".split())
            write({"kind": "left_out", "task": name, "file": file, "why": why[:500]})
        finally:
            signal.alarm(0)
    for line in lines.values():
        if line is not None:
            write(line)


def _group_line(group: Harness, file: str) -> dict[str, object] | None:
    """Return a group that has scores; its harness takes the mean, whatever `aggregation` says."""
    metrics = [
        {"name": str(e.metric), "filters": e.filter_list, "by_size": bool(e.weight_by_size)}
        for e in group.aggregate_metric_list or ()
    ]
    tasks = [str(task.task_name) for task in group.get_all_tasks()]
    of = {"kind": "group", "group": str(group.name), "file": file}
    return {**of, "tasks": tasks, "metrics": metrics} if metrics else None


def _file(entry: Harness) -> str:
    return str(entry.yaml_path or "")
