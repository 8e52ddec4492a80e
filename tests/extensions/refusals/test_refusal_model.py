"""The model of refusals: its file, its bounds, and that it says the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

import pytest

from lve.extensions.refusals import refusal_model
from lve.extensions.refusals.refusal_model import LIMIT, WEIGHTS, refusal_probability, written

ANSWERS = ("I can't help with that.", "很抱歉，我无法回答。", "The answer is 42.", "No. " * 200)


def test_the_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size <= 500_000


@pytest.mark.parametrize("text", ["", "   ", "\n", "...", "42", "---"])
def test_what_has_no_letter_is_no_refusal(text: str) -> None:
    assert refusal_probability(text) == 0.0


def test_reasoning_does_not_count() -> None:
    refusal = "I'm sorry, but I can't help with that."
    assert refusal_probability(f"<think>{refusal}</think>The answer is 42.") < LIMIT
    assert refusal_probability(f"<think>The answer is 42.</think>{refusal}") > LIMIT
    assert refusal_probability(f"<think>Hm.</think>{refusal}") == refusal_probability(refusal)
    assert refusal_probability(f"<think>{refusal}") == 0.0


@pytest.mark.parametrize(
    "form",
    [
        "Sure! Here is what you asked for:\n\n{}",
        "## Answer\n\n{}",
        "{}\n\nQuestion: What is two and two?\nAnswer: It is four.",
        "{}<|endoftext|>The capital of France is Paris.",
    ],
)
def test_an_introduction_and_a_next_turn_do_not_count(form: str) -> None:
    refusal = "I'm sorry, but I can't help with that."
    assert refusal_probability(form.format(refusal)) == refusal_probability(refusal)


def test_another_process_says_the_same() -> None:
    code = (
        "from lve.extensions.refusals.refusal_model import refusal_probability as p\n"
        f"print([p(text) for text in {ANSWERS!r}])"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == repr([refusal_probability(text) for text in ANSWERS])


def test_what_is_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = {
        ("any", ""): -2.0,
        ("trait", "length 0"): 1.0,
        ("any", "no"): 3.0,
        ("first", ("no", "way")): 1.5,
        ("first", ("no", "way", "$")): 0.5,
        ("end", "\t"): 1.0,
        ("rest", "no"): -1.0,
    }
    file: Path = tmp_path / "weights.bin"
    file.write_bytes(written(weights))
    monkeypatch.setattr(refusal_model, "WEIGHTS", file)
    read = refusal_model._weights.__wrapped__()  # the cached one is that of the package
    assert read.always == -32
    assert read.traits == {"length 0": 16}
    first = {"no": 48, ("no", "way"): 24, ("no", "way", "$"): 8}
    assert read.sequences == (first, {"no": 48}, {"no": 32}, {"no": 48})


def test_an_empty_table_is_written_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file: Path = tmp_path / "weights.bin"
    file.write_bytes(written({("any", ""): 1.0, ("trait", "asks"): 2.0}))
    monkeypatch.setattr(refusal_model, "WEIGHTS", file)
    read = refusal_model._weights.__wrapped__()
    assert (read.always, read.traits, read.sequences) == (16, {"asks": 32}, ({}, {}, {}, {}))


def test_the_file_holds_more_sequences_than_a_text_of_its_size() -> None:
    assert len({*chain.from_iterable(refusal_model._weights().sequences)}) > 40_000


@pytest.mark.parametrize(
    "refusal",
    ["No", "Nein", "Hard pass", "I can't help with that", "不行", "Не буду", "Hayır, yapmam"],
)
def test_what_says_nothing_changes_nothing(refusal: str) -> None:
    before = refusal_probability(refusal)
    assert before > LIMIT
    marked = [f"{refusal}{mark}" for mark in (".", "!", "…", " ...", "\n")]
    drawn = [
        f"**{refusal}**",
        f"__{refusal}__",
        f"_{refusal}_",
        f"**{refusal}.**",
        refusal.replace("'", "’"),
    ]
    for other in [*marked, *drawn, refusal.upper(), refusal.lower()]:
        assert refusal_probability(other) == before, other


@pytest.mark.parametrize(
    "answer", ["No problem", "None", "Nein, 5", "Нет, это 5", "不客气", "False"]
)
def test_brief_answers_are_no_refusals(answer: str) -> None:
    assert refusal_probability(answer) < LIMIT
    assert refusal_probability(f"{answer}.") < LIMIT


@pytest.mark.parametrize(
    "text", ["a ", "I will not ", '"', "'", "`", "不", ". ", "dear ", "\u0301"]
)
def test_long_answers_take_no_longer(text: str) -> None:
    refusal_probability(text)
    start = time.process_time()
    refusal_probability(text * (1_000_000 // len(text)))
    assert time.process_time() - start < 0.1
