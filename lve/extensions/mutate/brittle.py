"""Changes that show a brittle test: its author meant less than the check wants.

A check such as `starts_with` does what it says if an answer in bold fails. But a test that says
`starts_with: Yes` hardly means to fail it. Where a test is about the format, its `allow_changes`
says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

LONGER_NUMBER = "longer_number"
"""The change that must matter: the number that a check looks for is a part of another one."""
_LITERAL_BEGIN = re.compile(r"(?:\(\?[a-z]+\))?(?:\^|\\A)(?:\(\?:|\()*[^\W\d_]")
_FORMAT = re.compile(r"(?:\$|\\Z)$|\(\?[a-z]*m")
"""A pattern of a whole text, or of lines."""
_PATTERNS = ("regex", "RegexChecker")
_SOUGHT = ("contains", "contains_any", "contains_all", "starts_with", "ends_with")
_NUMBER = re.compile(r"\d{1,12}")
_CLASSES = re.compile(r"\\d|\[[^\]]*\d")
_LITERAL_NUMBER = re.compile(r"(?<![\\\w{,])\d{1,12}(?![\w},])")


def revealing_changes(name: str, args: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the changes that show a brittle use of a checker.

    Args:
        name: the checker's name.
        args: its arguments, as the test document has them.
    """
    if name == "starts_with":
        return ("markdown", "think", "label")
    if name in _PATTERNS:
        return _of_pattern(str(args.get("pattern", args.get(name))))
    if name in _SOUGHT and any(":" in text or "```" in text for text in _texts(args.get(name))):
        return ("label", "fence_label")
    return ()


def _of_pattern(pattern: str) -> tuple[str, ...]:
    if _FORMAT.search(pattern):
        return ()
    pattern = pattern.replace("(?:", "(")
    anchored = ("markdown", "think") if _LITERAL_BEGIN.match(pattern) else ()
    return (
        *anchored,
        *(("label",) if ":" in pattern else ()),
        *(("fence_label",) if "```" in pattern else ()),
    )


def with_longer_numbers(
    name: str, args: Mapping[str, object], row: Mapping[str, object], text: str
) -> Iterator[str]:
    """Yield an answer with another number in place of the one that a checker looks for: one that
    begins or ends with it.

    Args:
        name: the checker's name.
        args: its arguments, as the test document has them.
        row: the example's args, for placeholders.
        text: the answer.
    """
    for number in _numbers(name, args, row):
        whole = re.compile(rf"(?<![\w.,]){number}(?!\w|[.,]\d)")
        if len(_NUMBER.findall(text)) == len(whole.findall(text)) == 1:
            yield whole.sub(f"{number}7", text)
            yield whole.sub(f"7{number}", text)


def _numbers(name: str, args: Mapping[str, object], row: Mapping[str, object]) -> list[str]:
    """Return the numbers that a checker looks for as a whole text, or as a literal in a pattern."""
    if name in _PATTERNS:
        pattern = str(args.get("pattern", args.get(name)))
        return [] if _CLASSES.search(pattern) else _LITERAL_NUMBER.findall(pattern)
    texts = _texts(args.get(name)) if name in _SOUGHT else ()
    filled = [str(row.get(text[1:-1], text)) if text[:1] == "{" else text for text in texts]
    return [text for text in filled if _NUMBER.fullmatch(text)]


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [str(text) for text in values if isinstance(text, str | int)]
