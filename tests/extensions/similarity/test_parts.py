"""What answers add to metrics over all of them: sacrebleu's own numbers come out (recorded)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.checkers.contract import CheckContext
from lve.extensions.breakdown.scores import value_of
from lve.extensions.similarity.overlap import F1, Chrf
from lve.extensions.similarity.parts import PARTS
from lve.messages import Message, Role, Transcript

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).parents[2].joinpath("cases/corpus_scores/sacrebleu.json").read_text("utf-8")
)


@pytest.mark.parametrize("name", ["bleu", "chrf", "chrf++", "ter"])
def test_the_sums_give_the_numbers_of_sacrebleu(name: str) -> None:
    if not name.startswith("chrf"):
        pytest.importorskip("sacrebleu")
    for case in CASES:
        pairs = zip(case["answers"], case["references"], strict=True)
        rows = [PARTS[name](answer, references) for answer, references in pairs]
        assert value_of(name, rows) == pytest.approx(case["scores"][name], abs=1e-9), case


def test_most_cases_are_neither_perfect_nor_empty() -> None:
    scores = [case["scores"]["chrf"] for case in CASES]
    assert sum(1 < score < 99 for score in scores) > 30
    assert len({len(case["references"][0]) for case in CASES}) == 3


def test_a_verdict_has_the_parts_of_its_metric() -> None:
    pytest.importorskip("sacrebleu")
    transcript = Transcript((Message("?"), Message("the cat", Role.assistant)), filled=(1,))
    verdict = Chrf("the cats", words=True).check(CheckContext((transcript,)))
    assert verdict.parts == {"chrf++": PARTS["chrf++"]("the cat", ["the cats"])}
    assert F1("the cats").check(CheckContext((transcript,))).parts is None
