"""What an answer says, in a form in which answers can be compared with each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from lve.checkers.extract.bare_text import bare_text
from lve.checkers.extract.numerals.final_number import final_numbers
from lve.checkers.extract.settled import settled_labels

YES = ("yes", "ja", "oui", "sí", "sì", "sim", "tak", "да", "是", "是的", "はい", "예", "네", "نعم")
NO = ("no", "nein", "nee", "non", "não", "nie", "нет", "不", "不是", "いいえ", "아니요", "لا")


class Meaning(NamedTuple):
    """What an answer says."""

    values: frozenset[Hashable]
    """What it may mean. Two answers agree if they may mean the same."""
    shown: str
    """For reasons."""


Reader = Callable[[str], Meaning | None]
"""Reads an answer; None: it says nothing of that kind."""


def exact(text: str) -> Meaning | None:
    """Read an answer as it is, white space around it aside."""
    said = text.strip()
    return Meaning(frozenset({said}), said) if said else None


def bare(text: str) -> Meaning | None:
    """Read what an answer says, however it is dressed up."""
    said = bare_text(text)
    return Meaning(frozenset({said}), said) if said else None


def number(text: str) -> Meaning | None:
    """Read the number that an answer settles on."""
    found = final_numbers(text)
    return Meaning(frozenset(found), f"{float(found[0]):.12g}") if found else None


def yes_or_no(text: str) -> Meaning | None:
    """Read whether an answer says yes or no, in any of a dozen languages."""
    found = settled_labels(text, (*YES, *NO))
    said = {"yes" if label in YES else "no" for label in found}
    return Meaning(frozenset(said), said.pop()) if len(said) == 1 else None


def one_of(labels: Sequence[str]) -> Reader:
    """Return a reader of which of some labels an answer settles on."""

    def read(text: str) -> Meaning | None:
        found = settled_labels(text, labels)
        return Meaning(frozenset({found}), " and ".join(sorted(found))) if found else None

    return read


READERS: dict[str, Reader] = {
    "text": bare,
    "exact": exact,
    "number": number,
    "yes_no": yes_or_no,
}
"""By the name that a test gives to what is compared."""
