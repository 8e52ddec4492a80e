"""Searches a text for a pattern of a test, within the limits of a judgement."""

from __future__ import annotations

from typing import Any

from lve import regexes
from lve.checkers.limits import HELD, LimitError


def check_stretch(pattern: regexes.Pattern, *texts: Any) -> None:
    """Refuse a search that may miss its deadline, unless this is the process that can be ended.

    Raises:
        LimitError: it may, and this is not that process.
    """
    limits = HELD.limits
    if not limits.are_final and regexes.stretch(pattern, *texts) > limits.stretch:
        raise LimitError("a large regular expression on a long text")


def search(pattern: regexes.Pattern, text: str) -> Any:
    """Return the first match of a pattern, None if there is none.

    Raises:
        LimitError: it takes too long.
    """
    limits = HELD.limits
    if pattern.step * len(text) > limits.stretch:
        check_stretch(pattern, text)
    try:
        return regexes.call(pattern, "search", text, seconds=limits.regex_seconds)
    except regexes.PatternTimeoutError as error:
        raise LimitError(str(error)) from None
