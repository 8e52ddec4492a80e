"""ROUGE equals rouge-score's, doesn't import it, and ends for long texts."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.judging import judge_answers, spec_with

from lve.checkers.resolve import resolve
from lve.extensions.similarity.metrics import METRICS

SOON_S = 20.0
"""It takes less than a second; a table took 18 s and then failed."""
ODD_WORDS = ("é", "Don't!", "x_y", "", "THE", "…", "3.14", "ﬁ", "\x00")


def _text(rng: random.Random, different: int, longest: int) -> str:
    words = (
        rng.choice((*ODD_WORDS, *(f"w{rng.randrange(different)}" for _ in range(9))))
        for _ in range(rng.randrange(longest))
    )
    return " ".join(words)


@pytest.mark.parametrize("seed", range(20))
def test_rouge_is_that_of_rouge_score(seed: int) -> None:
    kinds = ["rouge1", "rouge2", "rougeL"]
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(kinds)
    rng = random.Random(seed)
    for different in (1, 3, 20, 1000):
        for longest in (3, 30, 200):
            said, wanted = _text(rng, different, longest), _text(rng, different, longest)
            for kind, theirs in scorer.score(wanted, said).items():
                assert METRICS[kind](said, wanted) == theirs.fmeasure, (kind, said, wanted)


def test_rouge_l_of_two_long_texts_is_computed(tmp_path: Path) -> None:
    spec = spec_with(tmp_path, checker_args={"checker_name": "AnswerChecker", "metric": "rougeL"})
    judge = resolve(spec)
    begun = time.monotonic()
    verdict = judge_answers(judge, "a b " * 15_000, reference="b a c " * 10_000)
    assert verdict.outcome == "passed", verdict.reason
    assert verdict.score is not None
    assert verdict.score == pytest.approx(2 / 3, abs=0.001)
    assert time.monotonic() - begun < SOON_S


def test_rouge_imports_nothing_large() -> None:
    code = (
        "import sys; from lve.extensions.similarity.metrics import METRICS; "
        "print(METRICS['rouge1']('a', 'a'), METRICS['rougeL']('a', 'a'), 'numpy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["1.0", "1.0", "False"]
