"""Checks of an answer's length and language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.language import LANGUAGES, language_of
from lve.checkers.extract.word_counts import sentence_count, word_count
from lve.checkers.shape.answer_parts import answer_as_written
from lve.checkers.shape.reasoning import without_reasoning
from lve.data_classes import dataclass
from lve.suggest import did_you_mean


def _characters(text: str) -> int:
    return len(text.strip())


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


_COUNTS: Mapping[str, Callable[[str], int]] = {
    "characters": _characters,
    "words": word_count,
    "lines": _lines,
    "sentences": sentence_count,
}


class _Counting(AnswerCheck):
    """Base of checks that compare a count with a limit. Their names say what is counted, and
    whether the limit is a maximum or a minimum: `max_words`."""

    __slots__ = ()

    def __post_init__(self) -> None:
        if self.values()[0] < 0:
            raise ArgumentError(self.shown_name(), f"'{self.shown_name()}' is 0 or more")

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        which, _, unit = self.shown_name().partition("_")
        answer = without_reasoning(response)
        if answer is None:
            return judged(False, "there is no answer: the reasoning was cut off")
        limit, count = self.values()[0], _COUNTS[unit](answer)
        good = count <= limit if which == "max" else count >= limit
        bound = "at most" if which == "max" else "at least"
        return judged(good, f"{count} {unit}, wanted {bound} {limit}")


@dataclass(frozen=True, slots=True)
class MaxCharacters(_Counting):
    """Passes if the answer has at most this number of characters, without surrounding white
    space."""

    max_characters: int
    """The number of characters."""

    examples: ClassVar = (CheckExample({"max_characters": 5}, ("Paris", " abc "), ("Paris.",)),)


@dataclass(frozen=True, slots=True)
class MinCharacters(_Counting):
    """Passes if the answer has at least this number of characters, without surrounding white
    space."""

    min_characters: int
    """The number of characters."""

    examples: ClassVar = (CheckExample({"min_characters": 5}, ("Paris",), ("Rome", "")),)


@dataclass(frozen=True, slots=True)
class MaxWords(_Counting):
    """Passes if the answer has at most this number of words.

    Reasoning isn't counted. A word holds a letter or a digit: marks, dashes, bullets and the
    numbers of a list are none, an address or `well-known` is one. Of a script without spaces
    between words (Chinese, Japanese, Thai), each letter counts.
    """

    max_words: int
    """The number of words."""

    examples: ClassVar = (
        CheckExample({"max_words": 3}, ("It is Paris.", "東京"), ("The answer is Paris.",)),
    )


@dataclass(frozen=True, slots=True)
class MinWords(_Counting):
    """Passes if the answer has at least this number of words, which are counted as in
    `max_words`."""

    min_words: int
    """The number of words."""

    examples: ClassVar = (CheckExample({"min_words": 3}, ("It is Paris.",), ("Paris",)),)


@dataclass(frozen=True, slots=True)
class MaxLines(_Counting):
    """Passes if the answer has at most this number of lines that aren't blank."""

    max_lines: int
    """The number of lines."""

    examples: ClassVar = (CheckExample({"max_lines": 2}, ("a\n\nb",), ("a\nb\nc",)),)


@dataclass(frozen=True, slots=True)
class MinLines(_Counting):
    """Passes if the answer has at least this number of lines that aren't blank."""

    min_lines: int
    """The number of lines."""

    examples: ClassVar = (CheckExample({"min_lines": 2}, ("a\nb",), ("a",)),)


@dataclass(frozen=True, slots=True)
class MaxSentences(_Counting):
    """Passes if the answer has at most this number of sentences.

    Reasoning, headings and code aren't counted, each item of a list is. Abbreviations
    ("Dr.", "z. B.", "ул.") and ordinals end no sentence.
    """

    max_sentences: int
    """The number of sentences."""

    examples: ClassVar = (
        CheckExample({"max_sentences": 1}, ("Mr. Lee has 3.5 apples.",), ("One. Two.",)),
    )


@dataclass(frozen=True, slots=True)
class MinSentences(_Counting):
    """Passes if the answer has at least this number of sentences, which are counted as in
    `max_sentences`."""

    min_sentences: int
    """The number of sentences."""

    examples: ClassVar = (CheckExample({"min_sentences": 2}, ("One. Two!",), ("One", "")),)


@dataclass(frozen=True, slots=True)
class Language(AnswerCheck):
    """Passes if the answer is in this language, judged by its script, words and sequences of
    letters.

    Reasoning, code and addresses aren't read. A short answer that may be in this language passes;
    one without any word that is recognized fails.
    """

    work_per_character: ClassVar[int] = 1000

    language: str
    """The language's code: `en`, `de`, `fr`, ..."""

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
            codes = ", ".join(LANGUAGES)
            raise ArgumentError("language", f"'language' is one of {codes}", hint=hint)

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        code = language_of(answer_as_written(response), self.language)
        answered = code or "no language that is recognized"
        good = code == self.language
        return judged(
            good, f"found {answered}" if good else f"expected {self.language}, found {answered}"
        )
