"""Makes the model of refusals: weights of word sequences, by logistic regression.

    .venv/bin/python benchmarks/refusal_model/train.py FOLDER [--write]

FOLDER keeps the public answers; those that are missing are fetched (sources.json names each file,
its commit, its licence and its hash). Without `--write` the model learns without the answers of two
of XSTest's models, and is measured on these (measured.json, for docs/accuracy.md); with it, it
learns from all and is written to lve/extensions/refusals/refusal_weights.bin. Needs numpy and
scipy. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from composed_answers import composed, languages
from public_answers import XSTEST_LABELS, Labelled, PublicFiles, public_answers, xstest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit

from lve.extensions.refusals.counted_text import counted
from lve.extensions.refusals.refusal_model import (
    LIMIT,
    PLACES,
    TRAIT,
    WEIGHTS,
    Feature,
    reading,
    written,
)

TESTS = Path(__file__).parents[2] / "tests"
CASES = TESTS / "cases"
VECTORS = TESTS / "conformance/vectors/verdicts"
HELD_OUT_MODELS = ("gpt4", "llama2new")
"""XSTest's models that the model for measuring doesn't learn from."""
MEASURED = Path(__file__).with_name("measured.json")
_FEWEST = 6
"""The fewest answers that a word sequence occurs in."""
_KEPT = 48_000
"""Word sequences with a weight."""
_PENALTY = 0.02

Column = tuple[str, Feature]


def main(arguments: Sequence[str]) -> None:
    """Train, and measure or write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    files = PublicFiles(options.folder)
    held_out = () if options.write else HELD_OUT_MODELS
    rows = training_rows(files, held_out)
    print(Counter(row.source.split()[0] for row in rows))
    weights = fitted(rows)
    if options.write:
        WEIGHTS.write_bytes(written(weights))
        print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes")
        return
    xstest_rows = [
        Labelled(answer, XSTEST_LABELS[label], model)
        for model, _, answer, label in xstest(files)
        if model in held_out and label in XSTEST_LABELS
    ]
    print(measured(weights, xstest_rows))
    MEASURED.write_text(json.dumps(mistakes(weights, xstest_rows), indent=1) + "\n", "utf-8")


def training_rows(files: PublicFiles, without: Iterable[str]) -> list[Labelled]:
    """Return everything to learn from, but for XSTest's answers of some models."""
    rows = [row for language in languages() for row in composed(language)]
    rows += public_answers(files)
    rows += _own_cases()
    rows += [
        Labelled(answer, XSTEST_LABELS[label], "XSTest", 2.5)
        for model, _, answer, label in xstest(files)
        if model not in without and label in XSTEST_LABELS
    ]
    return rows


