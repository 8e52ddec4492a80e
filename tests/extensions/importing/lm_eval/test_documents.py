"""The documents and rows of a task."""

from __future__ import annotations

from typing import Any

import pytest
from support.lm_eval_dump import recorded_task

from lve.extensions.importing.lm_eval.documents import tests_of as documents_of
from lve.extensions.importing.lm_eval.records import NoCounterpartError, Task

METRIC = {"name": "exact_match", "options": {}, "aggregation": "mean", "is_own": False}
SOURCE = {"tool": "lm-eval"}


def answered(**options: Any) -> Task:
    task = recorded_task("greetings", metrics=[METRIC])
    task.rows = [{**row, "options": options} for row in task.rows]
    return task


def only(task: Task) -> Any:
    [test] = [part for part in documents_of(task, SOURCE) if isinstance(part, tuple)]
    return test


@pytest.mark.parametrize(
    ("options", "args"),
    [
        ({}, {"temperature": 0, "max_tokens": 256}),
        ({"max_gen_toks": 5}, {"temperature": 0, "max_tokens": 5}),
        ({"until": "\n"}, {"temperature": 0, "max_tokens": 256, "stop": ["\n"]}),
        ({"until": ["", None]}, {"temperature": 0, "max_tokens": 256}),
        ({"temperature": 0.7, "do_sample": True}, {"temperature": 0.7, "max_tokens": 256}),
        ({"temperature": 0.7, "do_sample": False}, {"temperature": 0, "max_tokens": 256}),
        ({"top_p": 0.5}, {"temperature": 0, "max_tokens": 256, "top_p": 0.5}),
    ],
)
def test_options_of_generation_are_model_args(options: Any, args: Any) -> None:
    assert only(answered(**options))[1]["default_model_args"] == args


def test_an_option_that_lve_does_not_send_is_told() -> None:
    with pytest.raises(NoCounterpartError, match="its option of generation num_beams isn't sent"):
        list(documents_of(answered(num_beams=4), SOURCE))


def test_options_that_differ_by_row_are_told() -> None:
    task = answered()
    task.rows[0] = {**task.rows[0], "options": {"max_gen_toks": 1}}
    with pytest.raises(NoCounterpartError, match="its rows have different options"):
        list(documents_of(task, SOURCE))


def test_metrics_that_judge_the_same_are_one_test() -> None:
    metrics = [{**METRIC, "name": "acc"}, {**METRIC, "name": "f1", "aggregation": "f1"}]
    scores, document, _ = only(recorded_task("capitals", metrics=metrics))
    assert scores == {"acc": "pass rate", "f1": "f1_of_1"} == document["source"]["scores"]
    assert document["check"]["rated_choice"] == "total"


def test_texts_are_the_only_choice_of_their_row() -> None:
    perplexity = {**METRIC, "name": "perplexity", "aggregation": "perplexity"}
    _, document, rows = only(recorded_task("endings", metrics=[perplexity]))
    assert document["check"] == {"text_likelihood": "perplexity"}
    assert document["infer_cfg"]["inferencer"] == {"type": "ChoicesInferencer"}
    assert rows.startswith('{"prompt": "Good morning:", "choices": [" Guten Morgen"], "units": ')
    task = recorded_task("texts")
    task.rows[1] = {**task.rows[1], "text": ""}
    with pytest.raises(NoCounterpartError, match="a row has an empty text"):
        list(documents_of(task, SOURCE))


def test_rows_without_a_right_choice_are_counted() -> None:
    metrics = [{**METRIC, "name": "acc"}]
    task = recorded_task("capitals", metrics=metrics)
    task.rows[0] = {**task.rows[0], "target": 9}
    why, test = documents_of(task, SOURCE)
    assert str(why) == "1 row without a choice that is right"
    assert isinstance(test, tuple)
    assert test[2].count("\n") == 1
    task.rows[1] = {**task.rows[1], "target": "Oruro"}
    with pytest.raises(NoCounterpartError, match="none of its rows has a right choice"):
        list(documents_of(task, SOURCE))


def test_a_right_choice_may_be_a_text_or_a_list() -> None:
    metrics = [{**METRIC, "name": "acc"}]
    task = recorded_task("capitals", metrics=metrics)
    task.rows = [{**task.rows[1], "target": target} for target in ("La Paz", [0, 1, 7])]
    assert [row.split('"target": ')[1] for row in only(task)[2].splitlines()] == [
        '1, "doc": 1}', '[0, 1], "doc": 1}',
    ]  # fmt: skip


def test_choices_that_are_not_what_follows_keep_their_names() -> None:
    metrics = [{**METRIC, "name": "acc"}]
    task = recorded_task("capitals", metrics=metrics)
    task.rows = [{**task.rows[1], "continuations": [" (A) Sucre", " (B) La Paz"]}]
    assert '{"text": "(A) Sucre", "name": "Sucre"}' in only(task)[2]
    task.rows = [{**task.rows[0], "continuations": ["Sucre", "La Paz"]}]
    with pytest.raises(NoCounterpartError, match="don't follow its delimiter"):
        list(documents_of(task, SOURCE))


def test_repeats_are_told() -> None:
    task = recorded_task("greetings", metrics=[METRIC], repeats=8)
    *_, why = documents_of(task, SOURCE)
    assert "it asks 8 times for each row" in str(why)
