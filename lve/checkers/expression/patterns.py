"""The `re` module of expressions. All calls of an evaluation share its time limit."""

from __future__ import annotations

import re
import time

from lve import regexes
from lve.checkers.expression.arithmetic import Metered
from lve.checkers.expression.meter import MAX_TEXT, Meter
from lve.checkers.judging_limits import REGEX_SECONDS, LimitError
from lve.checkers.search import check_stretch
from lve.regexes import MAX_PATTERN, Pattern, PatternTimeoutError

_CALL_COST = 8
"""Units of a call in addition to its time, for the memory of a match."""
_UNITS_PER_CHARACTER = 16
_UNITS_PER_NODE = 2
"""The cost of compiling a pattern, which takes about 8 microseconds per character and one per
node."""


def _finder(method: str) -> Metered:
    def find(meter: Meter, pattern: str, string: str, flags: int = 0) -> object:
        meter.charge(_CALL_COST)
        compiled = _compiled(meter, pattern, string, flags)
        if method == "findall":
            _charge_groups(meter, compiled, string)
        return meter.made(_called(meter, compiled, method, string))

    return find


def _split(meter: Meter, pattern: str, string: str, maxsplit: int = 0, flags: int = 0) -> object:
    meter.charge(_CALL_COST)
    compiled = _compiled(meter, pattern, string, flags)
    _charge_groups(meter, compiled, string)
    return meter.made(_called(meter, compiled, "split", string, maxsplit))


def _sub(
    meter: Meter, pattern: str, repl: str, string: str, count: int = 0, flags: int = 0
) -> object:
    if not isinstance(repl, str):
        raise TypeError("re.sub() replaces by text here")
    meter.charge(_CALL_COST)
    if "\\" in repl and len(repl) > MAX_PATTERN:
        raise LimitError(f"re.sub() replaces by more than {MAX_PATTERN:,} characters with groups")
    # A group may repeat the whole text at every place where the pattern matches.
    groups = repl.count("\\") * len(string)
    if (len(repl) + groups) * (len(string) + 1) > MAX_TEXT * 10:
        meter.text_size(MAX_TEXT + 1)
    compiled = _compiled(meter, pattern, string, flags)
    return meter.made(_called(meter, compiled, "sub", repl, string, count))


def _escape(meter: Meter, pattern: str) -> str:
    return str(meter.made(re.escape(pattern)))


def _charge_groups(meter: Meter, compiled: Pattern, string: str) -> None:
    """Charge for matches with groups. Each group may contain the whole match."""
    if compiled.groups > 1:
        meter.text_size(compiled.groups * len(string))


def _compiled(meter: Meter, pattern: object, string: object, flags: int) -> Pattern:
    """Return the compiled pattern. Each pattern is charged once per evaluation."""
    if not isinstance(pattern, str) or not isinstance(string, str):
        wrong = string if isinstance(pattern, str) else pattern
        raise TypeError(f"re works on text, not {type(wrong).__name__}")
    flags = int(flags)
    if meter.patterns is None:
        meter.patterns = set()
    if (pattern, flags) not in meter.patterns:
        meter.charge(len(pattern) * _UNITS_PER_CHARACTER)
        meter.patterns.add((pattern, flags))
        meter.charge(regexes.compile_pattern(pattern, flags).weight * _UNITS_PER_NODE)
    return regexes.compile_pattern(pattern, flags)


def _called(meter: Meter, pattern: Pattern, method: str, *args: object) -> object:
    """Call a method of a pattern within the evaluation's remaining time.

    Raises:
        LimitError: the call takes too long.
    """
    check_stretch(pattern, *args)
    start = time.perf_counter()
    try:
        result = regexes.call(pattern, method, *args, seconds=meter.seconds)
    except PatternTimeoutError as error:
        raise LimitError(str(error)) from None
    meter.seconds -= time.perf_counter() - start
    if meter.seconds < 0:
        raise LimitError(f"regular expressions take more than {REGEX_SECONDS} s")
    return result


RE_FUNCTIONS: dict[str, Metered] = {
    "escape": _escape,
    "findall": _finder("findall"),
    "fullmatch": _finder("fullmatch"),
    "match": _finder("match"),
    "search": _finder("search"),
    "split": _split,
    "sub": _sub,
}

RE_FLAGS: dict[str, int] = {
    name: int(getattr(re, name))
    for name in (
        *("A", "ASCII", "I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE"),
    )
}
