"""Scripted answers are judged by the task's own filters and scores; stand-ins have what is read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from lve.extensions.importing.lm_eval.scripted import judged_lines, scripted
from lve.extensions.importing.proof import FORMS, RATED


def test_choices_are_rated() -> None:
    task = SimpleNamespace(
        OUTPUT_TYPE="multiple_choice",
        process_results=lambda doc, rated: {"acc": float(rated[0][0] > rated[1][0]), "f1": (0, 1)},
    )
    requests: Any = [SimpleNamespace(doc={}, doc_id=0) for _ in range(6)]
    lines, kept = zip(*scripted(task, requests, FORMS, RATED), strict=True)
    assert kept[0] == {"acc": 1.0, "f1": (0, 1)}
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
    lines = {line["answer"]: line["scores"] for line, _ in scripted(task, [request], FORMS, RATED)}
    assert lines["PARIS"] == {"exact_match_low": 1.0}
    assert lines["The answer is Paris."] == {"exact_match_low": 0.0}


def test_choices_of_other_rows_are_rated_otherwise() -> None:
    task = SimpleNamespace(OUTPUT_TYPE="multiple_choice", process_results=lambda doc, rated: {})
    requests: Any = [SimpleNamespace(doc={}, doc_id=1) for _ in range(4)]
    line, _ = next(scripted(task, requests, FORMS, RATED))
    assert line["rated"] == [-2.0, -3.0, -4.0, -1.0]


def test_texts_get_one_likelihood() -> None:
    rolling = SimpleNamespace(
        OUTPUT_TYPE="loglikelihood_rolling",
        process_results=lambda doc, rated: {"word_perplexity": (rated[0], 4)},
    )
    [(line, kept), *_] = scripted(rolling, [SimpleNamespace(doc={})], FORMS, RATED)
    assert (line, kept) == ({"rated": [-1.0], "scores": {}}, {"word_perplexity": (-1.0, 4)})
    after = SimpleNamespace(
        OUTPUT_TYPE="loglikelihood",
        process_results=lambda doc, rated: {"perplexity": rated[0][0]},
    )
    assert next(scripted(after, [SimpleNamespace(doc={})], FORMS, RATED))[0]["scores"] == {
        "perplexity": -1.0
    }


def test_the_scores_of_all_rows_are_added_up() -> None:
    """Items of metrics whose name begins with another's go to their own function."""
    task = SimpleNamespace(
        OUTPUT_TYPE="multiple_choice",
        process_results=lambda doc, rated: {"f1_b": doc, "f1": doc, "bad": doc, "unknown": doc},
        aggregation=lambda: {"f1": min, "f1_b": max, "bad": print},
    )
    rows: Any = {n: [SimpleNamespace(doc=doc, doc_id=n)] for n, doc in ((4, 3), (7, 1))}
    lines = list(judged_lines(task, rows, 9, FORMS, RATED))
    singles = [line for line in lines if line["kind"] == "scripted"]
    assert [(line["doc"], line["number"]) for line in singles] == [
        *((4, 0), (4, 1), (4, 2), (7, 0), (7, 1), (7, 2)),
    ]
    assert [line["scores"] for line in lines[6:]] == [{"f1": 1.0, "f1_b": 3.0}] * 3
