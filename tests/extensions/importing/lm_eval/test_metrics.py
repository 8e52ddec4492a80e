"""Metrics and filters as checks, and those that have none."""

from __future__ import annotations

from typing import Any

import pytest
from support.lm_eval_dump import recorded_task

from lve.extensions.importing.lm_eval.metrics import NoCounterpartError, checks_of


def metric(name: str, *, is_own: bool = False, **options: Any) -> dict[str, Any]:
    return {"name": name, "options": options, "aggregation": "mean", "is_own": is_own}


def chain(*functions: Any, is_own: bool = False) -> dict[str, Any]:
    steps = []
    for function in functions:
        name, options = function if isinstance(function, tuple) else (function, {})
        steps.append({"function": name, "options": options, "is_own": is_own})
    return {"name": "c", "steps": steps}


def check_of(task: str, **changes: Any) -> Any:
    [check] = checks_of(recorded_task(task, **changes))
    return str(check) if isinstance(check, NoCounterpartError) else check[1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("acc", {"rated_choice": "total", "delimiter": " "}),
        ("acc_norm", {"rated_choice": "character", "delimiter": " "}),
        ("acc_bytes", {"rated_choice": "byte", "delimiter": " "}),
        ("f1", {"rated_choice": "total", "delimiter": " "}),
        ("mcc", {"rated_choice": "total", "delimiter": " "}),
        ("acc_mutual_info", "the metric acc_mutual_info: lve has no such metric of choices"),
    ],
)
def test_metrics_of_choices(name: str, expected: object) -> None:
    assert check_of("capitals", metrics=[metric(name)]) == expected


def test_without_a_delimiter_there_is_none() -> None:
    check = check_of("capitals", metrics=[metric("acc")], delimiter="")
    assert check == {"rated_choice": "total"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {}),
        ({"ignore_case": True, "ignore_numbers": False}, {"ignore_case": True}),
        # A list item of YAML that was meant to be a list is a text, which counts as true.
        ({"ignore_punctuation": 'true - "."'}, {"ignore_punctuation": True}),
        ({"regexes_to_ignore": ["a{2}"]}, {"regexes_to_ignore": ["a{{2}}"]}),
        ({"weight_by_size": True}, {}),
    ],
)
def test_options_of_exact_match(options: dict[str, Any], expected: dict[str, Any]) -> None:
    check = check_of("greetings", metrics=[metric("exact_match", **options)])
    assert check == {"exact_match": "{target}", "normalise": "none", **expected}


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (["take_first"], None),
        (["remove_whitespace", "take_first"], ["trim"]),
        (["lowercase", "uppercase"], ["lowercase", "uppercase"]),
        (
            ["regex"],
            [
                {
                    "type": "match",
                    "pattern": r"#### (\-?[0-9\.\,]+)",
                    "group": 0,
                    "otherwise": "[invalid]",
                }
            ],
        ),
        ([("map", {"mapping_dict": {"a": 1}})], [{"type": "map", "mapping": {"a": "1"}}]),
    ],
)
def test_filters(steps: list[Any], expected: object) -> None:
    check = check_of("greetings", metrics=[metric("exact_match")], filters=[chain(*steps)])
    assert check.get("extract") == expected


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"metrics": [metric("exact_match", is_own=True)]}, "the task's own code computes it"),
        ({"metrics": [metric("bleurt")]}, "lve has no such metric"),
        ({"metrics": [metric("bleu", tokenize="13a")]}, "lve has no such metric"),
        ({"metrics": [metric("exact_match", ignore=1)]}, "its option ignore has no counterpart"),
        ({"filters": [chain("majority_vote")]}, "its step majority_vote has no counterpart"),
        ({"filters": [chain("Own", is_own=True)]}, "its step Own is the task's own code"),
        ({"filters": [chain(("regex", {"group_select": "x"}))]}, "has other options than numbers"),
        ({"filters": [chain(("map", {"mapping_dict": [1]}))]}, "other values than texts"),
    ],
)
def test_what_has_no_counterpart_is_told(changes: dict[str, Any], why: str) -> None:
    said = check_of("greetings", **{"metrics": [metric("exact_match")], **changes})
    assert why in said


def test_each_metric_is_judged_after_each_filter() -> None:
    changes = {
        "metrics": [metric("exact_match"), metric("bleu")],
        "filters": [chain("take_first"), {**chain("lowercase"), "name": "d"}],
    }
    names = [check[0] for check in checks_of(recorded_task("greetings", **changes))]  # type: ignore[index]
    assert names == ["exact_match_c", "bleu_c", "exact_match_d", "bleu_d"]
