"""The `re` module of expressions: every call has a deadline."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lve.checkers.expression import regexes
from lve.checkers.expression.meter import MAX_TEXT, Meter
from lve.checkers.limits import LimitError
from lve.regexes import MAX_PATTERN, Pattern

_CALL_COST = 8
"""Units of a call besides its seconds, for the memory of a match."""


def _finder(method: str) -> Callable[..., Any]:
    def find(meter: Meter, pattern: str, string: str, flags: int = 0) -> Any:
        meter.charge(_CALL_COST)
        compiled = _compiled(meter, pattern, string, flags)
        if method == "findall":
            _charge_groups(meter, compiled, string)
        return meter.made(regexes.call(compiled, method, string, meter=meter))

    return find


def _split(meter: Meter, pattern: str, string: str, maxsplit: int = 0, flags: int = 0) -> Any:
    meter.charge(_CALL_COST)
    compiled = _compiled(meter, pattern, string, flags)
    _charge_groups(meter, compiled, string)
    return meter.made(regexes.call(compiled, "split", string, maxsplit, meter=meter))


def _sub(meter: Meter, pattern: str, repl: str, string: str, count: int = 0, flags: int = 0) -> Any:
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
    return meter.made(regexes.call(compiled, "sub", repl, string, count, meter=meter))


def _escape(meter: Meter, pattern: str) -> str:
    return str(meter.made(re.escape(pattern)))


def _charge_groups(meter: Meter, compiled: Pattern, string: str) -> None:
    """Charge for matches, each group of which may contain the whole match."""
    if compiled.groups > 1:
        meter.text_size(compiled.groups * len(string))


def _compiled(meter: Meter, pattern: Any, string: Any, flags: int) -> Pattern:
    if not isinstance(pattern, str) or not isinstance(string, str):
        wrong = string if isinstance(pattern, str) else pattern
        raise TypeError(f"re works on text, not {type(wrong).__name__}")
    return regexes.compile_pattern(meter, pattern, int(flags))


RE_FUNCTIONS: dict[str, Callable[..., Any]] = {
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
