"""Searching with a regular expression, with a deadline.

Python's `re` can't be interrupted: `(a+)+$` on thirty letters hangs the process. The `regex`
package takes a timeout. It looks at the clock every 256 steps, and a step may be long: comparing
every character of a text with a set of thousands, or with a text of thousands. `stretch` says how
long, so that such searches are made where they can be ended, or not at all.
"""

from __future__ import annotations

from typing import Any

from lve.errors import CheckerError
from lve.excerpt import excerpt
from lve.regexes.compile import Pattern

SECONDS = 0.5
"""For one search, or all of one expression together."""


MIN_SECONDS = 0.001
"""A search with none would have no deadline."""


class PatternTimeoutError(CheckerError):
    """A regular expression takes too long on a text."""


def stretch(pattern: Pattern, *texts: Any) -> int:
    """Return how many comparisons one step of a search takes at worst: about a nanosecond each.

    Args:
        pattern: of `compile_pattern`.
        texts: the longest counts; what is no text doesn't.
    """
    return pattern.step * max(len(text) for text in texts if isinstance(text, str))


def call(pattern: Pattern, method: str, *args: Any, seconds: float = SECONDS) -> Any:
    """Call a method of a pattern within the deadline.

    Args:
        pattern: of `compile_pattern`.
        method: `search`, `match`, `fullmatch`, `findall`, `split` or `sub`.
        args: the method's.
        seconds: until it is given up.

    Raises:
        PatternTimeoutError: it took too long.
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
