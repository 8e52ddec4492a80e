"""Writes what lm-evaluation-harness asks and expects, as lines of JSON. Runs in its environment.

This file is run by its path, in a sandbox: it imports nothing of lve. The harness' own classes
render every row; what they would send is written, then groups (`grouped.py`). To prove an import,
they judge scripted answers (`scripted.py`). The first argument is the number of the pipe for the
lines. Each begins with the request's nonce: what a task prints is never one.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import runpy
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

FEW_SHOT_SEED = 1234
"""As `lm_eval` uses by default."""
LABELS = ((0, 0), (0, 1), (1, 1), (2, 1), (2, 2), (1, 0), (0, 0), (2, 2))
"""Right and chosen labels that tell what a task's own aggregation computes."""
NUMBERS = (0.0, 1.0, 1.0, 0.0, 1.0)
Harness = Any
"""An object of the harness, which lve's types don't know."""
Write = Callable[[Mapping[str, object]], None]


class _OutOfTimeError(Exception):
    """A task takes longer than it may."""


def main() -> None:
    """Answer the request on stdin."""
    request = json.load(sys.stdin)
    with os.fdopen(int(sys.argv[1]), "wb") as pipe:

        def write(line: Mapping[str, object]) -> None:
            text = json.dumps(line, default=str, allow_nan=False)
            pipe.write(f"{request['nonce']} {text}\n".encode())
            pipe.flush()

        write({"kind": "tool", "version": version("lm_eval")})
        _use_named_metrics()
        signal.signal(signal.SIGALRM, _out_of_time)
        count = 0
        for name, file, build in _tasks(request, write):
            count += 1
            _dump(name, file, build, request, write)
        write({"kind": "end", "tasks": count})


def _out_of_time(number: int, frame: object) -> None:
    raise _OutOfTimeError("it takes too long")


def _use_named_metrics() -> None:
    """Build tasks without downloading the metrics that they name."""
    from lm_eval.api import metrics, registry, task

    assert metrics  # it fills the registry

    def named(name: str, hf_evaluate_metric: bool = False) -> Callable[..., Harness]:
        is_there = not hf_evaluate_metric and name in registry.METRIC_REGISTRY
        return registry.get_metric(name) if is_there else lambda *_args, **_options: None

    task.get_metric = named
    registered, better = task.get_metric_aggregation, task.is_higher_better
    task.get_metric_aggregation = lambda name: registered(name) or task.get_aggregation("mean")
    task.is_higher_better = lambda name: better(name) is not False


def _tasks(
    request: Mapping[str, Harness], write: Write
) -> Iterator[tuple[str, str, Callable[[], Harness]]]:
    """Yield name and file of each task, and what builds it. Then write their groups."""
    from lm_eval.tasks import TaskManager

    if (source := request.get("path")) is None:
        manager = TaskManager()
        groups = manager.match_tasks([request["name"]])
        chosen = [leaf for name in groups for leaf in _leaves(manager, name)]
        if not chosen:
            write({"kind": "unknown", "name": request["name"]})
    else:
        place = Path(source)
        folder = place if place.is_dir() else place.parent
        sys.path.insert(0, str(folder))
        manager = TaskManager(include_path=str(folder), include_defaults=False)
        index, is_all = manager.task_index, place.is_dir()
        own = {name for name in index if is_all or _file(index[name]) == str(place)}
        groups = [name for name in manager.all_groups if name in own]
        chosen = [name for name in manager.all_subtasks if name in own]
        if not chosen and place.is_file():
            chosen = [leaf for name in groups for leaf in _leaves(manager, name)] or [str(place)]
    for name in dict.fromkeys(chosen):
        file = _file(manager.task_index[name]) if name in manager.task_index else name
        yield name, file, partial(_load, manager, name)
    grouped = runpy.run_path(str(Path(__file__).with_name("grouped.py")))
    grouped["write_groups"](manager, groups, int(request["task_s"]), write)


def _load(manager: Harness, name: str) -> Harness:
    return manager.load(name)["tasks"]


def _file(entry: Harness) -> str:
    return str(entry.yaml_path or "")


def _leaves(manager: Harness, name: str) -> list[str]:
    """Return the names of the tasks that a name stands for: its own, or those of a group or tag."""
    if name in manager.all_subtasks:
        return [name]
    entry = manager.task_index[name]
    if entry.tags and not entry.cfg:
        return sorted(entry.tags)
    return sorted(manager.load(name)["tasks"])


def _dump(
    name: str, file: str, build: Callable[[], Harness], request: Mapping[str, Harness], write: Write
) -> None:
    """Write a task and its rows, or why it can't be had."""
    signal.alarm(int(request["task_s"]))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            for shown, task in build().items():
                _write_task(str(shown), file, task, request, write)
    except (Exception, SystemExit) as error:  # code of a task may raise anything
        why = " ".join(f"{type(error).__name__}: {error}".split())
        write({"kind": "left_out", "task": name, "file": file, "why": why[:500]})
    finally:
        signal.alarm(0)


