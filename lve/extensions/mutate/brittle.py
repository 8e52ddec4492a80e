"""The changes that show a brittle test: its check looks for more or less than its author means."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lve.spec.check_names import COMBINING, ShortFormError, named_check

LONGER_NUMBER = "longer_number"
"""The change that must matter: the number that a check looks for is a part of another one."""
_LITERAL_BEGIN = re.compile(r"(?:\(\?[a-z]+\))?(?:\^|\\A)(?:\(\?:|\()*[^\W\d_]")
_FORMAT = re.compile(r"(?:\$|\\Z)$|\(\?[a-z]*m")
"""A pattern of a whole text, or of lines."""
_PATTERNS = ("regex", "RegexChecker")
_EXPRESSIONS = ("expression", "LambdaChecker")
_SOUGHT = ("contains", "not_contains", "contains_any", "contains_all", "starts_with", "ends_with")
_NUMBER = re.compile(
    r"(?<![\w.,])(?<!\w-)\d{1,3}(?:(?:,\d{3})+(?:\.\d+)?|\d{0,9}(?:\.\d+)?)(?!\w|[.,]\d)"
)
_DIGITS = re.compile(r"\d[\d.,]*")
_OTHER_DIGITS = str.maketrans("0123456789", "5678943213")
_CLASSES = re.compile(r"\\d|\[[^\]]*\d")
_LITERAL_NUMBER = re.compile(r"(?<![\\\w{,])\d{1,12}(?![\w},])")


def revealing_changes(name: str, args: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the changes that show a brittle use of a checker.

    Args:
        name: the checker's name.
        args: its arguments, as the test document has them.
    """
    changes = (change for part in _parts(name, args) for change in _revealing(*part))
    return tuple(dict.fromkeys(changes))


def _revealing(name: str, args: Mapping[str, object]) -> tuple[str, ...]:
    if name == "starts_with":
        return ("markdown", "think", "label")
    if name in _PATTERNS:
        return _of_pattern(str(args.get("pattern", args.get(name))))
    if name in _SOUGHT and any(
        ":" in text or "```" in text for text in _sought_texts(args.get(name))
    ):
        return ("label", "fence_label")
    return ()


def _parts(name: str, args: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield a checker's name and arguments, or those of the checks that it combines."""
    value = args.get(name)
    if name not in COMBINING or isinstance(value, str):
        yield name, args
        return
    listed: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
    for part in listed:
        try:
            inner = named_check({key: v for key, v in part.items() if key != "weight"})
        except (ShortFormError, AttributeError):  # reported as a problem
            continue
        yield from _parts(*inner)


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


def number_changes(
    name: str, args: Mapping[str, object], row: Mapping[str, object], text: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield an answer with another number in place of the one that a checker looks for, and those
    with numbers that begin or end with it.

    Args:
        name: the checker's name.
        args: its arguments, as the test document has them.
        row: the example's args, for placeholders.
        text: the answer.
    """
    numbers = [*_NUMBER.finditer(text)]
    if len(numbers) != 1 or len(_DIGITS.findall(text)) != 1:
        return
    number, (start, end) = numbers[0][0], numbers[0].span()
    if number in {sought for part in _parts(name, args) for sought in _numbers(*part, row)}:
        ends = (
            f"{number},567" if "," in number and "." not in number else f"{number}7",
            f"7{number}",
        )
        others = [text[:start] + other + text[end:] for other in ends]
        yield text[:start] + number.translate(_OTHER_DIGITS) + text[end:], tuple(others)


def _numbers(name: str, args: Mapping[str, object], row: Mapping[str, object]) -> list[str]:
    """Return the numbers in the texts that a checker looks for, or literal in its pattern."""
    if name in _PATTERNS:
        pattern = str(args.get("pattern", args.get(name)))
        return [] if _CLASSES.search(pattern) else _LITERAL_NUMBER.findall(pattern)
    if name in _EXPRESSIONS:
        texts = _compared_texts(str(args.get("func", args.get(name))), row)
    else:
        texts = _sought_texts(args.get(name)) if name in _SOUGHT else []
    filled = [str(row.get(text[1:-1], text)) if text[:1] == "{" else text for text in texts]
    return [number for text in filled for number in _NUMBER.findall(text)]


def _compared_texts(code: str, row: Mapping[str, object]) -> list[str]:
    """Return the texts that an expression looks for: `'18' in r`, `str(n) in r`."""
    try:
        tree = ast.parse(code.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # reported as a problem
        return []
    sought = [
        node.left
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
    ]
    inner = [part for node in sought for part in ast.walk(node)]
    texts = [n.value for n in inner if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [*texts, *(str(row[n.id]) for n in inner if isinstance(n, ast.Name) and n.id in row)]


def _sought_texts(value: object) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [str(text) for text in values if isinstance(text, str | int)]
