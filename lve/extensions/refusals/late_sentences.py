"""Finds the sentences of a long answer that may decline what was asked behind an opening: thanks,
sympathy, the request once more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

SHORTEST = 120
"""Characters of an answer from which on it can have an opening."""
READ = 1_200
"""How many characters of an answer's beginning are looked at."""
SHARE = 0.7
"""The part of an answer in which a refusal stands: behind it are limits of what was done."""
_END = re.compile(r"[.!?][)\"'»”*]*\s+|[。！？؟।…]|\n+")
_FEWEST = 8
"""Characters of a sentence."""
_LETTER = re.compile(
    r"^\W{0,9}(?:subject|betreff|objet|asunto|oggetto|assunto|件名|主题|主旨|тема|제목|onderwerp|temat|konu)"
    r"\W{0,9}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""A letter that was asked for may refuse something itself."""
_QUOTED = re.compile(r"^ {0,3}>.*$", re.MULTILINE)
_SPEAKER = re.compile(
    r"(?<!\w)(?:i|me|my|we|our|ich|mir|mich|wir|je|j'|yo|me|eu|io|mi|ik|mij|jag|mig|ja|ben)(?!\w)",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"(?:n't|n’t|(?<!\w)(?:not|no|cannot|declin\w+|refus\w+|pass|stop|unable|rather|draw the line"
    r"|leave|nicht|kein\w*|raus|nein|pas|non|niet|geen|nie|inte|nem|não|jamais|nunca))(?!\w)",
    re.IGNORECASE,
)
"""Words of a sentence that declines, in languages of Latin letters."""
_OTHER_LETTERS = re.compile("[^\u0000-\u024f\u2000-\u206f]|[ışğ]")
"""In other scripts, and in Turkish, which says "not" by an ending, all sentences are looked at."""
_ASCII_MARKS = str.maketrans("’‘“”–—…", "''\"\"--.")


def late_sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences behind the first that may decline what was asked, each with the answer
    from there on. There are none in short answers and in letters.

    Args:
        text: an answer, without reasoning.
    """
    if len(text) < SHORTEST or _LETTER.search(text, 0, READ):
        return
    text = _QUOTED.sub("", text) if ">" in text else text
    places = [*_starts(text), min(len(text), READ)]
    for start, end in islice(pairwise(places), 1, None):
        if start > SHARE * len(text):
            return
        sentence = text[start:end].strip()
        if _may_decline(sentence):
            yield sentence, text[start:]


def _may_decline(sentence: str) -> bool:
    if _OTHER_LETTERS.search(sentence):
        return True
    has_speaker = _SPEAKER.search(sentence) or not sentence.translate(_ASCII_MARKS).isascii()
    return bool(has_speaker and _DECLINES.search(sentence))


def _starts(text: str) -> list[int]:
    """Return where the sentences begin."""
    starts = [0]
    for mark in _END.finditer(text, 0, READ):
        if mark.end() - starts[-1] > _FEWEST and mark.end() < len(text):
            starts.append(mark.end())
    return starts
