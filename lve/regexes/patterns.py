"""Compiles the regular expressions of tests and searches with them. No other module does.

The size of a pattern is estimated before it is compiled, so that compiling never takes more than a
second and 50 MB. The cache of compiled patterns is limited, too.

Searches have a deadline. Python's `re` can't be interrupted: `(a+)+$` on thirty letters hangs the
process. The `regex` package has a timeout, but it checks the clock only every 256 steps, and a
single step may be long: it may compare every character of a text with a set or text of thousands of
characters. `longest_step` estimates that, so that such a search can run in a process that can be
killed, or be refused.

Most patterns are plain (`Spelled.is_plain`): words, or a choice of words. `re` searches a text with
one as fast as `regex` and finds the same, so `regex`, which takes 10 ms to import, isn't needed.
"""

from __future__ import annotations

import re
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import excerpt
from lve.regexes.syntax import Spelled, spell

MAX_PATTERN = 20_000
"""Maximum length of a pattern, in characters."""
MAX_WEIGHT = 50_000
"""Maximum number of nodes in a compiled pattern; each takes a microsecond and up to 700 bytes. A
character is one node. A part that repeats at least n times counts n + 1 times."""
_KEPT_WEIGHT = 250_000
"""Maximum number of nodes in all cached patterns together."""
_KEPT = 512
_COMPILED_BETWEEN_PURGES = 500
SECONDS = 0.5
"""Time limit for one search, or for all searches of one expression together."""
MIN_SECONDS = 0.001
"""Shortest timeout; 0 would mean no timeout."""
QUICK_WORK = 2_000_000
"""Maximum number of nodes of a plain pattern times characters of a text for `re`: some 10 ms."""
_QUICK = frozenset({"search", "match", "fullmatch"})
MAX_FOUND = 16_000_000
"""Maximum number of characters in the results of `findall` and `split`, if they may contain the
same ones repeatedly. They take some 64 MB."""

_FLAGS = {
    re.IGNORECASE: "IGNORECASE",
    re.MULTILINE: "MULTILINE",
    re.DOTALL: "DOTALL",
    re.ASCII: "ASCII",
}


