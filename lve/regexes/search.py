"""Searches with a regular expression under a deadline.

Python's `re` can't be interrupted: `(a+)+$` on thirty letters hangs the process. The `regex`
package has a timeout, but checks the clock only every 256 steps, and one step may be long: it may
compare every character of a text with a set or a text of thousands. `stretch` estimates that, so
that such a search runs in a process that can be killed, or not at all.
"""

from __future__ import annotations

from typing import Any

from lve.errors import CheckerError
from lve.excerpt import excerpt
from lve.regexes.compile import Pattern

SECONDS = 0.5
"""Deadline of one search, or of all searches of one expression together."""
MIN_SECONDS = 0.001
"""Shortest timeout: 0 would mean none."""


class PatternTimeoutError(CheckerError):
    """A regular expression takes too long on a text."""


def stretch(pattern: Pattern, *texts: Any) -> int:
    """Return how many comparisons one step of a search takes at worst; each takes about 1 ns.

    Args:
        pattern: from `compile_pattern`.
        texts: the texts to search; other values are ignored.
    """
    return pattern.step * max(len(text) for text in texts if isinstance(text, str))


def call(pattern: Pattern, method: str, *args: Any, seconds: float = SECONDS) -> Any:
    """Call a method of a pattern under a deadline.

    Args:
        pattern: from `compile_pattern`.
        method: `search`, `match`, `fullmatch`, `findall`, `split` or `sub`.
        args: the method's arguments.
        seconds: the deadline.

    Raises:
        PatternTimeoutError: it took too long, or too much memory.
    """
    try:
        within = seconds if seconds > MIN_SECONDS else MIN_SECONDS
        return getattr(pattern.compiled, method)(*args, timeout=within)
    except TimeoutError:
        raise PatternTimeoutError(
            f"the regular expression {excerpt(pattern.source)!r} takes more than"
            f" {SECONDS} s on this text; repetitions inside repetitions such as (a+)+ do that"
        ) from None
    except MemoryError:
        raise PatternTimeoutError(
            f"the regular expression {excerpt(pattern.source)!r} takes too much memory on this text"
        ) from None
