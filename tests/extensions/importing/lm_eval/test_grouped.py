"""What the dump writes of groups, without the harness: stand-ins have what it reads of one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from lve.extensions.importing.lm_eval import grouped


def test_groups_with_scores_are_written_once_and_failures_told() -> None:
    def group(name: str, *metrics: Any) -> Any:
        leaf = SimpleNamespace(task_name="t")
        return SimpleNamespace(
            name=name, aggregate_metric_list=metrics, get_all_tasks=lambda: [leaf]
        )

    acc = SimpleNamespace(metric="acc", filter_list=["none"], weight_by_size=True)
    loaded = {"a": group("a", acc), "a::b": group("a::b", acc), "c": group("c")}

    def load(name: str) -> Any:
        if name == "bad":
            raise KeyError("gone")
        return {"groups": loaded}

    entries = {name: SimpleNamespace(yaml_path=f"{name}.yaml") for name in ("a", "bad", "c")}
    manager = SimpleNamespace(task_index=entries, load=load, all_groups=[*entries])
    lines: list[Any] = []
    grouped.write_groups(manager, ["a", "a", "c", "task", "bad"], 9, lines.append)
    metrics = [{"name": "acc", "filters": ["none"], "by_size": True}]
    assert lines[0]["why"] == "no scores of the group: KeyError: 'gone'"
    assert lines[1:] == [
        {"kind": "group", "group": name, "file": "a.yaml", "tasks": ["t"], "metrics": metrics}
        for name in ("a", "a::b")
    ]
