"""Imported tests are compared with what the harness sent, and said of scripted answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace
from support.lm_eval_dump import CASE, recorded_lines

from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.lm_eval.importer import TaskImport
from lve.extensions.importing.proof import Proof

SCRIPTED = [json.loads(line) for line in (CASE / "scripted.jsonl").read_text("utf-8").splitlines()]
"""What the harness said of scripted answers."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path / "w"))


def proofs(scripted: list[dict[str, Any]], **change: Any) -> dict[str, Proof]:
    """Return what is found if the harness says `scripted`, and rows have been changed."""
    lines: list[dict[str, Any]] = []
    tasks = list(dict.fromkeys(line.get("task") for line in recorded_lines()[1:-1]))
    for task in tasks:
        lines += [line for line in recorded_lines() if line.get("task") == task]
        lines += [line for line in scripted if line["task"] == task]
    result = TaskImport("tasks").read([recorded_lines()[0], *lines, recorded_lines()[-1]])
    write_tests(result.tests, Path("made"))
    for name, (old, new) in change.items():
        file = Path("made", name.replace("__", "/"), "rows.jsonl")
        file.write_text(file.read_text("utf-8").replace(old, new), encoding="utf-8")
    return dict(result.prove(Path("made")))


def test_prompts_and_scores_are_those_of_the_harness() -> None:
    found = proofs(SCRIPTED)
    assert [proof.differences for proof in found.values()] == [[]] * 13
    numbers = {home: (proof.prompts, proof.scores) for home, proof in found.items()}
    assert numbers["capitals/acc_norm"] == (5, 6)
    assert numbers["pronouns"] == (4, 6)
    assert numbers["sums/exact_match_flexible"] == (2, 20)
    assert numbers["moods"] == (12, 18)  # acc of each answer, f1 and mcc of all rows
    assert numbers["endings"] == (2, 3)
    assert numbers["texts/word_perplexity"] == (2, 3)


def test_metrics_over_all_rows_are_those_of_the_harness() -> None:
    pytest.importorskip("sacrebleu")
    found = proofs(SCRIPTED)
    for name in ("bleu", "chrf", "ter"):
        proof = found[f"greetings/{name}"]
        assert (proof.scores, proof.differences) == (10, [])
        assert proof.not_compared == 20  # those of single answers


@pytest.mark.parametrize("name", ["f1", "mcc"])
def test_another_score_of_all_rows_is_a_difference(name: str) -> None:
    changed = [
        {**line, "scores": {**line["scores"], name: line["scores"][name] + 1e-6}}
        if line["kind"] == "aggregated" and line["task"] == "moods"
        else line
        for line in SCRIPTED
    ]
    proof = proofs(changed)["moods"]
    assert [each["metric"] for each in proof.differences] == [name] * 3
    assert proof.differences[0]["value"] != proof.differences[0]["expected"]


def test_both_outcomes_are_among_the_scores() -> None:
    for name in ("acc", "acc_norm", "exact_match_strict", "exact_match_flexible"):
        single = [line["scores"] for line in SCRIPTED if line["kind"] == "scripted"]
        scores = {each[name] for each in single if name in each}
        assert scores == {0.0, 1.0}, name


def test_another_score_is_a_difference() -> None:
    changed = [
        {**line, "scores": {name: 1 - score for name, score in line["scores"].items()}}
        for line in SCRIPTED
        if line["task"] == "capitals" and line["kind"] == "scripted"
    ]
    proof = proofs(changed)["capitals/acc"]
    assert len(proof.differences) == proof.scores == 6
    assert proof.differences[0]["metric"] == "acc"


def test_another_prompt_is_a_difference() -> None:
    proof = proofs(SCRIPTED, sums__exact_match_strict=("Ann", "Anne"))["sums/exact_match_strict"]
    [difference] = proof.differences
    assert difference["asked"] != difference["expected"]


def test_the_certificate_has_what_was_found() -> None:
    proofs(SCRIPTED)
    certificate = json.loads(Path("made/pronouns/import.json").read_text("utf-8"))
    assert certificate["proof"] == {
        "tool": "lm-eval",
        "version": "0.4.13",
        "rows": 2,
        "prompts": 4,
        "scores": 6,
        "scores_not_compared": 0,
        "differences": [],
        "number_of_differences": 0,
    }


def test_a_forged_line_is_no_crash() -> None:
    forged: list[dict[str, Any]] = [
        {"kind": "scripted", "task": "capitals", "doc": [1], "scores": {}},
        {"kind": "scripted", "task": "capitals", "doc": 0, "rated": "x", "scores": 7},
        {"kind": "scripted", "task": "capitals", "doc": 0, "rated": ["x"], "scores": {"acc": "y"}},
        {"kind": "scripted", "task": "sums", "doc": 0, "answer": 3, "scores": None},
        {"kind": "aggregated", "task": "moods", "number": [1], "scores": {"f1": 0.0}},
        {"kind": "aggregated", "task": "moods", "number": 0, "scores": {"f1": "x"}},
    ]
    found = proofs(forged)
    assert all(not proof.differences for proof in found.values())
