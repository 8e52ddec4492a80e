"""Unifies characters and notations that mean the same, and removes Markdown's marks."""

from __future__ import annotations

import re
import unicodedata

from lve.checkers.shape.patterns import pattern

_INVISIBLE = dict.fromkeys(
    [0xAD, 0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)]
)
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u00b4\uff07", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02", '"'),
        "\u066b": ".",
        "\u066c": ",",
        "\u060c": ",",
        "\u061f": "?",
        "\u22c5": "\u00b7",
        "\u2044": "/",
    }
)
_SUPERSCRIPTS = re.compile("[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207a\u207b]+")
_BASES = re.compile("(?:(?<=\\d)|(?<=[\\dA-F][A-F])(?=\u2081\u2086))[\u2080-\u2089]+")
"""The base of a number: `1100₂`, `1A₁₆`."""
_VULGAR = re.compile("(\\d?)([\u00bc-\u00be\u2150-\u215e])")
_DIGITS = re.compile("[^\\D\\x00-\\x7f]")
"""Those of other scripts."""
_RAISED = re.compile(pattern("raised"))
_MINUS = re.compile(pattern("minus"), re.VERBOSE)
_UNARY = re.compile(pattern("unary_minus"))
"""What stands before a minus that is a sign, not one of a difference or a dash: `= - 5`."""
_MARKS = re.compile(pattern("markdown_marks"))
"""Markdown's emphasis and code marks. An asterisk between numbers is none: `6.02*10^23`."""
_PRODUCT = re.compile(r"\*(?:(?<=\d.)|(?<=\d .))\*? ?\d")
"""Where an asterisk may be none of these marks."""
_HEADING = re.compile(r"(?m)^[ \t]{0,3}(?:#{1,3}(?!#)[ \t]+|>[ \t]?)+")


def unified(text: str) -> str:
    """Return a text with unified characters: digits of all scripts become 0 to 9, full-width
    letters normal ones, quotes straight, all dashes `-`. Invisible characters are removed."""
    if text.isascii():
        return text
    text = _SUPERSCRIPTS.sub(lambda m: f"^{_plain(m[0])}", text)
    text = _BASES.sub(lambda m: f"_{_plain(m[0])}", text)
    text = _VULGAR.sub(lambda m: f"{m[1]} {_plain(m[2])}" if m[1] else _plain(m[2]), text)
    text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE).translate(_SAME))
    return _DIGITS.sub(lambda m: str(int(m[0])), text.translate(_SAME))


def plain_notation(text: str) -> str:
    """Return a text in which minus signs touch their numbers, whatever LaTeX puts between them, and
    powers are `^2`: `-5` for `{-}5`, `-\\,5`, `-(5)` and `= - 5`."""
    if "<sup" in text or "\\textsup" in text:
        text = _RAISED.sub(r"^\1", text)
    is_searched = "-" in text or "$" in text or not text.isascii()
    return _MINUS.sub(_signed, text) if is_searched else text


def _signed(minus: re.Match[str]) -> str:
    """Return a number with its sign; a difference and a dash in a sentence as they are."""
    start = minus.start()
    if minus["sign"] is not None or _UNARY.search(minus.string, max(0, start - 20), start):
        return f"-{minus['braced'] or minus['bracketed'] or minus['digits']}"
    return minus[0]


def _kept(mark: re.Match[str]) -> str:
    return mark[1] or ""  # as a template it would be taken apart for each mark


def lowered(text: str) -> str:
    """Return a text of the same length in lower case, in which searching takes half as long."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2044", "/").replace("\u2212", "-")


def without_marks(text: str) -> str:
    """Return a text without Markdown's marks for emphasis, code, headings and quotations."""
    if "_" in text or "`" in text or "~" in text or _PRODUCT.search(text):
        text = _MARKS.sub(_kept, text)
    elif "*" in text:
        text = text.replace("*", "")
    return _HEADING.sub("", text) if "#" in text or ">" in text else text
