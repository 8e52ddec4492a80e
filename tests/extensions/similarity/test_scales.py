"""The scale of each metric: 1 for the same text, 0 for another one, as the packages have it in
between."""

from __future__ import annotations

import pytest

from lve.extensions.similarity.metrics import METRICS

TEXT, OTHER = "the quick brown fox jumps", "zzz yyy xxx www vvv"


@pytest.mark.parametrize("name", METRICS)
def test_the_same_text_has_all_and_another_nothing(name: str) -> None:
    try:
        same, other = METRICS[name](TEXT, TEXT), METRICS[name](OTHER, TEXT)
    except ImportError:
        pytest.skip("its package isn't installed")
    assert same == pytest.approx(1.0)
    assert 0 <= other < 0.2


@pytest.mark.parametrize(
    "answer", ["the quick brown fox", "quick the fox brown jumps", TEXT.upper()]
)
def test_translation_scores_are_those_of_sacrebleu(answer: str) -> None:
    package = pytest.importorskip("sacrebleu")
    theirs = {
        "bleu": package.sentence_bleu(answer, [TEXT]).score / 100,
        "chrf": package.sentence_chrf(answer, [TEXT]).score / 100,
        "chrf++": package.sentence_chrf(answer, [TEXT], word_order=2).score / 100,
    }
    assert {name: METRICS[name](answer, TEXT) for name in theirs} == pytest.approx(theirs)