def _write_task(
    name: str, file: str, task: Harness, request: Mapping[str, Harness], write: Write
) -> None:
    task.set_fewshot_seed(FEW_SHOT_SEED)
    task.build_all_requests(limit=request.get("limit"), rank=0, world_size=1)
    rows: dict[int, list[Harness]] = {}
    for instance in task.instances:
        rows.setdefault(instance.doc_id, []).append(instance)
    write(_task_line(name, file, task))
    for doc_id, instances in rows.items():
        write({"kind": "row", "task": name, "doc": doc_id, **_row(task, instances)})
    if request.get("prove"):
        judged = runpy.run_path(str(Path(__file__).with_name("scripted.py")))["judged_lines"]
        for line in judged(task, rows, **request["prove"]):
            write({"task": name, **line})


def _task_line(name: str, file: str, task: Harness) -> dict[str, object]:
    config = task.config
    return {
        "kind": "task",
        "task": name,
        "file": file,
        "version": str(getattr(task, "VERSION", "")),
        "output_type": task.OUTPUT_TYPE,
        "metrics": list(_metrics(task)),
        "filters": _filters(config),
        "repeats": config.repeats,
        "delimiter": config.target_delimiter,
        "data": [text for text in (config.dataset_path, config.dataset_name) if text],
        "split": config.test_split or config.validation_split or "",
    }


def _metrics(task: Harness) -> Iterator[dict[str, object]]:
    """Yield name, options and aggregation of each metric, and whether the task's own code computes
    it."""
    scores_itself = task.config.process_results is not None
    listed = {_name(metric["metric"]): metric for metric in task.config.metric_list or ()}
    for name, options in task._metric_fn_kwargs.items():
        metric = listed.get(name, {})
        aggregation = task._aggregation_list.get(name)
        yield {
            "name": name,
            "options": {key: _plain(value) for key, value in options.items()},
            "aggregation": _name(metric.get("aggregation") or aggregation),
            "probe": _probed(aggregation),
            "is_own": scores_itself or callable(metric.get("metric")),
        }


def _probed(aggregation: Harness) -> dict[str, float | None] | None:
    """Return what a task's own function makes of labels and of numbers; None of a registered
    one."""
    from lm_eval.api import registry

    if aggregation in registry.AGGREGATION_REGISTRY.values():
        return None
    values: dict[str, float | None] = {}
    for name, items in (("labels", LABELS), ("numbers", NUMBERS)):
        try:
            value = float(aggregation(list(items)))
        except Exception:  # code of a task, with items that may not be its own
            continue
        values[name] = value if math.isfinite(value) else None
    return values


def _filters(config: Harness) -> list[dict[str, object]]:
    """Return the named chains of steps that answers go through."""
    chains = config.filter_list or ()
    return [
        {
            "name": str(chain["name"]),
            "steps": [
                {
                    "function": _name(step["function"]),
                    "is_own": callable(step["function"]),
                    "options": {k: _plain(v) for k, v in step.items() if k != "function"},
                }
                for step in chain["filter"]
            ],
        }
        for chain in chains
    ]


def _name(value: Harness) -> str:
    return value if isinstance(value, str) else getattr(value, "__name__", type(value).__name__)


def _plain(value: Harness) -> object:
    """Return an option as JSON; of a function, its name."""
    return _name(value) if callable(value) else value


def _row(task: Harness, instances: list[Harness]) -> dict[str, object]:
    """Return what is asked for a row, and what is right."""
    first = instances[0]
    doc = first.doc
    if any(
        isinstance(part, Mapping) and "until" not in part and len(instance.args) > 2
        for instance in instances
        for part in instance.args
    ):
        return {"why": "it has images or audio"}
    match task.OUTPUT_TYPE:
        case "generate_until":
            context, options = first.args[:2]
            return {
                "prompt": str(context),
                "options": {key: _plain(value) for key, value in options.items()},
                "target": _target(task, doc),
            }
        case "multiple_choice":
            choices = [str(choice) for choice in task.doc_to_choice(doc)]
            return {
                **_continuations(instances[: len(choices)]),
                "choices": choices,
                "target": task.doc_to_text(doc) if task.multiple_input else task.doc_to_target(doc),
            }
        case "loglikelihood":
            return {**_continuations(instances), "units": _units(task, doc, (-1.0, False))}
        case _:
            return {"text": str(first.args[0]), "units": _units(task, doc, -1.0)}


def _units(task: Harness, doc: Harness, rated: object) -> dict[str, float]:
    """Return by how much each metric divides the likelihood of a row: words, bytes, or 1. Those are
    left out that it isn't the sum of."""
    scores = task.process_results(doc, (rated,))
    parts = {name: part if isinstance(part, tuple) else (part, 1) for name, part in scores.items()}
    return {
        name: float(part[1]) for name, part in parts.items() if len(part) == 2 and part[0] == -1
    }


def _continuations(instances: list[Harness]) -> dict[str, object]:
    """Return the texts that are rated: one context, or one for each, and what follows it."""
    contexts = [str(instance.args[0]) for instance in instances]
    shared = contexts[:1] if len(set(contexts)) == 1 else contexts
    return {"contexts": shared, "continuations": [str(instance.args[1]) for instance in instances]}


def _target(task: Harness, doc: Harness) -> object:
    """Return the right answer of a row as the harness compares it: a text, or a list of which any
    is right."""
    right = task.doc_to_target(doc)
    if task.config.process_results is not None:
        return None
    if task.config.doc_to_choice is not None:
        return str(task.doc_to_choice(doc)[right])
    if task.multiple_target:
        return [str(text) for text in (right if isinstance(right, list) else [right])]
    return str(right)


if __name__ == "__main__":
    main()
