"""Metered regular expressions: all those of one evaluation share its seconds."""

from __future__ import annotations

import time
from typing import Any

from lve.checkers.expression.meter import Meter
from lve.checkers.limits import REGEX_SECONDS, LimitError
from lve.checkers.search import check_stretch
from lve.regexes import Pattern, PatternTimeoutError
from lve.regexes import call as call_pattern
from lve.regexes import compile_pattern as compile_any_pattern

_UNITS_PER_CHARACTER = 16
_UNITS_PER_NODE = 2
"""What compiling costs: some 8 microseconds per character and one per node."""


def compile_pattern(meter: Meter, pattern: str, flags: int) -> Pattern:
    """Compile a pattern; an evaluation pays for each of its patterns once.

    Raises:
        PatternError: it can't be used.
        LimitError: the evaluation has used too many.
    """
    if meter.patterns is None:
        meter.patterns = set()
    if (pattern, flags) not in meter.patterns:
        meter.charge(len(pattern) * _UNITS_PER_CHARACTER)
        meter.patterns.add((pattern, flags))
        meter.charge(compile_any_pattern(pattern, flags).weight * _UNITS_PER_NODE)
    return compile_any_pattern(pattern, flags)


def call(pattern: Pattern, method: str, *args: Any, meter: Meter) -> Any:
    """Call a method of a pattern within the evaluation's remaining seconds.

    Args:
        pattern: of `compile_pattern`.
        method: `search`, `match`, `fullmatch`, `findall`, `split` or `sub`.
        args: the method's.
        meter: whose remaining seconds count.

    Raises:
        LimitError: it took too long.
    """
    check_stretch(pattern, *args)
    start = time.perf_counter()
    try:
        result = call_pattern(pattern, method, *args, seconds=meter.seconds)
    except PatternTimeoutError as error:
        raise LimitError(str(error)) from None
    meter.seconds -= time.perf_counter() - start
    if meter.seconds < 0:
        raise LimitError(f"regular expressions take more than {REGEX_SECONDS} s")
    return result
