"""Checks of the option or label that an answer settles on."""

from __future__ import annotations

import string
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.settled import Settled, settled_labels, settled_options
from lve.checkers.shape.answer_parts import MAX_READ, nothing_stated
from lve.data_classes import dataclass
from lve.suggest import did_you_mean

NO_LABEL = "(none)"
"""What an answer that settles on no label chose, in a confusion matrix."""


@dataclass(frozen=True, slots=True)
class Option(AnswerCheck):
    """Passes if the answer settles on this option: "the answer is B", "(b)", "A不对，故选B".

    An option that the answer only mentions, rejects or takes back doesn't count.
    """

    work_per_character: ClassVar[int] = 400
    reads: ClassVar[int] = MAX_READ

    option: str | tuple[str, ...]
    """The letter. If there are several (`BD` or a list), the answer must choose exactly these."""
    options: int | str | tuple[str, ...] = 4
    """The number of options (lettered from A), their letters, or a list of their texts."""

    examples: ClassVar = (
        CheckExample(
            {"option": "B", "options": 4},
            ("**B)** Paris", "A is tempting, but B is the answer.", "A. No wait, it's B."),
            ("A or B", "It can't be B.", "Both are wrong.", ""),
        ),
        CheckExample({"option": ["B", "D"]}, ("B and D", "DB"), ("B", "A, B and D")),
        CheckExample({"option": "B", "options": ["Rome", "Paris"]}, ("Paris",), ("Rome",)),
    )

    def __post_init__(self) -> None:
        if not 0 < len(self._letters()) <= 26:
            raise ArgumentError("options", "'options' is a number from 1 to 26, or as many letters")
        unknown = self._right_letters() - {*self._letters()}
        if unknown or not self._right_letters():
            message = f"'option' is one of {', '.join(self._letters())}, not {self.option!r}"
            raise ArgumentError("option", message)

    def _letters(self) -> str:
        if isinstance(self.options, str):
            return self.options.upper()
        count = self.options if isinstance(self.options, int) else len(self.options)
        return string.ascii_uppercase[:count] if 0 < count <= 26 else ""

    def _right_letters(self) -> frozenset[str]:
        return frozenset("".join(self.values()).upper())

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        texts = self.options if isinstance(self.options, tuple) else ()
        settled, right = settled_options(response, self._letters(), texts), self._right_letters()
        return _judged(response, settled, right, "option")


@dataclass(frozen=True, slots=True)
class Choice(AnswerCheck):
    """Passes if the answer settles on this label, out of several."""

    work_per_character: ClassVar[int] = 400
    reads: ClassVar[int] = MAX_READ

    choice: str
    """The label that the answer must settle on."""
    of: tuple[str, ...]
    """All labels, including `choice`."""

    examples: ClassVar = (
        CheckExample(
            {"choice": "yes", "of": ["yes", "no"]},
            ("Yes, because tea is hot.", "**Yes.**"),
            ("No. It is not true that yes is right.", "Yes or no, who knows?", ""),
        ),
        CheckExample(
            {"choice": "positive", "of": ["positive", "negative", "neutral"]},
            ("Sentiment: Positive",),
            ("It is not positive.",),
        ),
    )

    def __post_init__(self) -> None:
        check_label("choice", self.choice, self.of)

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return (self.work_per_character + 10 * len(self.of)) * min(length, self.reads) + 5 * length

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        settled = settled_labels(response, self.of)
        return _judged(response, settled, frozenset([self.choice]), "label")


def check_label(name: str, label: str, labels: tuple[str, ...]) -> None:
    """Refuse a label that isn't one of all labels, the argument `of`.

    Raises:
        ArgumentError: it isn't, or `of` has no label or an empty one.
    """
    if not labels:
        raise ArgumentError("of", "'of' is empty: it has all labels, such as [yes, no]")
    if not all(map(str.strip, labels)):
        raise ArgumentError("of", "a label in 'of' is empty")
    if label not in labels:
        message = f"'{name}' is one of {', '.join(labels)}, not {label!r}"
        raise ArgumentError(name, message, hint=did_you_mean(label, labels))


def _judged(answer: str, settled: Settled, right: frozenset[str], noun: str) -> Verdict:
    answered = " and ".join(sorted(settled.labels)) or nothing_stated(answer, noun)
    place = f" ({settled.place})" if settled.labels and settled.place else ""
    good = settled.labels == right
    expected = "" if good else f"expected {' and '.join(sorted(right))}, "
    labels = "+".join(sorted(right)), "+".join(sorted(settled.labels)) or NO_LABEL
    return judged(good, f"{expected}found {answered}{place}", labels=labels)
