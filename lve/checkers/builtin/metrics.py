"""Similarity of two texts, from 0 to 1. ROUGE, BLEU and chrF come from well-kept libraries."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from lve.errors import MissingExtraError

Metric = Callable[[str, str], float]
"""Response and reference -> 0 to 1."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def accuracy(response: str, reference: str) -> float:
    """Return 1 if the texts are equal apart from surrounding white space."""
    return float(response.strip() == reference.strip())


def exact_match(response: str, reference: str) -> float:
    """Return 1 if the texts are equal apart from case, punctuation, articles and blanks (SQuAD)."""
    return float(normalized(response) == normalized(reference))


def f1(response: str, reference: str) -> float:
    """The harmonic mean of precision and recall of the words (SQuAD)."""
    said, wanted = normalized(response).split(), normalized(reference).split()
    if not said or not wanted:
        return float(said == wanted)
    common = sum((Counter(said) & Counter(wanted)).values())
    return 2 * common / (len(said) + len(wanted))


def bleu(response: str, reference: str) -> float:
    """Sentence BLEU, smoothed."""
    return float(_sacrebleu().sentence_bleu(response, [reference]).score) / 100


def chrf(response: str, reference: str) -> float:
    """chrF."""
    return float(_sacrebleu().sentence_chrf(response, [reference]).score) / 100


def rouge(kind: str) -> Metric:
    """Return the F-measure of `rouge1` or `rouge2`."""

    def measure(response: str, reference: str) -> float:
        scorer = _import("rouge_score.rouge_scorer").RougeScorer([kind])
        return float(scorer.score(reference, response)[kind].fmeasure)

    return measure


def rouge_l(response: str, reference: str) -> float:
    """ROUGE-L's F-measure: of the longest common subsequence of words.

    With the words and the formula of rouge-score; the subsequence is measured by rapidfuzz, as
    rouge-score fills a table of all pairs of words, which takes gigabytes for long texts.
    """
    split = _import("rouge_score.tokenizers").DefaultTokenizer().tokenize
    said, wanted = split(response), split(reference)
    if not said or not wanted:
        return 0.0
    from rapidfuzz.distance import LCSseq

    numbers = {word: number for number, word in enumerate({*said, *wanted})}
    common = LCSseq.similarity([numbers[w] for w in said], [numbers[w] for w in wanted])
    fmeasure = _import("rouge_score.scoring").fmeasure
    return float(fmeasure(common / len(said), common / len(wanted)))


METRICS: Mapping[str, Metric] = {
    "accuracy": accuracy,
    "em": exact_match,
    "f1": f1,
    "rouge1": rouge("rouge1"),
    "rouge2": rouge("rouge2"),
    "rougeL": rouge_l,
    "bleu": bleu,
    "chrf": chrf,
}


def normalized(text: str) -> str:
    """Return a text in lower case, without punctuation and articles, with single blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _sacrebleu() -> Any:
    return _import("sacrebleu")


def _import(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError("this metric needs: pip install 'lve[metrics]'") from error
