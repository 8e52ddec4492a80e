"""Reads the meanings of answers, so that answers can be compared with each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from lve.checkers.extract.bare_text import bare_text
from lve.checkers.extract.numerals.final_number import final_numbers, shown_number
from lve.checkers.extract.settled import settled_labels
from lve.named_tuples import NamedTuple

YES = ("yes", "ja", "oui", "sí", "sì", "sim", "tak", "да", "是", "是的", "はい", "예", "네", "نعم")
NO = ("no", "nein", "nee", "non", "não", "nie", "нет", "不", "不是", "いいえ", "아니요", "لا")


class Meaning(NamedTuple):
    """The meaning of an answer."""

    values: frozenset[Hashable]
    """The values that it can mean. Two answers agree if they have a value in common."""
    text: str
    """How reasons show it."""


Reader = Callable[[str], Meaning | None]
"""Answer -> its meaning; None if it has no value of that kind."""


def exact(text: str) -> Meaning | None:
    """Return an answer's exact text, without surrounding white space."""
    text = text.strip()
    return Meaning(frozenset({text}), text) if text else None


def bare(text: str) -> Meaning | None:
    """Return an answer's text without formatting."""
    text = bare_text(text)
    return Meaning(frozenset({text}), text) if text else None


def number(text: str) -> Meaning | None:
    """Return the number that an answer settles on."""
    numbers = final_numbers(text)
    return Meaning(frozenset(numbers), shown_number(numbers[0])) if numbers else None


def yes_or_no(text: str) -> Meaning | None:
    """Return whether an answer says yes or no, in one of a dozen languages."""
    labels = settled_labels(text, (*YES, *NO)).labels
    answers = {"yes" if label in YES else "no" for label in labels}
    return Meaning(frozenset(answers), answers.pop()) if len(answers) == 1 else None


def one_of(labels: Sequence[str]) -> Reader:
    """Return a reader for the labels that an answer settles on."""

    def read(text: str) -> Meaning | None:
        settled = settled_labels(text, labels).labels
        return Meaning(frozenset({settled}), " and ".join(sorted(settled))) if settled else None

    return read


READERS: dict[str, Reader] = {
    "text": bare,
    "exact": exact,
    "number": number,
    "yes_no": yes_or_no,
}
"""Value of `consistency` or `no_self_contradiction` -> reader."""
