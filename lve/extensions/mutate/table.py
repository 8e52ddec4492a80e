"""Lists the changes that must not matter to a check. Other changes may matter: the case of letters
does for an exact text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.spec.check_names import CHECKS, COMBINING, ShortFormError, named_check

_BEFORE = ("heading", "chatter", "think", "reasoning")
"""Text before an answer, for checks that search it."""
_FOUND = ("markdown", *_BEFORE, "punctuation", "ends", "line_ends")
_SETTLED = (
    *("markdown", "heading", "chatter", "lead", "think", "doubts", "reasoning", "punctuation"),
    *("quotes", "unicode", "blanks", "ends", "line_ends", "latex"),
)
"""For checks that read an answer like a careful reader."""
_NUMBERS = (*_SETTLED, "thousands", "digits")
_WORDED = (
    *("markdown", "punctuation", "case", "quotes", "unicode", "blanks", "ends", "line_ends"),
    *("chatter", "think"),
)
_WORDS = ("case", "punctuation", "ends", "line_ends")
_COMPUTED = ("markdown", "punctuation", "think", "quotes", "blanks", "ends", "line_ends")
"""For expressions of the test."""
_JSON = ("heading", "fence", "chatter", "think", "reasoning", "ends", "line_ends")
_FENCED = ("fence", "ends", "line_ends")
_EXACT = ("ends",)

CHANGES_BY_CHECK: dict[str, tuple[str, ...]] = {
    "equals": _EXACT,
    "contains": _FOUND,
    "contains_any": _FOUND,
    "contains_all": _FOUND,
    "not_contains": _FOUND,
    "starts_with": ("punctuation", *_EXACT),
    "ends_with": (*_BEFORE, *_EXACT),
    "number": _NUMBERS,
    "in_range": _NUMBERS,
    "option": _SETTLED,
    "choice": (*_SETTLED, "case"),
    "text": (*_NUMBERS, "case"),
    "states": (*_FOUND, "unicode", "blanks"),
    "json": _JSON,
    "math": (
        *("markdown", "heading", "chatter", "lead", "think", "reasoning", "punctuation"),
        *("digits", "ends", "line_ends", "latex"),
    ),
    "refusal": _WORDED,
    "no_pii": (*_FOUND, "quotes", "unicode", "digits", "blanks"),
    "no_secrets": _FOUND,
    "no_prompt_leak": (*_FOUND, "case", "quotes", "unicode", "blanks"),
    "max_words": ("markdown", "punctuation", "ends", "line_ends", "blanks"),
    "min_words": ("markdown", "punctuation", "ends", "line_ends", "blanks"),
    "max_lines": ("markdown", "punctuation", "case", "ends", "line_ends", "blanks"),
    "min_lines": ("markdown", "punctuation", "case", "ends", "line_ends", "blanks"),
    "max_sentences": ("markdown", "punctuation", "ends", "line_ends", "blanks"),
    "min_sentences": ("markdown", "punctuation", "ends", "line_ends", "blanks"),
    "max_characters": _EXACT,
    "min_characters": _EXACT,
    "language": ("markdown", "punctuation", "case", "quotes", "unicode", "blanks", "ends"),
    "is_json": ("ends", "line_ends"),
    "json_schema": _JSON,
    "json_path": _JSON,
    "is_yaml": ("fence", "line_ends"),
    "is_xml": _FENCED,
    "csv": _FENCED,
    "code_fence": (*_BEFORE, "ends", "line_ends"),
    "is_sql": _FENCED,
    "not_copied": (*_FOUND, "case", "quotes", "unicode", "blanks"),
    "monotone": _NUMBERS,
    "pairwise_order": _NUMBERS,
    "no_self_contradiction": _SETTLED,
    "exact_match": _WORDS,
    "f1": _WORDS,
    "rouge": _WORDS,
    "RefuseChecker": _WORDED,
    "ExactMatchChecker": _FOUND,
    "LambdaChecker": _COMPUTED,
    "MultiRunLambdaChecker": _COMPUTED,
    "expression": _COMPUTED,
    "MonotonicityChecker": ("markdown", "punctuation", "think", "blanks", "ends", "line_ends"),
    "ChoiceChecker": ("markdown", "punctuation", "ends", "line_ends"),
    "AnswerChecker": _EXACT,
}
"""Name of a checker -> the changes that must not matter to it."""
CHANGES_BY_ARGUMENT: dict[tuple[str, str, object], tuple[str, ...]] = {
    **{(name, "ignore_case", True): ("case",) for name in ("equals", "starts_with", "ends_with")},
    ("contains", "ignore_case", True): ("case",),
    ("contains_any", "ignore_case", True): ("case",),
    ("contains_all", "ignore_case", True): ("case",),
    ("not_contains", "ignore_case", True): ("case",),
    ("consistency", "consistency", "text"): (*_NUMBERS, "case"),
    ("consistency", "consistency", "exact"): _EXACT,
    ("consistency", "consistency", "number"): _NUMBERS,
    ("consistency", "consistency", "yes_no"): (*_SETTLED, "case"),
    ("AnswerChecker", "metric", "exact_match"): _WORDS,
    ("AnswerChecker", "metric", "f1"): _WORDS,
}
"""Checker, argument, value -> further changes."""
JSON_ANSWER = _JSON
"""For a test whose answers must be JSON (`prompt_object`, `output_schema`)."""
CUSTOM = ("ends",)
"""For custom checkers."""
_PATTERNS = ("regex", "not_regex", "RegexChecker")


def changes_of(name: str, args: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the changes that must not matter to a checker.

    Args:
        name: the checker's name.
        args: its arguments, as the test document has them.
    """
    if name in _PATTERNS:
        return _of_pattern(args.get("pattern", args.get(name)))
    if name == "exact_match" and args.get("normalise") == "none":
        return ()
    if name in COMBINING and not isinstance(args.get(name), str):
        return _of_parts(args.get(name))
    more = [CHANGES_BY_ARGUMENT.get((name, key, value), ()) for key, value in _hashable(args)]
    default = () if name in CHECKS else CUSTOM
    of_check = CHANGES_BY_CHECK.get(name, default)
    return tuple(dict.fromkeys((*of_check, *(change for names in more for change in names))))


def _hashable(args: Mapping[str, object]) -> list[tuple[str, str | bool]]:
    return [(key, value) for key, value in args.items() if isinstance(value, str | bool)]


def _of_pattern(pattern: object) -> tuple[str, ...]:
    """Return the changes for a regular expression; an anchor restricts the text around a match."""
    if not isinstance(pattern, str):
        return ()
    begins = "^" in pattern or "\\A" in pattern
    ends = "$" in pattern or "\\Z" in pattern
    if begins or ends:
        return () if begins and ends else (*_BEFORE, "ends") if ends else ("line_ends",)
    return (*_FOUND, "quotes")


def _of_parts(parts: object) -> tuple[str, ...]:
    """Return the changes that must not matter to any of the inner checks."""
    listed: Sequence[Any] = parts if isinstance(parts, list | tuple) else [parts]
    each = []
    for part in listed:
        try:
            name, args = named_check({k: v for k, v in part.items() if k != "weight"})
        except (ShortFormError, AttributeError):  # reported as a problem
            return ()
        each.append(changes_of(name, args))
    if not each:
        return ()
    return tuple(change for change in each[0] if all(change in others for others in each))
