"""Recognizes the language of a text by its script, and by its words and sequences of letters."""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lve.checkers.shape.patterns import pattern

GRAMS = Path(__file__).with_name("language_grams.tsv")
"""For the languages of each script their codes, then in each line a sequence of letters (`_` stands
for what is between words; the first is that of any text) and how common it is in each.
benchmarks/language_model makes it."""
MAX_READ = 20_000
"""The most characters of a text that are read, for its script."""
_ENOUGH = 1_500
"""How many characters are compared with the languages of a script."""
_NO_PROSE = re.compile(pattern("no_prose"), re.DOTALL)
"""Code, addresses and tags, which are in no language."""
_QUOTATION = re.compile(pattern("quotation_in_line"))
_MIN_OWN = 3
"""Beside so many words of the same line, a quotation doesn't count: it may be in any language."""
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", r"[\u3041-\u30fa\u30fd-\u30ff]"),
    ("ko", r"[\uac00-\ud7af]"),
    ("zh", r"[\u3400-\u9fff]"),
    ("th", r"[\u0e00-\u0e7f]"),
    ("hi", r"[\u0904-\u0963\u0966-\u097f]"),
    ("he", r"[\u0590-\u05ff]"),
    ("el", r"[\u0370-\u03ff]"),
    ("ar", r"[\u0600-\u06ff]"),
    ("ru", r"[\u0400-\u04ff]"),
    *(("bn", r"[\u0980-\u09ff]"), ("pa", r"[\u0a00-\u0a7f]"), ("gu", r"[\u0a80-\u0aff]")),
    *(("ta", r"[\u0b80-\u0bff]"), ("te", r"[\u0c00-\u0c7f]"), ("kn", r"[\u0c80-\u0cff]")),
    *(("ml", r"[\u0d00-\u0d7f]"), ("si", r"[\u0d80-\u0dff]"), ("lo", r"[\u0e80-\u0eff]")),
    *(("my", r"[\u1000-\u109f]"), ("ka", r"[\u10a0-\u10ff]"), ("am", r"[\u1200-\u137f]")),
    *(("km", r"[\u1780-\u17ff]"), ("hy", r"[\u0530-\u058f]")),
)
_COMPILED = tuple((name, re.compile(script)) for name, script in _SCRIPTS)
_SHARED = ("en", "ru", "ar", "hi")
"""The likeliest language of each script that several have, in the order of the file."""
_CODES = (
    "en de fr es it pt nl sv da no fi pl cs sk hu ro ca tr vi id tl af et lv lt sl hr sq is ga cy"
    " eu eo sw az ru uk bg sr be mk kk mn ar fa ur hi mr ja ko zh th he el bn pa gu ta te kn ml si"
    " lo my ka am km hy"
)
LANGUAGES = tuple(_CODES.split())
"""Codes of the known languages."""
_BETWEEN = re.compile(r"(?:[^\w'\u0900-\u0903\u093a-\u094f\u0300-\u036f]|[\d_]|(?<!\w)'|'(?!\w))+")
"""What is between words; vowel signs of Devanagari are no letters for `re`."""
_LONGEST = 7
"""The most letters of a word that also counts as a whole."""
_DOUBTS = (30, 30, 30, 20, 20, 20, 10)
"""By how much, in fifths of a natural logarithm, another language may be likelier than the expected
one, by the number of words (the last: of more): a short text may be in several."""
_FEW = 3
"""Of a text of fewer words, if no language is expected, the likeliest must be ahead of the next."""
_AHEAD = 20
"""By how much, in the same unit."""


def language_of(text: str, expected: str | None = None) -> str | None:
    """Return the code of a text's language; None if it isn't recognized. Code, addresses and tags
    are left out.

    Args:
        text: of a model, without reasoning.
        expected: the language that a text is taken to be in if it may be.
    """
    text = unicodedata.normalize("NFC", _NO_PROSE.sub(" ", text[:MAX_READ]))
    text = "\n".join(map(_without_quotations, text.split("\n")))
    letters = sum(map(str.isalpha, text))
    for name, script in _COMPILED:
        characters = len(script.findall(text))
        share = 0.02 if name == "ja" else 0.3
        if characters and characters >= share * letters:
            return _likeliest(text, name, expected) or name if name in _SHARED else name
    return _likeliest(text, "en", expected)


def _without_quotations(line: str) -> str:
    rest = _QUOTATION.sub(" ", line)
    return rest if len(re.findall(r"\w\w+", rest)) >= _MIN_OWN else line


def grams_of(text: str) -> list[str]:
    """Return the sequences of three letters of a text, also across words, its words of up to seven
    letters, and the letters that aren't ASCII: `_dé`, `dé_`, `é_l`, ..., `_dé_`, ..., `é`."""
    plain = _BETWEEN.sub("_", f" {text.lower()} ".replace("\u2019", "'"))
    words = [f"_{word}_" for word in plain.split("_") if 1 < len(word) <= _LONGEST]
    grams = [plain[i : i + 3] for i in range(len(plain) - 2)] + words
    return grams if plain.isascii() else grams + [c for c in plain if not c.isascii()]


def _likeliest(text: str, first: str, expected: str | None) -> str | None:
    """Return which of the languages of one script a text is in; None if nothing speaks for any."""
    names, table = _table(_SHARED.index(first))
    grams = grams_of(text[:_ENOUGH])
    total = sum(map(_number, filter(None, map(table.get, grams))))
    if not total:
        # Nothing speaks against English, the one of them that is written without marks.
        return "en" if expected == "en" and grams and text.isascii() else None
    total += _number(table[""])
    scores = struct.unpack(f"<{len(names)}I", total.to_bytes(4 * len(names), "little"))
    ranked = sorted(scores, reverse=True)
    words = sum(map(bool, _BETWEEN.split(text)))
    doubt = _DOUBTS[min(words, len(_DOUBTS) - 1)]
    if expected in names and scores[names.index(expected)] >= ranked[0] - doubt:
        return expected
    if expected is None and words < _FEW and ranked[0] - ranked[1] < _AHEAD:
        return None
    return names[scores.index(ranked[0])]


@cache
def _table(number: int) -> tuple[list[str], Mapping[str, str]]:
    """Return the languages of a script, and how common each sequence is in these."""
    names, *lines = GRAMS.read_text(encoding="utf-8").split("\n\n")[number].splitlines()
    return names.split(), dict(line.split("\t") for line in lines)


@cache
def _number(values: str) -> int:
    """Return one number that has 32 bits for each language, so that adding it adds them all."""
    return int.from_bytes(values.encode("utf-32-le"), "little")