def _own_cases() -> Iterator[Labelled]:
    cases = json.loads((CASES / "checkers/refusals.json").read_text(encoding="utf-8"))
    texts = [(text, kind != "answers") for kind, group in cases.items() for text in group]
    texts += [(f"Well. {text.upper()}", True) for text in cases["brief"]]
    for group in json.loads((CASES / "verdicts/refusal.json").read_text(encoding="utf-8")):
        wanted = group["check"]["refusal"]
        texts += [(text, wanted) for text in group["passed"]]
        texts += [(text, not wanted) for text in group["failed"]]
    for file in sorted(VECTORS.glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            if row["check"] == {"refusal": True}:
                texts.append((row["answer"], row["expected"] == "passed"))
    for text, refuses in texts:
        yield Labelled(text, int(refuses), "cases", 2.0)


def columns(answer: str) -> dict[Column, float]:
    """Return the values of an answer's features: each in its place, and in any."""
    places, traits = reading(counted(answer))
    values: dict[Column, float] = {}
    for place, sequences in zip(PLACES, places, strict=True):
        share = len(sequences) ** -0.5 if sequences else 0.0
        for sequence in sequences:
            values[place, sequence] = share
            values["any", sequence] = values.get(("any", sequence), 0.0) + share
    for trait in traits:
        values[TRAIT, trait] = 0.5
    return values


class Problem(NamedTuple):
    """Rows of features, their columns' numbers, labels and weights."""

    values: list[dict[Column, float]]
    labels: np.ndarray[tuple[int], np.dtype[np.float64]]
    weights: np.ndarray[tuple[int], np.dtype[np.float64]]


def fitted(rows: Sequence[Labelled]) -> dict[Column, float]:
    """Return the weights of the columns. The weight of `("any", "")` is that of every answer.

    Refusals count twice: in new wordings they are harder to recognize than answers. The first fit,
    of all frequent word sequences, says which of them are kept for the second.
    """
    problem = Problem(
        [columns(row.answer) for row in rows],
        np.array([row.refuses for row in rows], float),
        np.array([row.weight * (1 + row.refuses) for row in rows], float),
    )
    counts = Counter(column for values in problem.values for column in values)
    frequent = {column for column, count in counts.items() if count >= _FEWEST}
    first = _fit(problem, frequent, 30)
    effect: Counter[Feature] = Counter()
    for (place, sequence), weight in first.items():
        if place != TRAIT and sequence:
            size = abs(weight) * counts[place, sequence] ** 0.5
            effect[sequence] = max(effect[sequence], size)
    kept = {sequence for sequence, _ in effect.most_common(_KEPT)}
    second = {column for column in frequent if column[0] == TRAIT or column[1] in kept}
    return _fit(problem, second, 100)


def _fit(problem: Problem, chosen: set[Column], steps: int) -> dict[Column, float]:
    numbers = {column: number for number, column in enumerate(sorted(chosen, key=str))}
    indices, data, starts = [], [], [0]
    for values in problem.values:
        for column, value in values.items():
            if column in numbers:
                indices.append(numbers[column])
                data.append(value)
        starts.append(len(indices))
    matrix = csr_matrix((data, indices, starts), shape=(len(problem.values), len(numbers)))
    transposed = matrix.T.tocsr()
    signs = 2 * problem.labels - 1

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (matrix @ point[:-1] + point[-1])
        slope = -problem.weights * signs * expit(-margins)
        value = float(problem.weights @ np.logaddexp(0, -margins))
        gradient = np.append(transposed @ slope + 2 * _PENALTY * point[:-1], slope.sum())
        return value + _PENALTY * float(point[:-1] @ point[:-1]), gradient

    start = np.zeros(len(numbers) + 1)
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
    return {**dict(zip(numbers, best.tolist(), strict=False)), ("any", ""): float(best[-1])}


def scores(weights: dict[Column, float], answers: Iterable[str]) -> list[float]:
    """Return the probability that each answer refuses."""
    bias = weights["any", ""]
    return [
        float(expit(bias + sum(weights.get(key, 0.0) * v for key, v in columns(answer).items())))
        for answer in answers
    ]


def measured(weights: dict[Column, float], rows: Sequence[Labelled]) -> str:
    """Return how well the weights tell refusals from answers."""
    found = scores(weights, [row.answer for row in rows])
    refusals = [p for p, row in zip(found, rows, strict=True) if row.refuses]
    answers = [p for p, row in zip(found, rows, strict=True) if not row.refuses]
    wins = sum((a > b) + (a == b) / 2 for a in refusals for b in answers)
    area = wins / max(len(refusals) * len(answers), 1)
    lines = [f"{len(refusals)} refusals, {len(answers)} answers, area under the curve {area:.4f}"]
    for limit in (0.3, 0.4, LIMIT, 0.6, 0.7, 0.8, 0.9):
        hits, alarms = (sum(p > limit for p in group) for group in (refusals, answers))
        share, false = hits / max(len(refusals), 1), alarms / max(len(answers), 1)
        lines.append(f"over {limit}: {share:.1%} of refusals, {false:.1%} of answers")
    return "\n".join(lines)


def mistakes(weights: dict[Column, float], rows: Sequence[Labelled]) -> dict[str, int]:
    """Return how many refusals and answers there are, and how many are taken for the other."""
    over = [probability > LIMIT for probability in scores(weights, [row.answer for row in rows])]
    pairs = [(bool(row.refuses), passed) for row, passed in zip(rows, over, strict=True)]
    return {
        "positive": sum(label for label, _ in pairs),
        "negative": sum(not label for label, _ in pairs),
        "false_passes": pairs.count((False, True)),
        "false_failures": pairs.count((True, False)),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
