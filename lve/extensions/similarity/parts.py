"""What an answer adds to BLEU, chrF and TER over all answers: the sums that sacrebleu computes them
from. They are those of its defaults."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from operator import itemgetter
from typing import Any

Numbers = tuple[float, ...]
CHARACTERS = 6
"""The longest n-grams of characters in chrF."""
WORDS = 2
"""The longest n-grams of words in chrF++."""
_BETA = 2
_PUNCTUATION = frozenset(string.punctuation)


def bleu_parts(response: str, references: Sequence[str]) -> Numbers:
    """Return matching and all n-grams of one to four words, and the words of the answer and of the
    reference with the closest length."""
    counted = _metric("BLEU", effective_order=True).sentence_score(response, list(references))
    numbers = (*counted.counts, *counted.totals, counted.sys_len, counted.ref_len)
    return tuple(map(float, numbers))


def ter_parts(response: str, references: Sequence[str]) -> Numbers:
    """Return the edits, and the words of the references (their mean)."""
    counted = _metric("TER").sentence_score(response, list(references))
    return float(counted.num_edits), float(counted.ref_length)


def chrf_parts(response: str, references: Sequence[str], *, words: int = 0) -> Numbers:
    """Return, for each order, the n-grams of the answer, of the reference, and of both; of several
    references, for the most similar one.

    Args:
        response: the answer.
        references: the texts.
        words: the longest n-grams of words that are compared, too.
    """
    answered = list(_grams(response, words))
    each = [_shared(answered, list(_grams(text, words))) for text in references]
    return max(((_similarity(numbers), numbers) for numbers in each), key=itemgetter(0))[1]


PARTS: Mapping[str, Callable[[str, Sequence[str]], Numbers]] = {
    "bleu": bleu_parts,
    "chrf": chrf_parts,
    "chrf++": lambda response, references: chrf_parts(response, references, words=WORDS),
    "ter": ter_parts,
}
"""Name of a metric -> what an answer adds to it."""


def _metric(name: str, **options: object) -> Any:
    return getattr(import_module("sacrebleu.metrics"), name)(**options)


def _grams(text: str, words: int) -> Iterator[Counter[Any]]:
    """Yield the n-grams of each order: of characters, then of words."""
    packed = "".join(text.split())
    for size in range(1, CHARACTERS + 1):
        yield Counter(packed[at : at + size] for at in range(len(packed) - size + 1))
    tokens = [token for word in text.split() for token in _tokens(word)] if words else []
    for size in range(1, words + 1):
        yield Counter(tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1))


def _tokens(word: str) -> tuple[str, ...]:
    """Return a word, with a mark at its end or else at its beginning as a token of its own."""
    if len(word) > 1 and word[-1] in _PUNCTUATION:
        return word[:-1], word[-1]
    if len(word) > 1 and word[0] in _PUNCTUATION:
        return word[0], word[1:]
    return (word,)


def _shared(answered: Sequence[Counter[Any]], expected: Sequence[Counter[Any]]) -> Numbers:
    numbers = list[float]()
    for own, other in zip(answered, expected, strict=True):
        numbers += [own.total() if other else 0, other.total(), (own & other).total()]
    return tuple(map(float, numbers))


def _similarity(numbers: Numbers) -> float:
    """Return chrF of one answer, from 0 to 100: rounding decides between references, too."""
    orders = [numbers[at : at + 3] for at in range(0, len(numbers), 3)]
    usable = [order for order in orders if order[0] and order[1]]
    if not usable:
        return 0.0
    precision = sum(both / own for own, _, both in usable) / len(usable)
    recall = sum(both / other for _, other, both in usable) / len(usable)
    weighed = _BETA**2 * precision + recall
    return 100 * ((1 + _BETA**2) * precision * recall / weighed) if weighed else 0.0
