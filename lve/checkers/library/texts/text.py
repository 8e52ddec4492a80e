"""Checks that look for texts in the answer."""

from __future__ import annotations

from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.escape import head, quoted, tail

_NAIVE_SEARCH = 30_000
"""Python's search compares a text up to this length with the sought one at each of its characters;
in longer texts its time is linear."""
_COMPARISONS = 4
"""Comparisons of characters that take as long as a unit of work."""
_FOLDING = 10
"""Work of casefolding a character, whether or not the check ignores case."""


def folded(text: str, ignore_case: bool) -> str:
    """Return `text` casefolded if `ignore_case`, else unchanged."""
    return text.casefold() if ignore_case else text


def _check_texts(name: str, texts: tuple[str, ...]) -> None:
    """Refuse empty texts: every answer contains them, so the check could never fail.

    Raises:
        ArgumentError: there is no text, or an empty one.
    """
    if not texts:
        raise ArgumentError(name, f"'{name}' is empty: there is nothing to look for")
    if not all(texts):
        raise ArgumentError(name, f"a text in '{name}' is empty: every answer contains it")


def _search_work(length: int, text: str) -> int:
    """Return the work of finding `text` in an answer of `length` characters, at worst."""
    return length + min(length, _NAIVE_SEARCH) * len(text) // _COMPARISONS


class _Searching(AnswerCheck):
    """Base of checks that look for texts in the answer."""

    __slots__ = ()

    def work_on(self, length: int, context: CheckContext) -> int | None:
        searches = sum(_search_work(length, text) for text in self.values())
        return searches + _FOLDING * length

    def __post_init__(self) -> None:
        _check_texts(self.shown_name(), self.values())


@dataclass(frozen=True, slots=True)
class Equals(AnswerCheck):
    """Passes if the answer is exactly this text, apart from surrounding white space.

    The check `text` is more lenient: it ignores case, Markdown, quotes and the like.
    """

    work_per_character: ClassVar[int] = 10

    equals: str
    """The text."""
    ignore_case: bool = False
    """Whether upper and lower case are equal."""

    examples: ClassVar = (
        CheckExample({"equals": "Paris"}, ("Paris", " Paris\n"), ("paris", "Paris.")),
        CheckExample({"equals": "STRASSE", "ignore_case": True}, ("Straße",), ("Gasse",)),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        answer, expected = response.strip(), self.equals.strip()
        if folded(answer, self.ignore_case) == folded(expected, self.ignore_case):
            return Verdict("passed", f"found {quoted(expected)}")
        return Verdict("failed", f"expected {quoted(expected)}, found {quoted(answer)}")


@dataclass(frozen=True, slots=True)
class Contains(_Searching):
    """Passes if the text occurs anywhere in the answer."""

    contains: str
    """The text."""
    ignore_case: bool = False
    """Whether upper and lower case are equal."""

    examples: ClassVar = (
        CheckExample({"contains": "Paris"}, ("It is Paris.",), ("It is Rome.", "It is paris.", "")),
        CheckExample({"contains": "paris", "ignore_case": True}, ("PARIS!",), ("Rome",)),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        place = folded(response, self.ignore_case).find(folded(self.contains, self.ignore_case))
        if place < 0:
            return Verdict("failed", f"{quoted(self.contains)} doesn't occur in the answer")
        return Verdict("passed", f"found {quoted(self.contains)} at character {place + 1}")


@dataclass(frozen=True, slots=True)
class NotContains(_Searching):
    """Passes if the text doesn't occur in the answer; of several texts, none may occur."""

    not_contains: str | tuple[str, ...]
    """The text, or a list of texts."""
    ignore_case: bool = False
    """Whether upper and lower case are equal."""

    examples: ClassVar = (
        CheckExample({"not_contains": "Rome"}, ("It is Paris.", ""), ("It is Rome.",)),
        CheckExample({"not_contains": ["foo", "bar"]}, ("none",), ("a bar",)),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        answer = folded(response, self.ignore_case)
        for text in self.values():
            place = answer.find(folded(text, self.ignore_case))
            if place >= 0:
                return Verdict("failed", f"found {quoted(text)} at character {place + 1}")
        return Verdict("passed", f"{_listed(self.values())} doesn't occur in the answer")


@dataclass(frozen=True, slots=True)
class ContainsAny(_Searching):
    """Passes if at least one of the texts occurs in the answer."""

    contains_any: tuple[str, ...]
    """The list of texts."""
    ignore_case: bool = False
    """Whether upper and lower case are equal."""

    examples: ClassVar = (
        CheckExample({"contains_any": ["Paris", "París"]}, ("Es París.",), ("Es Roma.",)),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        answer = folded(response, self.ignore_case)
        for text in self.contains_any:
            if folded(text, self.ignore_case) in answer:
                return Verdict("passed", f"found {quoted(text)}")
        return Verdict("failed", f"none of {_listed(self.contains_any)} occurs in the answer")


@dataclass(frozen=True, slots=True)
class ContainsAll(_Searching):
    """Passes if all of the texts occur in the answer."""

    contains_all: tuple[str, ...]
    """The list of texts."""
    ignore_case: bool = False
    """Whether upper and lower case are equal."""

    examples: ClassVar = (
        CheckExample({"contains_all": ["red", "blue"]}, ("blue and red",), ("only red",)),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        answer = folded(response, self.ignore_case)
        missing = [t for t in self.contains_all if folded(t, self.ignore_case) not in answer]
        score = 1 - len(missing) / len(self.contains_all)
        if missing:
            return judged(False, f"{_listed(tuple(missing))} doesn't occur in the answer", score)
        return judged(True, f"found {_listed(self.contains_all)}", score)


@dataclass(frozen=True, slots=True)
class StartsWith(_Searching):
    """Passes if the answer begins with the text, apart from leading white space."""

    starts_with: str | tuple[str, ...]
    """The text, or a list of texts, one of which must match."""
    ignore_case: bool = False
    """Whether upper and lower case are equal."""

    examples: ClassVar = (
        CheckExample({"starts_with": "Dear"}, ("Dear Ms Lee,",), ("Hello, dear.", "")),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        answer = folded(response.lstrip(), self.ignore_case)
        good = answer.startswith(tuple(folded(t, self.ignore_case) for t in self.values()))
        begins = "begins" if good else "doesn't begin"
        beginning = "" if good else f" but with {quoted(head(response.lstrip(), 40))}"
        return judged(good, f"the answer {begins} with {_listed(self.values())}{beginning}")


@dataclass(frozen=True, slots=True)
class EndsWith(_Searching):
    """Passes if the answer ends with the text, apart from trailing white space."""

    ends_with: str | tuple[str, ...]
    """The text, or a list of texts, one of which must match."""
    ignore_case: bool = False
    """Whether upper and lower case are equal."""

    examples: ClassVar = (
        CheckExample({"ends_with": "THE END"}, ("So it was.\nTHE END\n",), ("THE END?", "")),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        answer = folded(response.rstrip(), self.ignore_case)
        good = answer.endswith(tuple(folded(t, self.ignore_case) for t in self.values()))
        ends = "ends" if good else "doesn't end"
        ending = "" if good else f" but with {quoted(tail(response.rstrip(), 40))}"
        return judged(good, f"the answer {ends} with {_listed(self.values())}{ending}")


def _listed(texts: tuple[str, ...]) -> str:
    listed = " or ".join(map(quoted, texts[:5]))
    return listed if len(texts) <= 5 else f"{listed} or one of {len(texts) - 5} more"
