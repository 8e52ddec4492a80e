"""Has lm-evaluation-harness judge scripted answers, beside the dump, which runs this file.

Answers that a model could give are made of the right one; choices get made-up log-probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

LIKELIHOODS = ((-1.0, -2.0, -3.0, -4.0), (-9.0, -2.5, -7.25, -1.5), (-3.0, -3.5, -0.5, -8.0))
"""Log-probabilities of choices, repeated for more of them."""


def scripted(task: Any, instances: Sequence[Any]) -> Iterator[dict[str, object]]:
    """Yield what a model says of a row, and the scores of it: name -> number.

    Args:
        task: the harness' task.
        instances: its requests for the row.
    """
    if task.OUTPUT_TYPE == "multiple_choice":
        for pattern in LIKELIHOODS:
            rated = [pattern[n % len(pattern)] - n // len(pattern) for n in range(len(instances))]
            scores = task.process_results(instances[0].doc, [(value, False) for value in rated])
            yield {"rated": rated, "scores": _numbers(scores, "")}
    elif task.OUTPUT_TYPE == "generate_until":
        for answer in _answers(task, instances[0].doc):
            yield {"answer": answer, "scores": dict(_after_filters(task, instances, answer))}


def _answers(task: Any, doc: Any) -> list[str]:
    right = task.doc_to_target(doc)
    if task.config.doc_to_choice is not None and isinstance(right, int):
        right = task.doc_to_choice(doc)[right]
    text = str(right[0] if isinstance(right, list) and right else right)
    return [
        *(text, f" {text}\n", text.upper(), f"The answer is {text}.", f"#### {text}", ""),
        *(f"First 12, then ({text})", f"{text[:-1]}", "$1,234.50", f"**{text}**"),
    ]


def _after_filters(task: Any, instances: Sequence[Any], answer: str) -> Iterator[tuple[str, float]]:
    for instance in instances:
        instance.resps, instance.filtered_resps = [answer], {}
    for chain in task._filters:
        chain.apply(list(instances))
        filtered = [instance.filtered_resps[chain.name] for instance in instances]
        scores = task.process_results(instances[0].doc, filtered)
        name = chain.name if task.config.filter_list else ""
        yield from _numbers(scores, name).items()


def _numbers(scores: Mapping[str, Any], chain: str) -> dict[str, float]:
    """Return the scores that are numbers, by the name of metric and filter."""
    named = {"_".join(part for part in (name, chain) if part): s for name, s in scores.items()}
    return {
        name: float(score) for name, score in named.items() if not isinstance(score, tuple | list)
    }
