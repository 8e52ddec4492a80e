"""Regular expressions from tests: limited in size before compiling, searched with a deadline."""

from lve.regexes.patterns import (
    MAX_PATTERN,
    MAX_WEIGHT,
    SECONDS,
    Pattern,
    PatternError,
    PatternTimeoutError,
    call,
    compile_pattern,
    longest_step,
)

__all__ = [
    "MAX_PATTERN",
    "MAX_WEIGHT",
    "SECONDS",
    "Pattern",
    "PatternError",
    "PatternTimeoutError",
    "call",
    "compile_pattern",
    "longest_step",
]
