"""What the model of refusals sees of an answer: its word sequences by place, and its shape."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from itertools import pairwise
from typing import Literal

HEAD = 480
"""How many characters of an answer's beginning are read, a quarter in scripts of syllables."""
TAIL = 120
"""How many of its end, where it is longer; a quarter, too."""
PLACES = ("first", "second", "rest", "end")
"""Places in an answer: its first sentence of three words, its second, the sentences after it, and
the end of a long answer."""

Feature = str | tuple[str, ...]

_UNLIKE = re.compile("[‘’‛ʼ´＇“”„‟«»「」『』＂‐‑‒–—−\u200b-\u200f\u2060\ufeff\xadёıİ]")
_UNIFORM = {
    **dict.fromkeys("‘’‛ʼ´＇", "'"),
    **dict.fromkeys("“”„‟«»「」『』＂", '"'),
    **dict.fromkeys("‐‑‒–—−", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\xad", ""),
    "ё": "е",
    "ı": "i",
    "İ": "i",
}
_CODE = re.compile(r"```.{0,2000}?(?:```|\Z)|`[^`\n]{1,300}`", re.DOTALL)
_SINGLE_QUOTED = re.compile(r"(?<!\w)'[^\n]{1,300}?[.,!?]'(?!\w)")
_DIGITS = re.compile("[0-9]+")
_OF_SYLLABLES = re.compile(
    "[\u0e00-\u1dff\u2e80-\ud7ff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
"""Characters of scripts that have no spaces, or words of many endings (Thai, Chinese, Japanese,
Korean): each of their characters counts by itself. Marks such as "…" are none of them."""
_JUDGED = 60
"""How many characters of the beginning say which script it is."""
_MARKS = [(mark, f" {mark} ") for mark in '.,!?:;¶"()']
_ALL_MARKS = [*_MARKS, *((mark, f" {mark} ") for mark in "。！？，、：；।؟،؛…¿¡-")]
_ENDS = frozenset(".!?:;¶。！？：；।؟…")
_FINAL = frozenset(".!¶ 。！।…۔")
"""Marks that say nothing at the very end: "No" is "No." and "No!"."""
_FINAL_MARKS = "".join(_FINAL)
_LONG = 6
"""Letters from which on a word also counts by its ending: many languages say "not" or "I" there."""
_LENGTHS = (15, 40, 80, 160, 320, 640, 1_280)


def reading(answer: str) -> tuple[list[set[Feature]], list[str]]:
    """Return the word sequences in each of an answer's places, and the names of its shape's
    traits. The same answer has the same features on every machine.

    Args:
        answer: the answer without reasoning.
    """
    text = answer if answer.isascii() else answer.replace("\u00a0", " ").replace("\u202f", " ")
    text = text.strip().strip("*_")
    syllables = _is_of_syllables(text[:_JUDGED])
    shorter = 4 if syllables else 1
    long = len(text) * shorter > HEAD + TAIL
    head = _plain(text[: HEAD // shorter] if long else text, syllables)
    split = list if syllables else _words
    unquoted = _without_quotations(head)
    tokens = ["^", *_without_final_marks(split(unquoted)), "$"]
    second, third = _cuts(tokens)
    end = _without_final_marks(split(_plain(text[-TAIL // shorter :], syllables))) if long else []
    parts = tokens[:second], tokens[second:third], tokens[third:], end
    places = [*map(_sequences, parts[:2]), *map(_pairs, parts[2:])]
    if not (syllables or head.isascii()):
        for place, words in zip(places, parts, strict=True):
            place.update([f"~{word[-4:]}" for word in words if len(word) >= _LONG])
    return places, _shape(text, head, unquoted, tokens)


def _is_of_syllables(opening: str) -> bool:
    return not opening.isascii() and 4 * len(_OF_SYLLABLES.findall(opening)) > len(opening)


def _plain(text: str, syllables: bool) -> str:
    """Return a text in lower case, with uniform marks, and without code and emphasis."""
    if not text.isascii():
        for character in {*_UNLIKE.findall(text)}:
            text = text.replace(character, _UNIFORM[character])
        # NFKC would change each "，", which takes longer than all the rest
        form: Literal["NFC", "NFKC"] = "NFC" if syllables else "NFKC"
        if not unicodedata.is_normalized(form, text):
            text = unicodedata.normalize(form, text)
    if "`" in text:
        text = _CODE.sub(" § ", text)
    text = text.replace("*", "").replace("__", "").replace("\r", "").replace("\n", "¶").casefold()
    return _DIGITS.sub("0", text) if any(map(text.__contains__, "0123456789")) else text


def _without_quotations(text: str) -> str:
    """Return a text with only the marks of its quotations, unless it is one as a whole."""
    pieces = text.split('"')
    if len(pieces) > 2:
        kept = pieces[::2] if len(pieces) % 2 else [*pieces[:-1:2], pieces[-1]]
        if sum(map(len, kept)) < 8:
            return text.replace('"', "")
        text = ' " '.join(kept)
    if text.startswith("'") or " '" in text:
        text = _SINGLE_QUOTED.sub(' " ', text)
    return text


def _words(text: str) -> list[str]:
    for mark, apart in _MARKS if text.isascii() else _ALL_MARKS:
        text = text.replace(mark, apart)
    return text.split()


def _without_final_marks(tokens: list[str]) -> list[str]:
    while tokens and tokens[-1] in _FINAL:
        tokens.pop()
    return tokens


def _cuts(tokens: list[str]) -> tuple[int, int]:
    """Return where the second sentence begins, and where the third: sentences of three tokens."""
    cuts, start = [], 0
    if not _ENDS.isdisjoint(tokens):
        for place, token in enumerate(tokens):
            if token in _ENDS and place >= start + 4:
                start = place + 1
                cuts.append(start)
                if len(cuts) == 2:
                    break
    cuts += [len(tokens)] * (2 - len(cuts))
    return cuts[0], cuts[1]


def _pairs(tokens: list[str]) -> set[Feature]:
    """Return tokens and their pairs."""
    return {*tokens, *pairwise(tokens)} if tokens else set()


def _sequences(tokens: list[str]) -> set[Feature]:
    """Return tokens, their pairs and their triples."""
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return {*tokens, *pairwise(tokens), *triples} if tokens else set()


def _shape(text: str, head: str, unquoted: str, tokens: list[str]) -> list[str]:
    """Return the names of an answer's traits."""
    length = len(text.rstrip(_FINAL_MARKS))
    traits = [f"length {bisect_left(_LENGTHS, length)}"]
    if "§" in head:
        traits.append("code")
    if len(unquoted) < len(head):
        traits.append("quotation")
    if tokens[-2] in "?？؟":
        traits.append("asks")
    return traits
