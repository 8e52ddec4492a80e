"""The names of the checks that ship with lve, and the short form that names one of them.

`{contains: Paris, ignore_case: true}` is the checker `contains` with these two arguments: one key
is the name of a checker and has its main value, the other keys are its further arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.suggest import did_you_mean

CHECK_KEYS = ("check", "checks", "checker_args", "checkers")
"""The keys of a test that name checkers; a test has one of them."""
_LIBRARY: dict[str, tuple[str, ...]] = {
    "text": (
        "equals", "contains", "contains_any", "contains_all", "not_contains", "starts_with",
        "ends_with",
    ),
    "number": ("number", "in_range"),
    "choice": ("option", "choice"),
    "answer_text": ("text",),
    "json_value": ("json",),
    "math_answer": ("math",),
    "refusing": ("refusal",),
    "private": ("no_pii", "no_secrets", "no_prompt_leak"),
    "patterns": ("regex", "not_regex"),
    "lengths": (
        "max_characters", "min_characters", "max_words", "min_words", "max_lines", "min_lines",
        "max_sentences", "min_sentences", "language",
    ),
    "structured": ("is_json", "json_schema", "json_path", "is_yaml", "is_xml", "csv", "code_fence"),
    "overlap": ("levenshtein", "exact_match", "f1", "rouge", "bleu", "chrf"),
    "measured": ("max_latency", "max_first_token", "max_output_tokens", "finish_reason"),
    "computed": ("expression",),
    "meta": ("all", "any", "not", "weighted"),
}  # fmt: skip
"""Module in `lve/checkers/library/` -> the checks in it."""
CHECKS = {name: module for module, names in _LIBRARY.items() for name in names}
"""Name of a check -> its module in `lve/checkers/library/`."""


class ShortFormError(ValueError):
    """An object of the short form names no checker, or several.

    Attributes:
        hint: what to do about it.
    """

    def __init__(self, message: str, hint: str | None) -> None:
        super().__init__(message)
        self.hint = hint


def named_check(given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of a checker and its arguments.

    The only key of an object may also name any other checker. Then its value has the arguments:
    `{RegexChecker: {pattern: Paris, match_safe: true}}`.

    Args:
        given: an object in the short form.

    Raises:
        ShortFormError: it names no checker, or several.
    """
    named = [key for key in given if key in CHECKS]
    if len(named) == 1:
        return named[0], dict(given)
    if named:
        lines = ", ".join(f"{{{name}: ...}}" for name in named)
        hint = f"list them: `checks: [{lines}]`"
        raise ShortFormError(f"names several checkers: {', '.join(named)}", hint)
    if len(given) == 1:
        ((name, value),) = given.items()
        return name, dict(value) if isinstance(value, Mapping) else {}
    hints = (did_you_mean(key, CHECKS) for key in list(given)[:10])
    hint = next(filter(None, hints), "`lve list checkers` lists them")
    raise ShortFormError("names no checker", hint)
