"""What each check is for promptfoo, with one argument more or of another kind."""

from __future__ import annotations

from typing import Any

from support.recorded_calls import Calls, changed, grid, record

from lve.extensions.exporting.promptfoo_checks import (
    ASKING,
    NATIVE,
    Variables,
    assertion_of,
    literal,
    quoted,
)

TEXTS: tuple[Any, ...] = (
    "a", "\u00c4", "file://a.txt", "{x} y", "{{x}}", "", ["a", "b {x}"], ["a", "file://b"], [], 7,
    True,
)  # fmt: skip
MORE: tuple[dict[str, Any], ...] = (
    {}, {"ignore_case": True}, {"ignore_case": False}, {"threshold": 0.5}, {"flags": "i"},
    {"flags": "IGNORECASE"}, {"ignore_case": True, "threshold": 0.5},
)  # fmt: skip
PATTERNS = (
    *("a+", "^a$", r"a\$", "[$]$", "(?P<x>a)", "(?i)a", r"\Aa\Z", "a{2}", "{x}", "a|b$", r"\d+"),
    *("(?<=a)b", "a++", "(?>a)", r"\N{DIGIT ONE}", "(?#note)a", "(?(1)a|b)"),
)
FLAGS = ("", "i", "m", "s", "x", "IGNORECASE", "MULTILINE", "DOTALL", "IGNORECASE|MULTILINE", "A")
INNER: tuple[Any, ...] = (
    [{"contains": "a"}, {"not_contains": "b"}], [{"contains": "a", "weight": 2}, {"equals": "b"}],
    {"contains": "a"}, {"name": "x"}, [{"checker_name": "x"}], [], {}, "a", [{}],
    [{"all": [{"any": [{"starts_with": "a"}]}]}], {"not": {"ends_with": "a"}},
)  # fmt: skip
NAMES = ("equals", "contains_all", "not_contains", "starts_with", "ends_with", "is_json", "number")


def assertion(name: str, value: object, more: dict[str, Any]) -> object:
    variables = Variables()
    return assertion_of(name, {name: value, **more}, variables), variables.row({"x": "X"})


def pattern(name: str, value: object, flags: str) -> object:
    return assertion_of(name, {name: value, "flags": flags}, Variables())


def all_calls() -> Calls:
    names = dict.fromkeys((*ASKING, *NATIVE, *NAMES))
    return {
        **grid(assertion, names, TEXTS, MORE[:1]),
        **grid(assertion, names, ("a", "\u00c4", ["a", "b"]), MORE[1:]),
        **grid(assertion, ("all", "any", "not", "weighted"), INNER, MORE[::3]),
        **grid(pattern, ("regex", "not_regex"), PATTERNS, ("", "MULTILINE")),
        **grid(pattern, ("regex",), ("a$",), FLAGS),
        **grid(literal, ("a", "{{x}}", "{x}", "{%", "a{#", "}}")),
        **grid(quoted, ("a", "'", '"', "\\", "\n", "\u2028", "</script>", "`${x}`")),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("exporting", all_calls()) == {}


if __name__ == "__main__":
    record("exporting", all_calls())
