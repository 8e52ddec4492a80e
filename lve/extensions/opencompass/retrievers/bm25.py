"""Okapi BM25 over an inverted index.

Formula and constants are those of rank_bm25's `BM25Okapi`, which upstream uses: k1 = 1.5, b = 0.75,
and terms that more than half of the texts contain get a quarter of the average weight. That package
had its last release in 2022 and scores every text for every query; this index finds the same order
from the matching texts alone.

Texts are split into words as the Penn Treebank does, because upstream's BM25 does, too. See
"Treebank tokenization" of the Linguistic Data Consortium (1997). A period belongs to a word or not
depending on whether the sentence ends there. Upstream decides that with a trained model; here the
next letter does.
"""

from __future__ import annotations

import heapq
import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

_K1 = 1.5
"""How soon further occurrences of a word stop counting."""
_B = 0.75
"""How strongly long texts are discounted."""
_FLOOR = 0.25
"""Weight of very frequent words, as a fraction of the average."""
_CLOSING = r"[\])}>\"'»”’]*"
_ENDS = rf"(?={_CLOSING}(?:\s*$|\s+[^a-z\s]))"
_PIECE = re.compile(
    rf"""
    \.\.+ | -- | ``? | '' | "
    | [;@\#$%&?!*()\[\]{{}}<>«»“”‘’„—]
    | [:,](?!\d)
    | \.{_ENDS}
    | (?: [^\s.`",:;@\#$%&?!*()\[\]{{}}<>«»“”‘’„—'-]
        | -(?!-) | '(?!') | [:,](?=\d) | \.(?!\.|{_ENDS}) )+
    """,
    re.VERBOSE,
)
_INITIALS = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z]")
_LAST = re.compile(rf"{_CLOSING}\s*$")
_SUFFIX = re.compile(r"(?i)(?<=[^'])('s|'m|'d|'ll|'re|'ve|n't|')$")
_JOINED = {
    "cannot": 3, "gonna": 3, "gotta": 3, "lemme": 3, "gimme": 3, "wanna": 3, "'tis": 2, "'twas": 2,
}  # fmt: skip
"""Two words that are written as one -> the length of the first."""
_SHORT = (
    "mr mrs ms dr prof rev gen sen rep gov st jr sr co corp inc ltd vs e.g i.e "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_ABBREVIATIONS = frozenset(_SHORT.split())


def words(text: str) -> list[str]:
    """Split a text into words and punctuation marks; case is kept."""
    tokens: list[str] = []
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece in ('"', "''"):
            start = match.start()
            tokens.append("``" if not start or text[start - 1] in " ([{<" else "''")
        elif piece == "." and tokens and _goes_on(tokens[-1], text, match.end()):
            tokens[-1] += "."
        elif piece.isalpha() and piece.lower() not in _JOINED:
            tokens.append(piece)
        else:
            tokens += _parts(piece)
    return tokens


def _goes_on(word: str, text: str, end: int) -> bool:
    """Whether a period after a word belongs to it because the text goes on."""
    is_short = word.lower() in _ABBREVIATIONS or _INITIALS.fullmatch(word)
    return bool(is_short) and not _LAST.match(text, end)


def _parts(piece: str) -> list[str]:
    """Split a word as the Treebank does: `can't` into `ca` and `n't`."""
    length = _JOINED.get(piece.lower())
    if length is not None:
        return [piece[:length], piece[length:]]
    ending = _SUFFIX.search(piece)
    return [piece] if ending is None else [piece[: ending.start()], ending[0]]


MAX_CACHED_GAINS = 4_000_000
"""Gains that are cached for words that several rows have: 50 MB."""
Gains: TypeAlias = "tuple[array[int], array[float]]"
"""Positions of the texts with a word, and what the word adds to the score of each."""


class BM25:
    """Ranks a collection of texts against queries."""

    def __init__(self, texts: Iterable[Sequence[str]], *, most_words: int | None = None) -> None:
        """Args:
        texts: the words of each text.
        most_words: limit on the number of different words; None: no limit.

        Raises:
            OverflowError: there are more different words.
        """
        self.postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
        """Word -> the position of a text for each occurrence."""
        lengths = array("I")
        for position, text in enumerate(texts):
            lengths.append(len(text))
            for word in text:
                self.postings[word].append(position)
            if most_words is not None and len(self.postings) > most_words:
                raise OverflowError("too many different words")
        self.count = len(lengths)
        average = sum(lengths) / max(self.count, 1) or 1.0
        self.norm = [_K1 * (1 - _B + _B * length / average) for length in lengths]
        self.idf = self._weights()
        self._gains = dict[str, Gains]()
        self._kept = 0

    def _weights(self) -> dict[str, float]:
        spread = {word: len(set(hits)) for word, hits in self.postings.items()}
        idf = {
            word: math.log(self.count - texts + 0.5) - math.log(texts + 0.5)
            for word, texts in spread.items()
        }
        lowest = _FLOOR * sum(idf.values()) / max(len(idf), 1)
        return {word: weight if weight >= 0 else lowest for word, weight in idf.items()}

    def work(self, query: Sequence[str]) -> int:
        """Return the number of additions that `top` takes for a query."""
        return sum(len(self.postings.get(word, ())) for word in query)

    def top(self, query: Sequence[str], number: int) -> list[int]:
        """Return the positions of the best texts, best first; of equal ones the last comes first.

        Args:
            query: words.
            number: of texts to return.
        """
        scores = [0.0] * self.count
        for word in query:
            if word in self.postings:
                for position, gain in zip(*self._gains_of(word), strict=True):
                    scores[position] += gain
        return [n for _, n in heapq.nlargest(number, zip(scores, range(self.count), strict=True))]

    def _gains_of(self, word: str) -> Gains:
        """Return the gains of a word. They are cached, because rows share their frequent words."""
        gains = self._gains.get(word)
        if gains is None:
            often = Counter(self.postings[word])
            weight, more, norm = self.idf[word], _K1 + 1, self.norm
            added = (weight * (f * more / (f + norm[n])) for n, f in often.items())
            gains = array("I", often), array("d", added)
            self._kept += len(often)
            if self._kept > MAX_CACHED_GAINS:
                self._gains.clear()
                self._kept = len(often)
            self._gains[word] = gains
        return gains
