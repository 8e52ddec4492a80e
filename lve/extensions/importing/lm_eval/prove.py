"""Compares imported tests with lm-evaluation-harness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from lve.checkers.contract import Verdict
from lve.extension_table import extension_part
from lve.extensions.importing.lm_eval.metrics import PASS_RATE
from lve.extensions.importing.lm_eval.records import Task, texts_of
from lve.extensions.importing.proof import TEXTS, Proof, Written, object_of
from lve.json_types import JsonObject, JsonValue
from lve.spec.spec import Instance


def prove(folder: Path, scores: Mapping[str, str], task: Task) -> Proof:
    """Return what differs between a written test and the harness.

    Args:
        folder: the folder of the test.
        scores: its metrics and filters, as scores are named -> what reports have of them.
        task: the task, with the dump's lines of rows and scripted answers.

    Raises:
        SpecError: the test is invalid.
    """
    test, proof = Written(folder), Proof()
    instances = {each.parameters.get("doc"): each for each in test.instances}
    by_doc = {row["doc"]: row for row in task.rows}
    numbers = [line["doc"] for line in task.scripted if isinstance(line.get("doc"), int)]
    verdicts: dict[str, list[Verdict]] = {}
    is_whole = True
    for doc in dict.fromkeys(numbers):
        if (instance := instances.get(doc)) is None or doc not in by_doc:
            is_whole = False
            continue
        proof.rows += 1
        expected = _sent(by_doc[doc])
        proof.compare_prompts({"doc": doc}, test.prompts(instance, TEXTS), expected)
        for line in task.scripted:
            if line.get("doc") == doc:
                verdict = _verdict(test, instance, line, by_doc[doc])
                verdicts.setdefault(str(line.get("number")), []).append(verdict)
                for name in scores:
                    _compare(proof, name, line, verdict.passed)
    for line in task.aggregated if is_whole else ():
        for name, score in scores.items():
            _compare_whole(proof, line, (name, score), verdicts.get(str(line.get("number")), []))
    return proof


def _sent(row: JsonObject) -> list[JsonValue]:
    """Return the texts that the harness sends for a row."""
    if "prompt" in row or "text" in row:
        return [str(row.get("prompt", row.get("text")))]
    contexts, texts = texts_of(row, "contexts"), texts_of(row, "continuations")
    befores = contexts if len(contexts) > 1 else [contexts[0]] * len(texts)
    return [before + text for before, text in zip(befores, texts, strict=True)]


def _verdict(test: Written, instance: Instance, line: JsonObject, row: JsonObject) -> Verdict:
    rated = line.get("rated")
    if isinstance(rated, list):
        texts = [str(row["text"])] if "text" in row else texts_of(row, "continuations")
        return test.rated(instance, rated, texts)
    return test.judged(instance, str(line.get("answer", "")))[0]


def _compare(proof: Proof, name: str, line: JsonObject, passed: bool) -> None:
    score = object_of(line, "scores").get(name)
    if score not in (0, 1):
        proof.not_compared += 1
        return
    of: JsonObject = {"doc": line.get("doc"), "metric": name}
    of = {**of, **{key: line[key] for key in ("answer", "rated") if key in line}}
    proof.compare_score(of, passed, score)


def _compare_whole(
    proof: Proof, line: JsonObject, names: tuple[str, str], verdicts: Sequence[Verdict]
) -> None:
    """Compare a metric over all rows, of one scripted answer to each."""
    name, score = names
    expected = object_of(line, "scores").get(name)
    value = _over_all(score, verdicts)
    if not isinstance(expected, float) or value is None:
        proof.not_compared += score != PASS_RATE
        return
    proof.compare_score({"metric": name, "number": line.get("number")}, value, expected)


def _over_all(score: str, verdicts: Sequence[Verdict]) -> float | None:
    if score == PASS_RATE or not verdicts:
        return None
    parts = [verdict.parts[score] for verdict in verdicts if verdict.parts]
    if parts:
        return cast("float | None", extension_part("metric over all rows")(score, parts))
    pairs = Counter(verdict.labels for verdict in verdicts if verdict.labels)
    metric = extension_part("metrics of labels")(pairs).get(score)
    return cast("float", metric(pairs)) if metric else None
