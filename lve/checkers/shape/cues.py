"""Tells from its words what a text can't have: most answers have no correction, closing phrase or
note, and searching for each of these would cost more than everything else."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, reduce
from operator import or_
from pathlib import Path

from lve.checkers.shape.patterns import pattern

ANNOUNCEMENT, CORRECTION, CONCESSION, CONTRAST, CLOSING, NOTE, NEGATION = (1 << n for n in range(7))
EVERY = (1 << 7) - 1

_LINES = Path(__file__).with_name("cues.tsv").read_text(encoding="utf-8").splitlines()
_STEMS = {1 << place: line.split()[1:] for place, line in enumerate(_LINES)}
"""Cue -> what one of its words contains; `_` is the beginning or the end of a word. It belongs to
the patterns of `passages`, and of notes in `sentence_order`: each match has such a word. A line of
`cues.tsv` has a cue's name and these."""
_STEMS[NEGATION] = [
    re.sub(r"\W.*", "_", text) for text in pattern("negations").split("|") if text != "n't"
]
_MARKS = re.compile(r"\[|[pP]\.[sS]")
_MAX_WORDS = 20_000
_LONGEST = 40
_LETTERS = bytes(c | 32 if chr(c).isalpha() and c < 128 else 32 for c in range(256))
"""Turns text in ASCII into its words in lower case, between spaces."""


class _Words(dict[bytes, int]):
    """Word -> its cues, of the words that were read before."""

    def __missing__(self, word: bytes) -> int:
        marked = f"_{word.decode()}_"
        cues = sum(cue for cue, stems in _STEMS.items() if any(stem in marked for stem in stems))
        if len(word) <= _LONGEST:
            if len(self) >= _MAX_WORDS:
                self.clear()
            self[word] = cues
        return cues


_CUES_BY_WORD = _Words()


def words_of(text: str) -> list[bytes]:
    """Return the words of a text in ASCII, in lower case: everything between letters separates."""
    return text.encode().translate(_LETTERS).split()


@lru_cache(maxsize=8)
def cues(text: str) -> int:
    """Return the cues that a text may have, as bits; it has no others."""
    if not text.isascii():
        return EVERY
    is_marked = "[" in text or (".s" in text.lower() and _MARKS.search(text))
    marks = CLOSING | NOTE if is_marked else 0
    if "'" in text and "n't" in text.lower():
        marks |= NEGATION
    return reduce(or_, map(_CUES_BY_WORD.__getitem__, words_of(text)), marks)


def has_cued(text: str, cue: int, fits: Callable[[str, int], object]) -> bool:
    """Return whether something fits at a word with a cue; always for text that is not ASCII.

    Args:
        text: the text.
        cue: what the word has.
        fits: looks at the text in lower case and where the word begins.
    """
    if not text.isascii():
        return True
    lower = text.lower()
    words = [word.decode() for word in {*words_of(text)} if _CUES_BY_WORD[word] & cue]
    return any(fits(lower, at.start()) for word in words for at in re.finditer(word, lower))
