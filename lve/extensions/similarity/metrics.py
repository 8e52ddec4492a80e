"""Metrics of the similarity of two texts, from 0 to 1. BLEU, chrF and TER use a library."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from lve.checkers.extract.extractors import general
from lve.errors import MissingExtraError

if TYPE_CHECKING:
    import regex

Metric = Callable[[str, str], float]
"""Response and reference -> 0 to 1."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts without spaces between words."""
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_PUNCTUATION = "[" + re.escape(string.punctuation) + "]"
_MARK = (
    r"P(?![$€£]?\d)|(?<!\d)(?![-.])P|(?<=[^\W\d])P"  # keeps a number's sign and decimal point
    r"|(?<=\d),(?=\d{3}(?!\d))"
)
_ASCII_MARK = re.compile(_MARK.replace("P", _PUNCTUATION))


def accuracy(response: str, reference: str) -> float:
    """Return 1 if the texts are equal apart from surrounding white space."""
    return float(response.strip() == reference.strip())


def em(response: str, reference: str) -> float:
    """Return 1 if the first clause of the response (up to a comma or full stop) is the reference or
    its first clause, like OpenCompass' EMEvaluator."""
    return float(general(response) in (general(reference), reference))


def exact_match(response: str, reference: str) -> float:
    """Return 1 if the texts are equal apart from case, punctuation, articles and spaces."""
    return float(normalized(response) == normalized(reference))


def f1(response: str, reference: str) -> float:
    """Return the harmonic mean of the words' precision and recall."""
    answered, expected = _split(normalized(response)), _split(normalized(reference))
    if not answered or not expected:
        return float(answered == expected)
    common = sum((Counter(answered) & Counter(expected)).values())
    return 2 * common / (len(answered) + len(expected))


def helm_normalized(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation and articles, as HELM compares it."""
    plain = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def helm(response: str, reference: str) -> float:
    """Return HELM's quasi-exact match. An empty answer never matches."""
    return float(bool(response) and helm_normalized(response) == helm_normalized(reference))


def helm_prefix(response: str, reference: str) -> float:
    """Return HELM's quasi-exact match of the response's beginning."""
    return float(
        bool(response) and helm_normalized(response).startswith(helm_normalized(reference))
    )


def helm_f1(response: str, reference: str) -> float:
    """Return HELM's F1, which compares sets of words."""
    answered = set(helm_normalized(response).split())
    expected = set(helm_normalized(reference).split())
    if not answered or not expected:
        return 0.0
    return 2 * len(answered & expected) / (len(answered) + len(expected))


def bleu(response: str, reference: str) -> float:
    """Return the smoothed sentence BLEU."""
    return float(_import("sacrebleu").sentence_bleu(response, [reference]).score) / 100


def chrf(response: str, reference: str) -> float:
    """Return the sentence chrF."""
    return float(_import("sacrebleu").sentence_chrf(response, [reference]).score) / 100


def chrf_with_words(response: str, reference: str) -> float:
    """Return the sentence chrF++, which compares pairs of words, too."""
    measured = _import("sacrebleu").sentence_chrf(response, [reference], word_order=2)
    return float(measured.score) / 100


def ter(response: str, reference: str) -> float:
    """Return 1 minus the translation edit rate of a sentence, at least 0."""
    return max(0.0, 1 - float(_import("sacrebleu").sentence_ter(response, [reference]).score) / 100)


def rouge(n: int) -> Metric:
    """Return a function for the F-measure of the `n`-grams of words that two texts share."""

    def counts(text: str) -> Counter[tuple[str, ...]]:
        in_order = words(text)
        return Counter(zip(*(in_order[start:] for start in range(n)), strict=False))

    def measure(response: str, reference: str) -> float:
        answered, expected = counts(response), counts(reference)
        return _f_measure((answered & expected).total(), answered.total(), expected.total())

    return measure


def rouge_l(response: str, reference: str) -> float:
    """Return ROUGE-L's F-measure, of the longest common subsequence of words.

    The subsequence is found by rapidfuzz, because rouge-score fills a table of all pairs of words,
    which takes gigabytes for long texts.
    """
    from rapidfuzz.distance import LCSseq

    answered, expected = words(response), words(reference)
    numbers = {word: number for number, word in enumerate({*answered, *expected})}
    common = LCSseq.similarity([numbers[w] for w in answered], [numbers[w] for w in expected])
    return _f_measure(common, len(answered), len(expected))


def _f_measure(common: int, answered: int, expected: int) -> float:
    """Return the harmonic mean of precision and recall, computed in the order of rouge-score, which
    lve doesn't use itself: it takes seconds to import."""
    if not common:
        return 0.0
    precision, recall = common / answered, common / expected
    return 2 * precision * recall / (precision + recall)


METRICS: Mapping[str, Metric] = {
    "accuracy": accuracy,
    "em": em,
    "exact_match": exact_match,
    "f1": f1,
    "helm": helm,
    "helm_prefix": helm_prefix,
    "helm_f1": helm_f1,
    "rouge1": rouge(1),
    "rouge2": rouge(2),
    "rougeL": rouge_l,
    "bleu": bleu,
    "chrf": chrf,
    "chrf++": chrf_with_words,
    "ter": ter,
}


def normalized(text: str) -> str:
    """Return a text in lower case, without punctuation and articles, with single spaces.

    The punctuation of numbers is kept: signs and decimal points. A text that consists of an article
    or of punctuation is kept, too.
    """
    text = unicodedata.normalize("NFKC", text).lower().replace("\u2212", "-").strip()
    mark = _ASCII_MARK if text.isascii() else _pattern(_MARK.replace("P", r"[\p{P}\p{S}]"))
    plain = mark.sub("", text)
    return " ".join(_ARTICLES.sub(" ", plain).split()) or " ".join(plain.split()) or text


def words(text: str) -> list[str]:
    """Return the words of a text like rouge-score, but also those in other scripts than Latin."""
    if text.isascii():
        return re.findall("[a-z0-9]+", text.lower())
    other = rf"[[\p{{L}}\p{{Nd}}]--[\p{{Latin}}0-9{_UNSPACED}]]"
    matches: list[str] = _pattern(rf"[a-z0-9]+|[{_UNSPACED}]\p{{M}}*|(?:{other}\p{{M}}*)+").findall(
        text.lower()
    )
    return matches


def _split(text: str) -> list[str]:
    """Return the words between spaces, and single characters of scripts without spaces."""
    if text.isascii():
        return text.split()
    matches: list[str] = _pattern(rf"[{_UNSPACED}]\p{{M}}*|[^\s{_UNSPACED}]+").findall(text)
    return matches


@cache
def _pattern(pattern: str) -> regex.Pattern[str]:
    """Compile a pattern with Unicode properties, which `re` doesn't know."""
    import regex

    return regex.compile(pattern, regex.VERSION1)


def _import(name: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError("this metric needs: pip install 'lve[metrics]'") from error
