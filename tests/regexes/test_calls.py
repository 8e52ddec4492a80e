"""Each kind of node of a pattern, as `regex` gets it (cases/recorded_calls/regexes.json)."""

from __future__ import annotations

import re

from support.recorded_calls import Calls, changed, grid, record, texts

from lve.regexes.patterns import call, compile_pattern, longest_step
from lve.regexes.syntax import spell

TEXTS_OF = texts("regexes")
PATTERNS = TEXTS_OF["patterns"]
FLAGS = (0, int(re.IGNORECASE), int(re.DOTALL | re.MULTILINE))
METHODS = ("search", "match", "fullmatch", "findall", "split")


def spelled(pattern: str, flags: int) -> object:
    """Return what `regex` gets. How Python words an error depends on its version."""
    try:
        translated = spell(pattern, flags)
    except Exception as error:
        return type(error)
    return translated._replace(flags=int(translated.flags))


def found(pattern: str, method: str) -> object:
    """Return what a method finds, as texts."""
    result = call(compile_pattern(pattern), method, "abc, bcd 12\nab cd\xe4")
    return result.span() if hasattr(result, "span") else result


def step(pattern: str, *texts: str) -> int:
    return longest_step(compile_pattern(pattern), *texts)


def replaced(pattern: str, new: str, *most: int) -> object:
    return call(compile_pattern(pattern), "sub", new, "abcabc", *most)


def all_calls() -> Calls:
    return {
        **grid(spelled, PATTERNS, FLAGS),
        **grid(found, ("b", "(b)(c)?", "", r"\w+", "[,\n]", "x", "abc.*"), METHODS),
        **grid(step, ("", "abc", "[a-f0-9]+x", "(abcd|e)\\1"), ("", "a" * 40)),
        **grid(replaced, ("b", "(b)(c)"), ("x", r"\1")),
        **grid(compile_pattern, ("a" * 20_001, "(?:a{300}){300}")),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("regexes", all_calls()) == {}


if __name__ == "__main__":
    record("regexes", all_calls())
