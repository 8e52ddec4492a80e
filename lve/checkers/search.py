"""Searches texts with a test's regular expressions, within the limits of a judgement."""

from __future__ import annotations

import re

from lve import regexes
from lve.checkers.judging_limits import ACTIVE, LimitError


def check_stretch(pattern: regexes.Pattern, *texts: object) -> None:
    """Refuse a search that may miss its deadline, unless this process can be killed.

    Raises:
        LimitError: the search may miss its deadline.
    """
    limits = ACTIVE.limits
    if not limits.are_final and regexes.longest_step(pattern, *texts) > limits.stretch:
        raise LimitError("a large regular expression on a long text")


def search(pattern: regexes.Pattern, text: str, start: int = 0) -> re.Match[str] | None:
    """Return the first match of `pattern` in `text` from a place on, or None. One of the package
    `regex` has the same methods as one of `re`.

    Raises:
        LimitError: the search takes too long.
    """
    limits = ACTIVE.limits
    if pattern.step * len(text) > limits.stretch:
        check_stretch(pattern, text)
    try:
        match: re.Match[str] | None = regexes.call(
            pattern, "search", text, start, seconds=limits.regex_seconds
        )
    except regexes.PatternTimeoutError as error:
        raise LimitError(str(error)) from None
    return match


def replaced(pattern: str, text: str, by: str = "") -> str:
    """Return a text in which `by`, as it is written, stands for every match of a pattern.

    Raises:
        LimitError: that takes too long.
    """
    compiled = regexes.compile_pattern(pattern)
    check_stretch(compiled, text)
    seconds = ACTIVE.limits.regex_seconds
    try:
        return str(regexes.call(compiled, "sub", lambda match: by, text, seconds=seconds))
    except regexes.PatternTimeoutError as error:
        raise LimitError(str(error)) from None
