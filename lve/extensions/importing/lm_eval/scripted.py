"""Has lm-evaluation-harness judge scripted answers, beside the dump, which runs this file.

Answers that a model could give are made of the right one; choices get made-up log-probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

Harness = Any
"""An object of the harness, which lve's types don't know."""


def judged_lines(
    task: Harness,
    rows: Mapping[int, Sequence[Harness]],
    count: int,
    forms: Sequence[str],
    rated: Sequence[Sequence[float]],
) -> Iterator[dict[str, object]]:
    """Yield what the harness says of scripted answers: of each, then of those to all rows.

    Args:
        task: the harness' task.
        rows: number of a row -> its requests.
        count: how many rows are judged.
        forms: what answers are made of: the right one is `{right}`.
        rated: log-probabilities of choices, repeated for more of them.
    """
    items: dict[int, dict[str, list[Harness]]] = {}
    for doc_id, instances in islice(rows.items(), count):
        for number, (line, each) in enumerate(scripted(task, instances, forms, rated)):
            yield {"kind": "scripted", "doc": doc_id, "number": number, **line}
            for metric, item in each.items():
                items.setdefault(number, {}).setdefault(metric, []).append(item)
    for number, lists in items.items():
        scores = dict(_aggregated(task, lists))
        yield {"kind": "aggregated", "number": number, "scores": scores}


def _aggregated(task: Harness, lists: Mapping[str, list[Harness]]) -> Iterator[tuple[str, float]]:
    """Yield what the harness makes of the scores of all rows: name of metric and filter, value."""
    functions = task.aggregation()
    for name, items in lists.items():
        metric = max((each for each in functions if name.startswith(each)), key=len, default=None)
        try:
            value = float(functions[metric](items))
        except Exception:  # such as an F1 of labels that the rows don't have
            continue
        if math.isfinite(value):
            yield name, value


def scripted(
    task: Harness,
    instances: Sequence[Harness],
    forms: Sequence[str],
    likelihoods: Sequence[Sequence[float]],
) -> Iterator[tuple[dict[str, object], Mapping[str, Harness]]]:
    """Yield what a model says of a row with the scores of it (name -> number), and what the harness
    keeps of it for all rows (name -> item).

    Args:
        task: the harness' task.
        instances: its requests for the row.
        forms: what answers are made of.
        likelihoods: log-probabilities of choices.
    """
    if task.OUTPUT_TYPE == "multiple_choice":
        for pattern in likelihoods:
            rated = [_likelihood(pattern, n, instances[n].doc_id) for n in range(len(instances))]
            scores = task.process_results(instances[0].doc, [(value, False) for value in rated])
            yield {"rated": rated, "scores": _numbers(scores)}, scores
    elif task.OUTPUT_TYPE == "generate_until":
        for answer in _answers(task, instances[0].doc, forms):
            scores = dict(_after_filters(task, instances, answer))
            yield {"answer": answer, "scores": _numbers(scores)}, scores
    else:
        for value, *_ in likelihoods:
            is_rolling = task.OUTPUT_TYPE == "loglikelihood_rolling"
            scores = task.process_results(
                instances[0].doc, (value,) if is_rolling else ((value, False),)
            )
            yield {"rated": [value], "scores": _numbers(scores)}, scores


def _likelihood(pattern: Sequence[float], place: int, row: int) -> float:
    """Return the log-probability of a choice. Rows begin elsewhere, so that labels differ."""
    return pattern[(place + row) % len(pattern)] - place // len(pattern)


def _answers(task: Harness, doc: Harness, forms: Sequence[str]) -> list[str]:
    right = task.doc_to_target(doc)
    if task.config.doc_to_choice is not None and isinstance(right, int):
        right = task.doc_to_choice(doc)[right]
    text = str(right[0] if isinstance(right, list) and right else right)
    return [form.format(right=text, upper=text.upper(), cut=text[:-1]) for form in forms]


def _after_filters(
    task: Harness, instances: Sequence[Harness], answer: str
) -> Iterator[tuple[str, Harness]]:
    for instance in instances:
        instance.resps, instance.filtered_resps = [answer], {}
    for chain in task._filters:
        chain.apply(list(instances))
        filtered = [instance.filtered_resps[chain.name] for instance in instances]
        scores = task.process_results(instances[0].doc, filtered)
        chain_name = chain.name if task.config.filter_list else ""
        for name, score in scores.items():
            yield "_".join(part for part in (name, chain_name) if part), score


def _numbers(scores: Mapping[str, Harness]) -> dict[str, float]:
    """Return the scores that are numbers."""
    return {
        name: float(score) for name, score in scores.items() if not isinstance(score, tuple | list)
    }
