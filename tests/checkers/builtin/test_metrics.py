"""ROUGE-L equals rouge-score's, and ends for long texts."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from support.judging import judge_answers, spec_with

from lve.checkers.builtin.metrics import METRICS
from lve.checkers.resolve import resolve

SOON_S = 20.0
"""It takes about two seconds, most of them imports; a table took 18 s and then failed."""
ODD_WORDS = ("é", "Don't!", "x_y", "", "THE", "…", "3.14", "ﬁ", "\x00")


def _text(rng: random.Random, different: int, longest: int) -> str:
    words = (
        rng.choice((*ODD_WORDS, *(f"w{rng.randrange(different)}" for _ in range(9))))
        for _ in range(rng.randrange(longest))
    )
    return " ".join(words)


@pytest.mark.parametrize("seed", range(20))
def test_rouge_l_is_that_of_rouge_score(seed: int) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    rng = random.Random(seed)
    for different in (1, 3, 20, 1000):
        for longest in (3, 30, 200):
            said, wanted = _text(rng, different, longest), _text(rng, different, longest)
            theirs = scorer.score(wanted, said)["rougeL"].fmeasure
            assert METRICS["rougeL"](said, wanted) == theirs, (said, wanted)


def test_rouge_l_of_two_long_texts_is_computed(tmp_path: Path) -> None:
    pytest.importorskip("rouge_score")
    spec = spec_with(tmp_path, checker_args={"checker_name": "AnswerChecker", "metric": "rougeL"})
    judge = resolve(spec)
    begun = time.monotonic()
    verdict = judge_answers(judge, "a b " * 15_000, reference="b a c " * 10_000)
    assert verdict.outcome == "passed", verdict.reason
    assert verdict.score is not None
    assert verdict.score == pytest.approx(2 / 3, abs=0.001)
    assert time.monotonic() - begun < SOON_S
