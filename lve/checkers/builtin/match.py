"""Checkers that compare the response with a text or a regular expression."""

from __future__ import annotations

import re
from typing import ClassVar

from lve import regexes
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import PerRunChecker, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.search import search
from lve.data_classes import dataclass, field
from lve.escape import quoted

_FLAGS = {
    "A": re.ASCII,
    "ASCII": re.ASCII,
    "I": re.IGNORECASE,
    "IGNORECASE": re.IGNORECASE,
    "M": re.MULTILINE,
    "MULTILINE": re.MULTILINE,
    "S": re.DOTALL,
    "DOTALL": re.DOTALL,
    "X": re.VERBOSE,
    "VERBOSE": re.VERBOSE,
}


@dataclass(frozen=True, slots=True)
class RegexChecker(PerRunChecker):
    """Searches the response for a regular expression. `match_safe` says whether a match passes."""

    tier: ClassVar = "expr"
    patterns: ClassVar[frozenset[str]] = frozenset({"pattern"})

    pattern: str
    """The regular expression, in Python's `re` syntax. It may match anywhere in the response."""
    match_safe: bool
    """Whether the response passes if the pattern occurs (true), or if it doesn't (false)."""
    flags: str | int = 0
    """`I` (ignore case), `M` (multi-line), `S` or `DOTALL`, `X`, `A`; several as `I|M`."""
    compiled: regexes.Pattern = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            compiled = regexes.compile_pattern(self.pattern, flags_of(self.flags))
        except regexes.PatternError as error:
            raise ArgumentError("pattern", f"{error} in {quoted(self.pattern)}") from error
        object.__setattr__(self, "compiled", compiled)

    def work(self, context: CheckContext) -> int:
        return 0  # `search` itself moves a long search to another process

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        match = search(self.compiled, response)
        if match is None:
            reason = f"{quoted(self.pattern)} doesn't occur in the response"
        else:
            reason = f"found {quoted(match[0])} at character {match.start() + 1}"
        good = (match is not None) is self.match_safe
        return Verdict("passed" if good else "failed", reason)


def flags_of(flags: str | int) -> int:
    """Return the flags of `re` for an argument such as `I|M`.

    Raises:
        ArgumentError: a flag is unknown.
    """
    result = 0
    for name in str(flags).split("|") if flags != 0 else ():
        if name.strip() not in _FLAGS:
            raise ArgumentError(
                "flags", f"unknown flag '{name.strip()}'", hint=f"there are {', '.join(_FLAGS)}"
            )
        result |= _FLAGS[name.strip()]
    return result


@dataclass(frozen=True, slots=True)
class ExactMatchChecker(PerRunChecker):
    """Searches the response for a text. `match_safe` says whether a match passes."""

    pattern: str
    """The text. It is no regular expression."""
    match_safe: bool = False
    """Whether the response passes if the text occurs (true), or if it doesn't (false)."""

    def work_on(self, length: int, context: CheckContext) -> int:
        return length + min(length, 30_000) * len(self.pattern) // 4

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        place = response.find(self.pattern)
        if place < 0:
            reason = f"{quoted(self.pattern)} doesn't occur in the response"
        else:
            reason = f"found {quoted(self.pattern)} at character {place + 1}"
        return judged((place >= 0) is self.match_safe, reason)


@dataclass(frozen=True, slots=True)
class FuzzyMatchChecker(PerRunChecker):
    """Measures the similarity of the response to a text. `match_safe` says whether a similar
    response passes."""

    text: str
    """The text."""
    threshold: float
    """The lowest similarity that counts as similar, from 0 to 1 in steps of 0.01."""
    match_safe: bool = False
    """Whether a similar response passes (true) or fails (false)."""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ArgumentError("threshold", f"'threshold' is from 0 to 1, not {self.threshold}")

    def work_on(self, length: int, context: CheckContext) -> int:
        return length * len(self.text) // 16

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        from rapidfuzz import fuzz

        # Rounded to whole percents like thefuzz, for which LVE's thresholds were chosen.
        similarity = round(fuzz.ratio(response, self.text)) / 100
        reason = f"similarity {similarity:.2f} (threshold {self.threshold}) to {quoted(self.text)}"
        return judged((similarity >= self.threshold) is self.match_safe, reason, similarity)
