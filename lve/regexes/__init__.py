"""Regular expressions from tests: limited in size before compiling, searched with a deadline."""

from lve.regexes.compile import MAX_PATTERN, MAX_WEIGHT, Pattern, PatternError, compile_pattern
from lve.regexes.search import SECONDS, PatternTimeoutError, call, stretch

__all__ = [
    "MAX_PATTERN",
    "MAX_WEIGHT",
    "SECONDS",
    "Pattern",
    "PatternError",
    "PatternTimeoutError",
    "call",
    "compile_pattern",
    "stretch",
]
