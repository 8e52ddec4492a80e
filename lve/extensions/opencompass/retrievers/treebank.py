"""Splits texts into words as the Penn Treebank does, because upstream's BM25 does, too.

See "Treebank tokenization" of the Linguistic Data Consortium (1997). A period belongs to a word or
not depending on whether the sentence ends there. Upstream decides that with a trained model; here
the next letter does.
"""

from __future__ import annotations

import re

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
