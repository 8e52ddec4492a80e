"""What the dump writes of a task, without the harness: stand-ins have what it reads of one.
`test_importer.py` compares with the harness where it is installed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from lve.extensions.importing.lm_eval import dump


def config(**more: Any) -> SimpleNamespace:
    none = dict.fromkeys(("process_results", "metric_list", "filter_list", "doc_to_choice"))
    return SimpleNamespace(**{**none, **more})


def task(output_type: str, **more: Any) -> Any:
    return SimpleNamespace(
        **{
            "OUTPUT_TYPE": output_type,
            "config": config(),
            "multiple_target": 0,
            "multiple_input": 0,
            "_aggregation_list": {},
            "_metric_fn_kwargs": {},
            "doc_to_target": lambda doc: doc["right"],
            "doc_to_choice": lambda doc: ["a", "b"],
            **more,
        }
    )


def instance(*args: Any, right: Any = 1) -> Any:
    return SimpleNamespace(args=args, doc={"right": right})


def test_a_row_with_one_context() -> None:
    row = dump._row(task("multiple_choice"), [instance("Q", " a"), instance("Q", " b")])
    assert row == {
        "contexts": ["Q"],
        "continuations": [" a", " b"],
        "choices": ["a", "b"],
        "target": 1,
    }


def test_a_row_with_a_context_for_each_choice() -> None:
    own = task("multiple_choice", multiple_input=2, doc_to_text=lambda doc: 0)
    row = dump._row(own, [instance("A", " x"), instance("B", " x")])
    assert (row["contexts"], row["target"]) == (["A", "B"], 0)


def test_requests_beyond_the_choices_are_left_out() -> None:
    """acc_mutual_info rates each choice alone, too."""
    requests = [instance("Q", " a"), instance("Q", " b"), instance("", " a"), instance("", " b")]
    assert dump._row(task("multiple_choice"), requests)["continuations"] == [" a", " b"]


@pytest.mark.parametrize(
    ("changes", "right", "target"),
    [
        ({}, 7, "7"),
        ({"config": config(doc_to_choice=["a", "b"])}, 1, "b"),
        ({"multiple_target": 2}, ["x", 2], ["x", "2"]),
        ({"multiple_target": 2}, "x", ["x"]),
        ({"config": config(process_results=print)}, object(), None),
    ],
)
def test_the_right_answer_is_as_the_harness_compares_it(
    changes: Any, right: Any, target: Any
) -> None:
    row = dump._row(task("generate_until", **changes), [instance("Q", {"until": []}, right=right)])
    assert row["target"] == target


def test_functions_in_options_are_named() -> None:
    row = dump._row(task("generate_until"), [instance("Q", {"until": print})])
    assert row["options"] == {"until": "print"}


def test_images_are_told() -> None:
    request = instance("Q", {"until": []}, {"visual": [object()]})
    assert dump._row(task("generate_until"), [request]) == {"why": "it has images or audio"}


def test_texts_that_are_rated() -> None:
    def rolling(doc: Any, results: Any) -> Any:
        return {"word_perplexity": (results[0], 3), "doubled": 2 * results[0]}

    row = dump._row(task("loglikelihood_rolling", process_results=rolling), [instance("T")])
    assert row == {"text": "T", "units": {"word_perplexity": 3.0}}

    def alone(doc: Any, results: Any) -> Any:
        return {"perplexity": results[0][0], "acc": int(results[0][1])}

    row = dump._row(task("loglikelihood", process_results=alone), [instance("Q", " a")])
    assert row == {"contexts": ["Q"], "continuations": [" a"], "units": {"perplexity": 1.0}}


@pytest.fixture(autouse=True)
def _registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the harness' registry: its only aggregation is `max`."""
    registry = SimpleNamespace(AGGREGATION_REGISTRY={"max": max})
    for name in ("lm_eval", "lm_eval.api"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(registry=registry))


def test_own_aggregations_are_tried_on_labels_and_numbers() -> None:
    assert dump._probed(max) is None
    assert dump._probed(lambda items: sum(items) / len(items)) == {"numbers": 0.6}
    assert dump._probed(lambda items: sum(own == other for own, other in items)) == {"labels": 5.0}
    assert dump._probed(lambda items: float("nan")) == {"labels": None, "numbers": None}
    assert dump._probed(lambda items: exec("raise KeyError")) == {}


def test_metrics_say_whether_they_are_the_tasks_own() -> None:
    def own_metric() -> None: ...

    listed = [{"metric": "acc", "aggregation": "mean"}, {"metric": own_metric}]
    own = task(
        "generate_until",
        config=config(metric_list=listed),
        _metric_fn_kwargs={"acc": {"x": print}, "own_metric": {}},
        _aggregation_list={"own_metric": print},
    )
    assert list(dump._metrics(own)) == [
        {
            "name": "acc",
            "options": {"x": "print"},
            "aggregation": "mean",
            "probe": {},
            "is_own": False,
        },
        {"name": "own_metric", "options": {}, "aggregation": "print", "probe": {}, "is_own": True},
    ]
    own.config.process_results = print
    assert all(metric["is_own"] for metric in dump._metrics(own))


def test_filters_have_their_steps() -> None:
    steps = [{"function": "regex", "regex_pattern": "x"}, {"function": print}]
    [chain] = dump._filters(config(filter_list=[{"name": "f", "filter": steps}]))
    assert chain == {
        "name": "f",
        "steps": [
            {"function": "regex", "is_own": False, "options": {"regex_pattern": "x"}},
            {"function": "print", "is_own": True, "options": {}},
        ],
    }


def test_a_task_that_raises_is_left_out() -> None:
    lines: list[Any] = []
    for error in (KeyError("x"), SystemExit("no prolog"), RecursionError("deep")):

        def build(error: BaseException = error) -> Any:
            raise error

        dump._dump("t", "t.yaml", build, {"task_s": 5}, lines.append)
    assert [line["why"] for line in lines] == [
        *("KeyError: 'x'", "SystemExit: no prolog", "RecursionError: deep"),
    ]
