"""Metrics and filters as checks, and those that have none."""

from __future__ import annotations

from typing import Any

import pytest
from support.lm_eval_dump import recorded_task

from lve.extensions.importing.lm_eval.metrics import Judged, checks_of
from lve.extensions.importing.lm_eval.records import NoCounterpartError


def metric(name: str, *, is_own: bool = False, **options: Any) -> dict[str, Any]:
    aggregation = AGGREGATIONS.get(name, "mean")
    return {"name": name, "options": options, "aggregation": aggregation, "is_own": is_own}


AGGREGATIONS = {"f1": "f1", "mcc": "matthews_corrcoef", "bleu": "bleu", "perplexity": "perplexity"}


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


@pytest.mark.parametrize(
    ("metric_", "score"),
    [
        (metric("acc"), "pass rate"),
        ({**metric("acc"), "aggregation": "nanmean"}, "pass rate"),
        (metric("f1"), "f1_of_1"),
        (metric("mcc"), "mcc"),
        ({**metric("f1"), "aggregation": "mine", "probe": {"labels": 0.65}}, "f1_weighted"),
        ({**metric("f1"), "aggregation": "mine", "probe": {"labels": 0.625}}, "pass rate"),
        ({**metric("acc"), "aggregation": "mine", "probe": {"numbers": 0.6}}, "pass rate"),
        ({**metric("acc"), "aggregation": "mine", "probe": {"numbers": 0.5}}, None),
        ({**metric("acc"), "aggregation": "mine", "probe": {"labels": 0.625}}, None),
        ({**metric("f1"), "aggregation": "mine", "probe": {"labels": None}}, None),
        ({**metric("acc"), "aggregation": "median"}, None),
        ({**metric("f1"), "aggregation": "mean"}, None),
    ],
)
def test_what_reports_have_of_a_metric(metric_: dict[str, Any], score: str | None) -> None:
    """0.65 is scikit-learn's weighted F1 of `dump.LABELS`, 0.625 its micro F1."""
    [judged] = checks_of(recorded_task("capitals", metrics=[metric_]))
    if isinstance(judged, NoCounterpartError):
        assert score is None
        assert "lve has no aggregation" in str(judged)
    else:
        assert judged.score == score


def test_metrics_of_texts() -> None:
    changes = {"metrics": [metric("perplexity"), metric("acc")]}
    perplexity, why = checks_of(recorded_task("endings", **changes))
    assert perplexity == Judged("perplexity", {"text_likelihood": "perplexity"}, "perplexity")
    assert "lve has no such metric of the likelihood of a text" in str(why)
    task = recorded_task("endings", metrics=[metric("perplexity")])
    task.rows[0] = {**task.rows[0], "units": {}}
    [why] = checks_of(task)
    assert "it isn't the likelihood of a text" in str(why)


def test_each_metric_is_judged_after_each_filter() -> None:
    changes = {
        "metrics": [metric("exact_match"), metric("bleu")],
        "filters": [chain("take_first"), {**chain("lowercase"), "name": "d"}],
    }
    judged = checks_of(recorded_task("greetings", **changes))
    names = [check.name for check in judged if isinstance(check, Judged)]
    assert names == ["exact_match_c", "bleu_c", "exact_match_d", "bleu_d"]
