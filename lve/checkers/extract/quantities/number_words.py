"""Reads numbers in the words of other languages than English: `zweiundvierzig`, `quatre-vingts`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import zip_longest
from pathlib import Path

from lve.checkers.extract.language import language_of

TABLE = Path(__file__).with_name("number_words.tsv")
"""Language, value and words, in a line each; benchmarks/number_words.py writes it from CLDR."""
CONNECTOR = -1
"""The value of words such as `und`, which only stand between others."""
_WORD = re.compile(r"[^\W\d_]+")
_POINT = re.compile(r"(?i)(\d) (?:komma|virgule|coma|vírgula|virgola|запятая) (\d)")
HALF = Fraction(1, 2)
_HALVES = {
    "de": ("einhalb", "anderthalb anderthalbe anderthalben eineinhalb"),
    "nl": ("eneenhalf half", "anderhalf anderhalve"),
    "fr": ("demi demie", ""),
    "es": ("medio media", ""),
    "it": ("mezzo mezza", ""),
    "pt": ("meio meia", ""),
    "ru": ("половиной", "полтора полторы"),
    "uk": ("половиною", "півтора півтори"),
    "pl": ("pół", "półtora półtorej"),
    "sv": ("halv halvt", "halvannan"),
    "da": ("halv halvt", "halvanden halvandet"),
}
"""Language -> the words for a half after a number, and those for one and a half."""
_ANDS = frozenset(("et", "y", "e", "с", "з", "i", "och", "og", "en", "und"))
_GAPS = frozenset((" ", "-", "\u00a0"))
_LONG = 4
_LONGEST = 80
"""The most letters of a compound."""
_ENGLISH = frozenset(("once", "fire", "cent", "cents", "sept", "otto"))
"""Words that are more likely English than the number that they are elsewhere."""
Value = int | Fraction
Span = tuple[int, int, Value]
"""The start and end of a number in words, and its value."""


class NumberWords:
    """The words of a language's numbers.

    Args:
        values: each word and its value.
        halves: the words for a half after a number, and those for one and a half.
    """

    def __init__(self, values: Mapping[str, int], halves: tuple[str, str] = ("", "")) -> None:
        self._values = values
        self.halves, self._one_and_a_half = (tuple(words.split()) for words in halves)
        self._scales = [(w, n) for w, n in values.items() if n in (100, 1000) and len(w) > 2]

    def values(self, word: str) -> list[Value]:
        """Return the values of a word, or of the parts of a compound: `zwei·tausend·drei`,
        `zwei·einhalb`."""
        if (value := self._values.get(word)) is not None:
            return [value]
        if word in self._one_and_a_half:
            return [1, HALF]
        for half in self.halves:
            if word.endswith(half) and (whole := self._before(word.removesuffix(half))):
                return [*whole, HALF]
        for scale, size in self._scales if len(word) <= _LONGEST else ():
            if scale in word:
                before, _, after = word.partition(scale)
                left = self.values(before) if before else []
                right = self.values(after) if after else []
                if (left or not before) and (right or not after):
                    return [*left, size, *right]
        return []

    def _before(self, word: str) -> list[Value]:
        """Return the values of what a compound begins with: `zwei` or, before a half, `zweie`."""
        return (self.values(word) or self.values(word.removesuffix("e"))) if len(word) > 1 else []


@cache
def number_words() -> Mapping[str, NumberWords]:
    """Return the languages and the words of each."""
    languages: dict[str, dict[str, int]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        language, value, *words = line.split("\t")
        languages.setdefault(language, {}).update(dict.fromkeys(words, int(value)))
    return {
        language: NumberWords(values, _HALVES.get(language, ("", "")))
        for language, values in languages.items()
    }


def with_digits(text: str) -> str | None:
    """Return a text with its numbers in words as digits; None if there are none. A text whose
    language isn't recognized, or may be English ("go on": `on` is Turkish), is in the language of
    which it has the most words; short ones don't count, unless there is nothing else."""
    table, language = number_words(), language_of(text)
    is_sure = language in table
    present = {word for word in _WORD.findall(text.lower()) if len(word) > 2}
    tried = [
        words
        for name, words in table.items()
        if (name == language if is_sure else any(map(words.values, present)))
    ]
    readings = [
        [span for span in spelled_in(text, words) if is_sure or _is_long(text, span)]
        for words in tried
    ]
    best = max(readings, key=lambda spans: sum(e - s for s, e, _ in spans), default=[])
    for start, end, value in reversed(best):
        text = f"{text[:start]}{_in_digits(value)}{text[end:]}"
    return _POINT.sub(r"\1.\2", text) if best else None


def _in_digits(value: Value) -> str:
    return f"{value // 1}.5" if value % 1 else f"{value // 1}"


def _is_long(text: str, span: Span) -> bool:
    word = text[span[0] : span[1]].lower()
    if word == "null":  # JSON's, or English; in a German sentence the language is known
        return False
    return (len(word) >= _LONG and word not in _ENGLISH) or _is_all(text, *span[:2])


def _is_all(text: str, start: int, end: int) -> bool:
    return not (_WORD.search(text, 0, start) or _WORD.search(text, end))


def spelled_in(text: str, words: NumberWords) -> Iterator[Span]:
    """Yield the numbers of a text in the words of a language. A single "one" is an article, unless
    there is nothing else, and "millions" alone are none."""
    run: list[Value] = []
    start = end = last = 0
    matches = [*_WORD.finditer(text)]
    for match, following in zip_longest(matches, matches[1:]):
        word = match[0].lower()
        values = words.values(word)
        if run and word in words.halves:
            values = [HALF]
        elif word in _ANDS and following and following[0].lower() in words.halves:
            values = [CONNECTOR]
        if (
            run
            and values
            and text[last : match.start()] in _GAPS
            and _sum([*run, *values]) is not None
        ):
            run += values
        else:
            yield from _closed(text, run, start, end)
            run, start = [] if values == [CONNECTOR] else values, match.start()
        last = match.end()
        end = last if run and run[-1] != CONNECTOR else end
    yield from _closed(text, run, start, end)


def _closed(text: str, run: list[Value], start: int, end: int) -> Iterator[Span]:
    value = _sum(run)
    if run and value is not None:
        is_article = value == 1 or run[0] >= 10**6
        if not is_article or _is_all(text, start, end):
            yield start, end, value


def _sum(values: list[Value]) -> Value | None:
    """Return what words come to: 4·20·10·7 is 97; None if they are several numbers."""
    total: Value = 0
    current: Value = 0
    last: Value = 0
    for value in values:
        if value == CONNECTOR:
            continue
        if (total + current) % 1 and value < 1000:
            return None  # only a scale follows a half
        if value == HALF:
            current += HALF if current or last < 10**6 else HALF * last
            continue
        if value >= 1000:
            if value == last:
                return None
            last = value
            if total < value:  # "mil millones"
                total = (total + current or 1) * value
            else:
                total += (current or 1) * value
            current = 0
        elif value == 100 and 0 < current < 100:
            current *= 100
        elif value == 20 and current % 100 == 4:
            current += 76
        elif current == 0 or _fits(current, value):
            current += value
        else:
            return None
    return total + current


def _fits(current: Value, value: Value) -> bool:
    """Return whether a smaller number can follow: 5 after 40, 17 after 80 (`quatre-vingt-dix`)."""
    room = current % 100
    if value >= 100 or (room and room < 20):
        return room == 10 and value < 10
    if value >= 10:
        return room in (0, 60, 80) and (value < 20 or room == 0)
    return room % 10 == 0