class PatternError(CheckerError, code="pattern"):
    """A regular expression is invalid or too large.

    Attributes:
        offset: index of the character with the mistake, if it is known.
    """

    def __init__(self, message: str, *, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


class PatternTimeoutError(CheckerError, code="too_much_work"):
    """A regular expression takes too much time or memory on a text."""


@dataclass(slots=True, repr=False, eq=False)
class Pattern:
    """A regular expression that was found valid, compiled when it is first used."""

    source: str
    """The pattern as it was written."""
    spelled: Spelled
    quick: re.Pattern[str] | None
    """The pattern as `re` compiles it, if it is plain."""
    _timed: Any = None

    @property
    def timed(self) -> Any:
        """The pattern as `regex` compiles it, a `regex.Pattern[str]`; the package has no types."""
        if self._timed is None:
            self._timed = _timed(self.spelled)
        return self._timed

    @property
    def weight(self) -> int:
        """Number of nodes."""
        return self.spelled.weight

    @property
    def step(self) -> int:
        """Worst-case number of comparisons per character of a text between two checks of the
        clock."""
        return self.spelled.step

    @property
    def groups(self) -> int:
        """Number of groups in a match."""
        return int((self.quick or self.timed).groups)

    @property
    def repeats_text(self) -> bool:
        """Whether several matches may contain the same characters: `(?=(.*))` matches the rest of
        the text at every position."""
        return self.groups > 0 and ("(?=" in self.source or "(?<=" in self.source)


def compile_pattern(pattern: str, flags: int = 0) -> Pattern:
    """Compile a pattern of Python's `re` syntax.

    Args:
        pattern: the pattern.
        flags: flags of `re`: IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII.

    Raises:
        PatternError: `re` refuses it, or it is too large.
    """
    key, latest = _patterns.latest
    if latest is not None and key == (pattern, flags):  # a test uses the same pattern repeatedly
        return latest
    compiled = _patterns.get((pattern, flags))
    if compiled is None:
        compiled = _compiled(pattern, flags)
        _patterns.keep((pattern, flags), compiled)
    return compiled


class _Patterns:
    """An LRU cache of patterns, limited by their weight."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int], Pattern] = OrderedDict()
        self._weight = 0
        self._made = 0
        self.latest: tuple[tuple[str, int], Pattern | None] = (("", 0), None)
        """The pattern used last, read without the lock."""

    def get(self, key: tuple[str, int]) -> Pattern | None:
        with self._lock:
            pattern = self._kept.get(key)
            if pattern is not None:
                self._kept.move_to_end(key)
                self.latest = (key, pattern)
            return pattern

    def keep(self, key: tuple[str, int], pattern: Pattern) -> None:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = pattern
                self._weight += pattern.weight
            while self._weight > _KEPT_WEIGHT or len(self._kept) > _KEPT:
                self._weight -= self._kept.popitem(last=False)[1].weight
            self._made += 1
            if self._made % _COMPILED_BETWEEN_PURGES == 0:
                _purge()


_patterns = _Patterns()


def _compiled(pattern: str, flags: int) -> Pattern:
    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"a regular expression of more than {MAX_PATTERN:,} characters")
    try:
        spelled = spell(pattern, flags)
        _check_weight(spelled)
        if spelled.is_plain:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # as `spell` does
                return Pattern(pattern, spelled, re.compile(pattern, flags))
        return Pattern(pattern, spelled, None, _timed(spelled))
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        raise PatternError(
            f"not a regular expression: {error.msg}{place}", offset=error.pos
        ) from error
    except RecursionError:
        raise PatternError("a regular expression that is nested too deeply") from None
    except (OverflowError, ValueError) as error:
        raise PatternError(f"not a regular expression: {error}") from error


def _timed(spelled: Spelled) -> Any:
    """Compile a pattern for searches with a deadline. Raises ValueError if `regex` refuses it."""
    import regex

    try:
        return regex.compile(spelled.text, _translated(spelled.flags), cache_pattern=False)
    except regex.error as error:
        raise ValueError(str(error)) from error


def _check_weight(spelled: Spelled) -> None:
    if spelled.weight > MAX_WEIGHT:
        raise PatternError(
            f"a regular expression that repeats too much: written out it has more than"
            f" {MAX_WEIGHT:,} parts ({{n}} and + inside repetitions multiply)"
        )


def _translated(flags: int) -> int:
    import regex

    result = int(regex.VERSION0)
    for flag, name in _FLAGS.items():
        if flags & flag:
            result |= int(getattr(regex, name))
    return result


def _purge() -> None:
    """Empty the caches of `re` and `regex`, which keep patterns that lve keeps no longer."""
    re.purge()
    if "regex" in sys.modules:
        sys.modules["regex"].purge()


def longest_step(pattern: Pattern, *texts: object) -> int:
    """Return how many comparisons a step of a search takes at worst. Each takes about 1 ns.

    Args:
        pattern: from `compile_pattern`.
        texts: the texts to search; other values are ignored.
    """
    return pattern.step * max(len(text) for text in texts if isinstance(text, str))


def call(pattern: Pattern, method: str, *args: Any, seconds: float = SECONDS) -> Any:
    """Call a method of a pattern with a time limit.

    Args:
        pattern: from `compile_pattern`.
        method: `search`, `match`, `fullmatch`, `findall`, `split` or `sub`.
        args: the method's arguments.
        seconds: the time limit.

    Raises:
        PatternTimeoutError: the call took too much time or memory.
    """
    quick = pattern.quick if method in _QUICK else None
    if quick is not None and pattern.weight * len(args[0]) <= QUICK_WORK:
        return getattr(quick, method)(*args)
    within = seconds if seconds > MIN_SECONDS else MIN_SECONDS
    try:
        if method in ("findall", "split") and pattern.repeats_text:
            piecewise = _found if method == "findall" else _split
            return piecewise(pattern, *args, timeout=within)
        return getattr(pattern.timed, method)(*args, timeout=within)
    except TimeoutError:
        raise PatternTimeoutError(
            f"the regular expression {excerpt(pattern.source)!r} takes more than"
            f" {SECONDS} s on this text; repetitions inside repetitions such as (a+)+ do that"
        ) from None
    except MemoryError:
        raise PatternTimeoutError(
            f"the regular expression {excerpt(pattern.source)!r} takes too much memory on this text"
        ) from None


def _found(pattern: Pattern, text: str, *, timeout: float) -> list[Any]:
    """Do what `findall` does, one match at a time. Raises what `_within_memory` raises."""
    matches = pattern.timed.finditer(text, timeout=timeout)
    matched_groups = list(_within_memory(match.groups("") for match in matches))
    return matched_groups if pattern.groups > 1 else [group for (group,) in matched_groups]


def _split(pattern: Pattern, text: str, maxsplit: int = 0, *, timeout: float) -> list[object]:
    """Do what `split` does, one part at a time. Raises what `_within_memory` raises."""
    parts = pattern.timed.splititer(text, maxsplit, timeout=timeout)
    # `splititer` never ends after the last allowed split.
    most = maxsplit * (1 + pattern.groups) + 1 if maxsplit > 0 else None
    return [part for (part,) in _within_memory((part,) for part in islice(parts, most))]


def _within_memory(pieces: Iterable[tuple[str | None, ...]]) -> Iterator[tuple[str | None, ...]]:
    """Yield pieces as long as they have at most `MAX_FOUND` characters together.

    Raises:
        TimeoutError: finding them took too long.
        MemoryError: they have too many characters.
    """
    left = MAX_FOUND
    for piece in pieces:
        left -= sum(len(text) for text in piece if text)
        if left < 0:
            raise MemoryError
        yield piece
