"""The check for copied text."""

from __future__ import annotations

import re
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.shape.answer_parts import answer_body
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.plurals import amount

_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
"""A word, or a character of a script without spaces between words."""


@dataclass(frozen=True, slots=True)
class NotCopied(AnswerCheck):
    """Passes unless the answer copies several words in a row from a text.

    Case, punctuation, markup and reasoning (`<think>`) are ignored. The score is the share of the
    answer's word sequences of this length that are not in the text.
    """

    not_copied: str | tuple[str, ...]
    """The text that must not be copied, or a list of texts."""
    words: int = 8
    """How many words in a row count as copied. For a shorter text, all of its words."""

    examples: ClassVar = (
        CheckExample(
            {"not_copied": "The harbour keeps its lanterns low tonight", "words": 4},
            ("It is about a harbour at night.", "The harbour keeps quiet.", ""),
            ("It begins: *the harbour keeps its* lanterns low.",),
        ),
    )

    def __post_init__(self) -> None:
        if self.words < 1:
            raise ArgumentError("words", f"'words' is 1 or more, not {self.words}")
        if not self.values() or not all(map(_WORD.search, self.values())):
            raise ArgumentError("not_copied", "a text has no words: every answer would contain it")

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return 1000 * (length + sum(map(len, self.values())))

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        answer = _words(answer_body(response))
        for text in self.values():
            words = _words(text)
            size = min(self.words, len(words))
            copyable = {*_sequences(words, size)}
            sequences = _sequences(answer, size)
            copied = [sequence for sequence in sequences if sequence in copyable]
            if copied:
                reason = f"repeats {amount(size, 'word')} in a row: {quoted(' '.join(copied[0]))}"
                return judged(False, reason, 1 - len(copied) / len(sequences))
        return judged(True, f"repeats no {amount(self.words, 'word')} in a row", 1.0)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _sequences(words: list[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + size]) for i in range(len(words) - size + 1)]
