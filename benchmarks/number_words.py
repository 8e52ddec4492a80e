"""Writes the words of numbers that lve reads, from Unicode's CLDR.

    pip install unicode-rbnf==2.4.1
    python benchmarks/number_words.py

CLDR's rules (Unicode licence v3, https://www.unicode.org/license.txt) spell the numbers 0 to 999
and the large ones, in all genders and cases; the words of which lve's reader composes a number are
kept, with their values. Prints which numbers of each language the reader doesn't read back.
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

from unicode_rbnf import RbnfEngine

sys.path.insert(0, str(Path(__file__).parents[1]))

from lve.checkers.extract.quantities.number_words import (
    CONNECTOR,
    TABLE,
    NumberWords,
    Value,
    spelled_in,
)

LOCALES = {
    **{
        name: (name,) for name in ("de", "fr", "es", "it", "ru", "nl", "pl", "sv", "tr", "da", "cs")
    },
    "pt": ("pt", "pt_PT"),
    "uk": ("uk",),
}
WORD = re.compile(r"[^\W\d_]+")
SCALES = (1000, 10**6, 10**9)
MANY = [
    *range(200),
    *range(200, 1000, 7),
    300,
    400,
    500,
    600,
    700,
    800,
    900,
    1234,
    45_678,
    123_456,
    *(n * scale for scale in SCALES for n in (1, 2, 3, 5, 11)),
]


def spellings(engine: RbnfEngine, number: int) -> set[str]:
    """Return how a number is written, in all genders and cases."""
    rules = engine.format_number(number).text_by_ruleset
    texts = (text for name, text in rules.items() if "cardinal" in name or "numbering" in name)
    return {text.replace("\u00ad", "").lower() for text in texts}


def words_of(texts: list[tuple[int, str]]) -> dict[str, int]:
    """Return the words of a language with their values, from the spellings of numbers."""
    words = {text: n for n, text in texts if n < 100 and WORD.fullmatch(text)}
    for number, text in texts:
        for size in (100, 1000):
            if number in (size, 2 * size) and WORD.fullmatch(text):
                begins = [w for w, n in words.items() if n * size == number and text.startswith(w)]
                words.update({text.removeprefix(word): size for word in begins if word != text})
    for value in 2 * (20, 100, *SCALES, CONNECTOR):
        known = NumberWords(words)
        for number, text in texts:
            unread = [word for word in WORD.findall(text) if not known.values(word)]
            if len(unread) == 1 and reads({**words, unread[0]: value}, number, text):
                words[unread[0]] = value
                known = NumberWords(words)
    known = NumberWords(words)
    single = [(n, text) for n, text in texts if n < 1000 and WORD.fullmatch(text)]
    return words | {text: n for n, text in single if read(known, text) != n}


def reads(words: dict[str, int], number: int, text: str) -> bool:
    """Return whether a text is read as the number with these words."""
    return read(NumberWords(words), text) == number


def read(words: NumberWords, text: str) -> Value | None:
    """Return the number of a text in words; None if it isn't read as one number."""
    spans = list(spelled_in(text, words))
    is_whole = len(spans) == 1 and spans[0][:2] == (0, len(text))
    return spans[0][2] if is_whole else None


def main() -> None:
    """Write the table."""
    lines = []
    for language, locales in LOCALES.items():
        engines = [RbnfEngine.for_language(locale) for locale in locales]
        texts = [(n, text) for n in MANY for engine in engines for text in spellings(engine, n)]
        words = words_of(texts)
        reader = NumberWords(words)
        wrong = [(n, text) for n, text in texts if read(reader, text) != n]
        print(f"{language}: {len(words)} words, {len(wrong)} of {len(texts)} not read:", wrong[:6])
        by_value = sorted((value, word) for word, value in words.items())
        for value, group in itertools.groupby(by_value, key=lambda pair: pair[0]):
            lines.append("\t".join([language, str(value), *(word for _, word in group)]))
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
