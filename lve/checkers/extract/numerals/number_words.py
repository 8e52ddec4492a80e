"""Reads numbers in the words of other languages than English: `zweiundvierzig`, `quatre-vingts`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from lve.checkers.extract.language import language_of

TABLE = Path(__file__).with_name("number_words.tsv")
"""Language, value and words, in a line each; benchmarks/number_words.py writes it from CLDR."""
CONNECTOR = -1
"""The value of words such as `und`, which only stand between others."""
_WORD = re.compile(r"[^\W\d_]+")
_POINT = re.compile(r"(?i)(\d) (?:komma|virgule|coma|vírgula|virgola|запятая) (\d)")
_GAPS = frozenset((" ", "-", "\u00a0"))
_LONG = 4
_LONGEST = 80
"""The most letters of a compound."""
_ENGLISH = frozenset(("once", "fire", "cent", "sept", "otto"))
"""Words that are more likely English than the number that they are elsewhere."""
Span = tuple[int, int, int]
"""The start and end of a number in words, and its value."""


class NumberWords:
    """The words of a language's numbers.

    Args:
        values: each word and its value.
    """

    def __init__(self, values: Mapping[str, int]) -> None:
        self._values = values
        self._scales = [(w, n) for w, n in values.items() if n in (100, 1000) and len(w) > 2]

    def values(self, word: str) -> list[int]:
        """Return the values of a word, or of the parts of a compound: `zwei·tausend·drei`."""
        if (value := self._values.get(word)) is not None:
            return [value]
        for scale, size in self._scales if len(word) <= _LONGEST else ():
            if scale in word:
                before, _, after = word.partition(scale)
                left = self.values(before) if before else []
                right = self.values(after) if after else []
                if (left or not before) and (right or not after):
                    return [*left, size, *right]
        return []


@cache
def number_words() -> Mapping[str, NumberWords]:
    """Return the languages and the words of each."""
    languages: dict[str, dict[str, int]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        language, value, *words = line.split("\t")
        languages.setdefault(language, {}).update(dict.fromkeys(words, int(value)))
    return {language: NumberWords(values) for language, values in languages.items()}


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
        text = f"{text[:start]}{value}{text[end:]}"
    return _POINT.sub(r"\1.\2", text) if best else None


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
    run: list[int] = []
    start = end = last = 0
    for match in _WORD.finditer(text):
        values = words.values(match[0].lower())
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


def _closed(text: str, run: list[int], start: int, end: int) -> Iterator[Span]:
    value = _sum(run)
    if run and value is not None:
        is_article = value == 1 or run[0] >= 10**6
        if not is_article or _is_all(text, start, end):
            yield start, end, value


def _sum(values: list[int]) -> int | None:
    """Return what words come to: 4·20·10·7 is 97; None if they are several numbers."""
    total = current = last = 0
    for value in values:
        if value == CONNECTOR:
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


def _fits(current: int, value: int) -> bool:
    """Return whether a smaller number can follow: 5 after 40, 17 after 80 (`quatre-vingt-dix`)."""
    room = current % 100
    if value >= 100 or (room and room < 20):
        return room == 10 and value < 10
    if value >= 10:
        return room in (0, 60, 80) and (value < 20 or room == 0)
    return room % 10 == 0
