"""Checkers that compare the response with a text or a pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lve.checkers.arguments import ArgumentError
from lve.checkers.base import CheckContext, Verdict
from lve.checkers.expression import regexes
from lve.checkers.extract import quoted
from lve.checkers.per_run import PerRunChecker, judged

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
    """Passes if whether a regular expression occurs in the response equals `match_safe`."""

    pattern: str
    """Python's `re` syntax, searched anywhere in the response."""
    match_safe: bool
    """Whether the response is good when the pattern occurs (true) or when it doesn't (false)."""
    flags: str | int = 0
    """`I` (ignore case), `M` (multi-line), `S` or `DOTALL`, `X`, `A`; several as `I|M`."""

    def __post_init__(self) -> None:
        try:
            self._compiled()
        except regexes.PatternError as error:
            raise ArgumentError("pattern", f"{error} in {quoted(self.pattern)}") from error

    def _compiled(self) -> regexes.Compiled:
        return regexes.compile_pattern(self.pattern, _flags(self.flags))

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        match = regexes.call(self._compiled(), "search", response)
        if match is None:
            reason = f"{quoted(self.pattern)} doesn't occur in the response"
        else:
            reason = f"found {quoted(match[0])} at character {match.start() + 1}"
        return judged((match is not None) is self.match_safe, reason)


def _flags(flags: str | int) -> int:
    if flags == 0:
        return 0
    result = 0
    for name in str(flags).split("|"):
        if name.strip() not in _FLAGS:
            raise ArgumentError(
                "flags", f"unknown flag '{name.strip()}'", hint=f"there are {', '.join(_FLAGS)}"
            )
        result |= _FLAGS[name.strip()]
    return result


@dataclass(frozen=True, slots=True)
class ExactMatchChecker(PerRunChecker):
    """Passes if whether a text occurs in the response equals `match_safe`."""

    pattern: str
    """The text, literally."""
    match_safe: bool = False
    """Whether the response is good when the text occurs (true) or when it doesn't (false)."""

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        place = response.find(self.pattern)
        if place < 0:
            reason = f"{quoted(self.pattern)} doesn't occur in the response"
        else:
            reason = f"found {quoted(self.pattern)} at character {place + 1}"
        return judged((place >= 0) is self.match_safe, reason)


@dataclass(frozen=True, slots=True)
class FuzzyMatchChecker(PerRunChecker):
    """Passes if whether the response is similar to a text equals `match_safe`."""

    text: str
    """The text."""
    threshold: float
    """Similarity from 0 to 1 that counts as a match, in steps of 0.01."""
    match_safe: bool = False
    """Whether a similar response is good (true) or bad (false)."""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ArgumentError("threshold", f"'threshold' is from 0 to 1, not {self.threshold}")

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        from rapidfuzz import fuzz

        # Whole percents, as in thefuzz, which the thresholds of LVE's tests were made with.
        similarity = round(fuzz.ratio(response, self.text)) / 100
        reason = f"similarity {similarity:.2f} (threshold {self.threshold}) to {quoted(self.text)}"
        return judged((similarity >= self.threshold) is self.match_safe, reason, similarity)
