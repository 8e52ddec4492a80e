"""Checks of how long the answer is, and of its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.language import LANGUAGES, language_of
from lve.suggest import did_you_mean

_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(r"[^\s*_~`]")
"""Marks of emphasis alone are no word."""
_SENTENCE_END = re.compile(r"[.!?]+(?=[\s\"')\]]|$)|[。！？]+|\n\s*\n|$")
_SHORT = re.compile(r"(?i)\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|no|z\.b|d\.h)$")


def _characters(text: str) -> int:
    return len(text.strip())


def _words(text: str) -> int:
    """Return the number of words; each character counts in scripts without blanks."""
    if text.isascii():
        return len(text.split())
    spaced = (word for word in _UNSPACED.sub(" ", text).split() if _WORD.search(word))
    return sum(1 for _ in spaced) + len(_UNSPACED.findall(text))


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def _sentences(text: str) -> int:
    count = begin = 0
    for end in _SENTENCE_END.finditer(text):
        piece = text[begin : end.start()]
        if re.search(r"\w", piece) and not _SHORT.search(piece[-8:]):
            count, begin = count + 1, end.end()
    return count


_COUNTS: Mapping[str, Callable[[str], int]] = {
    "characters": _characters,
    "words": _words,
    "lines": _lines,
    "sentences": _sentences,
}


class _Counting(AnswerCheck):
    """Counts something and compares: its name says what and how."""

    __slots__ = ()

    def __post_init__(self) -> None:
        if self.values()[0] < 0:
            raise ArgumentError(self.shown_name(), f"'{self.shown_name()}' is 0 or more")

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        which, _, unit = self.shown_name().partition("_")
        limit, found = self.values()[0], _COUNTS[unit](response)
        good = found <= limit if which == "max" else found >= limit
        wanted = "at most" if which == "max" else "at least"
        return judged(good, f"{found} {unit}, wanted {wanted} {limit}")


@dataclass(frozen=True, slots=True)
class MaxCharacters(_Counting):
    """Passes if the answer has at most so many characters, without white space around it."""

    max_characters: int
    """The number."""

    examples: ClassVar = (CheckExample({"max_characters": 5}, ("Paris", " abc "), ("Paris.",)),)


@dataclass(frozen=True, slots=True)
class MinCharacters(_Counting):
    """Passes if the answer has at least so many characters, without white space around it."""

    min_characters: int
    """The number."""

    examples: ClassVar = (CheckExample({"min_characters": 5}, ("Paris",), ("Rome", "")),)


@dataclass(frozen=True, slots=True)
class MaxWords(_Counting):
    """Passes if the answer has at most so many words."""

    max_words: int
    """The number."""

    examples: ClassVar = (
        CheckExample({"max_words": 3}, ("It is Paris.", "東京"), ("The answer is Paris.",)),
    )


@dataclass(frozen=True, slots=True)
class MinWords(_Counting):
    """Passes if the answer has at least so many words."""

    min_words: int
    """The number."""

    examples: ClassVar = (CheckExample({"min_words": 3}, ("It is Paris.",), ("Paris",)),)


@dataclass(frozen=True, slots=True)
class MaxLines(_Counting):
    """Passes if the answer has at most so many lines that aren't blank."""

    max_lines: int
    """The number."""

    examples: ClassVar = (CheckExample({"max_lines": 2}, ("a\n\nb",), ("a\nb\nc",)),)


@dataclass(frozen=True, slots=True)
class MinLines(_Counting):
    """Passes if the answer has at least so many lines that aren't blank."""

    min_lines: int
    """The number."""

    examples: ClassVar = (CheckExample({"min_lines": 2}, ("a\nb",), ("a",)),)


@dataclass(frozen=True, slots=True)
class MaxSentences(_Counting):
    """Passes if the answer has at most so many sentences."""

    max_sentences: int
    """The number."""

    examples: ClassVar = (
        CheckExample({"max_sentences": 1}, ("Mr. Lee has 3.5 apples.",), ("One. Two.",)),
    )


@dataclass(frozen=True, slots=True)
class MinSentences(_Counting):
    """Passes if the answer has at least so many sentences."""

    min_sentences: int
    """The number."""

    examples: ClassVar = (CheckExample({"min_sentences": 2}, ("One. Two!",), ("One", "")),)


@dataclass(frozen=True, slots=True)
class Language(AnswerCheck):
    """Passes if the answer is in this language, going by its script and commonest words.

    An answer of a few words may be in no language that can be told; it fails.
    """

    work_per_character: ClassVar[int] = 1000

    language: str
    """Its code: `en`, `de`, `fr`, ..."""

    examples: ClassVar = (
        CheckExample(
            {"language": "fr"},
            ("La capitale de la France est Paris, et elle est très belle.",),
            ("The capital of France is Paris, and it is very beautiful.", ""),
        ),
    )

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            hint = did_you_mean(self.language, LANGUAGES)
            known = ", ".join(LANGUAGES)
            raise ArgumentError("language", f"'language' is one of {known}", hint=hint)

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        found = language_of(response)
        shown = found or "no language that can be told"
        good = found == self.language
        return judged(
            good, f"found {shown}" if good else f"expected {self.language}, found {shown}"
        )
