"""Regular expressions with a deadline.

Python's `re` can't be interrupted: `(a+)+$` on thirty letters hangs the process. The `regex`
package takes a timeout. Patterns are checked by `re` first (its rules and messages count), then
spelled so that `regex` reads them in the same way.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache
from typing import Any

from lve.checkers.expression.limits import REGEX_SECONDS, LimitError, Meter
from lve.errors import CheckerError

Compiled = Any
"""A `regex.Pattern[str]`; the package brings no types."""

MAX_PATTERN = 20_000
"""Characters."""

_FLAGS = {
    re.IGNORECASE: "IGNORECASE",
    re.MULTILINE: "MULTILINE",
    re.DOTALL: "DOTALL",
    re.VERBOSE: "VERBOSE",
    re.ASCII: "ASCII",
}
_QUANTIFIER = re.compile(r"\{(\d+(,\d*)?|,\d*)\}")


class PatternError(CheckerError):
    """A regular expression that can't be used.

    Attributes:
        offset: index of the character where it goes wrong, where that is known.
    """

    def __init__(self, message: str, *, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


@lru_cache(maxsize=512)
def compile_pattern(pattern: str, flags: int = 0) -> Compiled:
    """Compile a pattern of Python's `re` syntax.

    Args:
        pattern: as for `re.compile`.
        flags: of `re`: IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII.

    Raises:
        PatternError: `re` refuses it.
    """
    import warnings

    import regex

    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"a regular expression of more than {MAX_PATTERN:,} characters")
    with warnings.catch_warnings():
        # `[[` and the like: a warning of what may change in a future Python
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern, flags)
            return regex.compile(_respell(pattern), _translated(flags))
        except re.error as error:
            place = "" if error.pos is None else f" at character {error.pos + 1}"
            raise PatternError(
                f"not a regular expression: {error.msg}{place}", offset=error.pos
            ) from error
        except (regex.error, OverflowError, RecursionError, ValueError) as error:
            raise PatternError(f"not a regular expression: {error}") from error


def _translated(flags: int) -> int:
    import regex

    result = int(regex.VERSION0)
    for flag, name in _FLAGS.items():
        if flags & flag:
            result |= int(getattr(regex, name))
    return result


def _respell(pattern: str) -> str:
    """Escape what only `regex` gives a meaning: `a{e<=1}` (fuzzy) and `[[:alpha:]]` (POSIX)."""
    out: list[str] = []
    in_class = False
    i = 0
    while i < len(pattern):
        character = pattern[i]
        width = 1
        if pattern.startswith("\\N{", i):
            width = pattern.index("}", i) + 1 - i
        elif character == "\\":
            width = 2
        elif in_class:
            in_class = character != "]"
            character = "\\[" if character == "[" else character
        elif character == "[":
            in_class = True
            # a `]` that comes first belongs to the class
            width = len(re.match(r"\[\^?\]?", pattern[i:]).group())  # type: ignore[union-attr]
        elif character == "{" and not _QUANTIFIER.match(pattern, i):
            character = "\\{"
        out.append(pattern[i : i + width] if width > 1 else character)
        i += width
    return "".join(out)


def call(pattern: Compiled, method: str, *args: Any, meter: Meter | None = None) -> Any:
    """Call a method of a pattern within the deadline.

    Args:
        pattern: of `compile_pattern`.
        method: `search`, `match`, `fullmatch`, `findall`, `split` or `sub`.
        args: the method's.
        meter: whose remaining seconds count; a full `REGEX_SECONDS` without one.

    Raises:
        LimitError: it took too long.
    """
    seconds = REGEX_SECONDS if meter is None else meter.seconds
    start = time.perf_counter()
    try:
        result = getattr(pattern, method)(*args, timeout=max(seconds, 0.001))
    except TimeoutError:
        raise LimitError(
            f"the regular expression {_shortened(pattern.pattern)} takes more than"
            f" {REGEX_SECONDS} s on this text; repetitions inside repetitions such as (a+)+"
            " do that"
        ) from None
    if meter is not None:
        meter.seconds = seconds - (time.perf_counter() - start)
        if meter.seconds < 0:
            raise LimitError(f"regular expressions take more than {REGEX_SECONDS} s")
    return result


def _shortened(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 60 else pattern[:57] + "...")
