"""Scripted answers are judged by the task's own filters and scores; stand-ins have what is read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from lve.extensions.importing.lm_eval.scripted import scripted


def test_choices_are_rated() -> None:
    task = SimpleNamespace(
        OUTPUT_TYPE="multiple_choice",
        process_results=lambda doc, rated: {"acc": float(rated[0][0] > rated[1][0]), "f1": (0, 1)},
    )
    requests: Any = [SimpleNamespace(doc={}) for _ in range(6)]
    lines = list(scripted(task, requests))
    assert [line["scores"] for line in lines] == [{"acc": 1.0}, {"acc": 0.0}, {"acc": 1.0}]
    assert lines[0]["rated"] == [-1.0, -2.0, -3.0, -4.0, -2.0, -3.0]


def test_answers_go_through_each_filter() -> None:
    def apply(requests: list[Any]) -> None:
        for request in requests:
            request.filtered_resps["low"] = request.resps[0].lower()

    task = SimpleNamespace(
        OUTPUT_TYPE="generate_until",
        config=SimpleNamespace(doc_to_choice=None, filter_list=[1]),
        doc_to_target=lambda doc: ["Paris"],
        _filters=[SimpleNamespace(name="low", apply=apply)],
        process_results=lambda doc, answers: {"exact_match": answers[0] == "paris"},
    )
    request: Any = SimpleNamespace(doc={}, resps=None, filtered_resps=None)
    lines = {line["answer"]: line["scores"] for line in scripted(task, [request])}
    assert lines["PARIS"] == {"exact_match_low": 1.0}
    assert lines["The answer is Paris."] == {"exact_match_low": 0.0}


def test_what_is_rated_as_a_whole_has_no_answers() -> None:
    task = SimpleNamespace(OUTPUT_TYPE="loglikelihood_rolling")
    assert list(scripted(task, [])) == []
