"""Okapi BM25 over an inverted index.

The formula and constants are those of rank_bm25's `BM25Okapi`, which upstream uses: k1 = 1.5,
b = 0.75, and terms that more than half of the texts have weigh a quarter of the average. That
package had its last release in 2022 and scores every text for every query; this finds the same
order by looking at matching texts only.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

_WORD = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")


def words(text: str) -> list[str]:
    """Split a text into words and punctuation marks; case is kept."""
    return _WORD.findall(text)


class BM25:
    """Ranks a collection of texts against queries."""

    def __init__(
        self,
        texts: Sequence[Sequence[str]],
        *,
        k1: float = 1.5,
        b: float = 0.75,
        floor: float = 0.25,
    ) -> None:
        self.count = len(texts)
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, text in enumerate(texts):
            for word, frequency in Counter(text).items():
                self.postings[word].append((position, frequency))
        average = sum(map(len, texts)) / max(self.count, 1) or 1.0
        self.k1 = k1
        self.norm = [k1 * (1 - b + b * len(text) / average) for text in texts]
        self.idf = self._weights(floor)

    def _weights(self, floor: float) -> dict[str, float]:
        idf = {
            word: math.log(self.count - len(hits) + 0.5) - math.log(len(hits) + 0.5)
            for word, hits in self.postings.items()
        }
        lowest = floor * sum(idf.values()) / max(len(idf), 1)
        return {word: weight if weight >= 0 else lowest for word, weight in idf.items()}

    def top(self, query: Sequence[str], number: int) -> list[int]:
        """Return the positions of the best texts, best first; of equals the later one first."""
        scores = [0.0] * self.count
        for word in query:
            for position, frequency in self.postings.get(word, ()):
                gain = frequency * (self.k1 + 1) / (frequency + self.norm[position])
                scores[position] += self.idf[word] * gain
        return heapq.nlargest(number, range(self.count), key=lambda n: (scores[n], n))
