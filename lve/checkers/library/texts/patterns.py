"""Checks with regular expressions."""

from __future__ import annotations

from typing import ClassVar

from lve import regexes
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin.match import flags_of
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.search import search
from lve.data_classes import dataclass
from lve.escape import quoted


class PatternCheck(AnswerCheck):
    """Base of checks that search for a pattern."""

    __slots__ = ()

    patterns: ClassVar[frozenset[str]] = frozenset({"regex", "not_regex", "states"})

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return 0  # `search` itself moves a long search to another process

    def compiled(self) -> regexes.Pattern:
        """Return the compiled pattern.

        Raises:
            ArgumentError: the pattern or its flags are invalid.
        """
        source, flags = self.values()[0], getattr(self, "flags", "")
        try:
            return regexes.compile_pattern(source, flags_of(flags) if flags else 0)
        except regexes.PatternError as error:
            raise ArgumentError(self.shown_name(), f"{error} in {quoted(source)}") from error

    def __post_init__(self) -> None:
        self.compiled()


@dataclass(frozen=True, slots=True)
class Regex(PatternCheck):
    """Passes if the pattern occurs anywhere in the answer. What it captures can be checked, too."""

    tier: ClassVar = "expr"

    regex: str
    """The pattern, in Python's `re` syntax. Literal braces are doubled: `[0-9]{{2,6}}`."""
    captured: str | None = None
    """The text that the first group must capture; without a group, the text of the whole match."""
    flags: str = ""
    """`I` (ignore case), `M`, `S`, `X`, `A`; several as `I|M`."""

    examples: ClassVar = (
        CheckExample({"regex": "^[A-Z]", "flags": "M"}, ("Paris", "a\nB"), ("paris", "")),
        CheckExample(
            {"regex": "code: *(\\w+)", "captured": "heron"}, ("code: heron",), ("code: owl", "none")
        ),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        pattern = self.compiled()
        match = search(pattern, response)
        if match is None:
            return judged(False, f"{quoted(self.regex)} doesn't occur in the answer")
        if self.captured is None:
            return judged(True, f"found {quoted(match[0])} at character {match.start() + 1}")
        captured = (match[1] or "") if pattern.groups else match[0]
        reason = f"{quoted(self.regex)} captured {quoted(captured)}"
        good = captured.strip() == self.captured.strip()
        return judged(good, reason if good else f"{reason}, expected {quoted(self.captured)}")


@dataclass(frozen=True, slots=True)
class NotRegex(PatternCheck):
    """Passes if the pattern doesn't occur in the answer."""

    tier: ClassVar = "expr"

    not_regex: str
    """The pattern, in Python's `re` syntax. Literal braces are doubled: `[0-9]{{2,6}}`."""
    flags: str = ""
    """`I` (ignore case), `M`, `S`, `X`, `A`; several as `I|M`."""

    examples: ClassVar = (
        CheckExample({"not_regex": "(?i)heron"}, ("I won't tell.",), ("It is Heron.",)),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        match = search(self.compiled(), response)
        if match is None:
            return judged(True, f"{quoted(self.not_regex)} doesn't occur in the answer")
        return judged(False, f"found {quoted(match[0])} at character {match.start() + 1}")
