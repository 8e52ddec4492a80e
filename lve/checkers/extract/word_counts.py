"""Counts the words and sentences of a text as a reader does, in any script.

The rules are those of Unicode (UAX 29), with what they leave to others: marks alone are no words,
addresses are one, abbreviations end no sentence, items of a list are sentences of their own.
"""

from __future__ import annotations

import re
from pathlib import Path

from lve.checkers.shape.patterns import pattern

_LINES = Path(__file__).with_name("sentence_words.tsv").read_text(encoding="utf-8").splitlines()
_LISTS = {name: frozenset(words) for name, *words in map(str.split, _LINES)}
"""Titles, abbreviations, months and other words, by what they say of a point beside them."""

_UNSPACED = re.compile(pattern("unspaced_script"))
"""A letter of a script without spaces between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
Vowel signs above and below a letter aren't counted."""
_ADDRESS = re.compile(pattern("address_in_text"))
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,2000}(?:\s\"[^\"\n]{0,200}\")?\)")
_NUMBER = re.compile(r"(?m)^[ \t>*+-]*+\(?(?:\d{1,3}[.)]|[a-zA-Z]\))(?=[ \t])")
"""The number of a list's item."""
_DRAWN = re.compile(r"\[(?:\^?\d{1,3}|[xX ])\]|</?[A-Za-z][^<>\n]{0,200}>")
"""What is drawn, but not read as a word: a footnote's mark, the box of a task, a tag."""
_WORD = re.compile(pattern("word_in_text"))
"""From a letter or digit on up to a space or what stands between words. Hyphens, apostrophes,
points and slashes belong to a word."""
_LETTER = re.compile(r"[^\W_]")

_ITEM = re.compile(r"\n[ \t]*\n|\n(?=[ \t>]*(?:[-*+•–‣]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))[ \t])")
"""What ends a sentence without a mark: an empty line, and the beginning of a list's item."""
_HEADING = re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t][^\n]*\n")
_FENCE = re.compile(r"(```+|~~~+).*?(?:\1|\Z)", re.DOTALL)
_WIDE = "\u3002\uff01\uff1f\uff61\uff0e"
_END = re.compile(
    rf"(?P<mark>[.!?;\u2026\u203c\u203d\u2047-\u2049{_WIDE}\u0964\u0965\u06d4\u061f\u0589\u1362\u104b]+)"
    r"(?P<closing>[\"'\u201d\u2019\u00bb\u203a)\]\u300d\u300f\uff09*_`]*)(?:\[\^?\d{1,3}\])*"
    r"(?P<space>\s+|$)?"
)
"""Marks that may end a sentence; `;` is the question mark of Greek."""
_OPENING = "\"'\u201c\u2018\u00ab\u2039([\u00bf\u00a1*_`\u2014\u2013- "
_FOLLOWER = re.compile(r"[^\W\d_][\w'\u2019]*")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}|[^\W\d_]")
"""An initial, or an abbreviation with points in it: `U.S`, `z.B`, `Ph.D`."""
_GOES_ON = re.compile(r"[とってをがはのにもで、]")
"""What goes on with a sentence after a quotation in Japanese."""


def word_count(text: str) -> int:
    """Return the number of words. Of a script without spaces, each letter counts."""
    text = _without_signs(text)
    if "@" in text or "www" in text or "://" in text:
        text = _ADDRESS.sub("x", text)
    if text.isascii():
        return len(_WORD.findall(text))
    text, unspaced = _UNSPACED.subn(" ", text)
    return unspaced + len(_WORD.findall(text))


def sentence_count(text: str) -> int:
    """Return the number of sentences. Headings and code beside other text aren't counted."""
    text = f"{text}\n"
    for sign, shape in (("```", _FENCE), ("~~~", _FENCE), ("#", _HEADING)):
        rest = shape.sub("\n\n", text) if sign in text else text
        text = rest if _LETTER.search(rest) else text
    return sum(_sentences(_without_signs(part)) for part in _ITEM.split(text))


def _without_signs(text: str) -> str:
    """Return a text without the numbers of lists, links, footnotes' marks and tags."""
    text = _NUMBER.sub("", text)
    if "[" in text or "<" in text:
        return _DRAWN.sub(" ", _LINK.sub(r"\1", text))
    return text


def _sentences(text: str) -> int:
    """Return the number of sentences of a paragraph."""
    text = text.strip()
    is_small = text == text.lower()
    count = begin = 0
    for end in _END.finditer(text):
        if not _LETTER.search(text, begin, end.start()):
            begin = end.end()
        elif _ends(text, end, is_small=is_small):
            count, begin = count + 1, end.end()
    return count + (_LETTER.search(text, begin) is not None)


def _ends(text: str, end: re.Match[str], *, is_small: bool) -> bool:
    """Return whether a mark ends a sentence.

    Args:
        text: a paragraph.
        end: the mark.
        is_small: whether the paragraph has no capital, so that they don't say where sentences
            begin.
    """
    following = text[end.end() : end.end() + 40].lstrip(_OPENING)
    marks = end["mark"]
    if marks[0] in _WIDE:
        return not (end["closing"] and _GOES_ON.match(following))
    if end["space"] is None:
        return False
    if marks[0] == ";":
        return "\u0370" <= text[end.start() - 1] <= "\u03ff"
    if following[:1].islower() and not is_small:
        return False
    return marks != "." or not _is_abbreviated(
        text[max(0, end.start() - 40) : end.start()], following
    )


def _is_abbreviated(before: str, following: str) -> bool:
    """Return whether a point belongs to an abbreviation or an ordinal rather than to a sentence.

    Args:
        before: the text before the point.
        following: the text after the space after it.
    """
    words = before.split()
    last = words[-1].lstrip(_OPENING) if words else ""
    small, word = last.lower(), _FOLLOWER.match(following)
    follower = word[0] if word else ""
    if small in _LISTS["titles"]:
        return True
    if small in _LISTS["before_numbers"] and following[:1].isdigit():
        return True
    if last.isdecimal() and len(last) <= 2 and follower:
        previous = words[-2].lower() if len(words) > 1 else ""
        return follower.lower() in _LISTS["months"] or previous in _LISTS["ordinal_words"]
    is_short = small in _LISTS["abbreviations"] or _DOTTED.fullmatch(last) is not None
    return is_short and bool(following) and follower not in _LISTS["beginnings"]
