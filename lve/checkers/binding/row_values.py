"""Puts values of an instance into a checker's arguments as what they are: lists, numbers, texts."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from lve.checkers.arguments import matches, type_hints_of
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.names import REFERENCE, only_placeholder


class RowText(str):
    """A text of a list in an instance: no template."""

    __slots__ = ()


def with_lists(value: str | list[object], values: Mapping[str, object]) -> object:
    """Return an argument with the elements of a list in the place of its placeholder."""
    elements: list[object] = []
    for element in [value] if isinstance(value, str) else value:
        name = only_placeholder(element)
        items = None if name is None else values.get(name)
        if isinstance(items, list):
            elements += [RowText(item) if isinstance(item, str) else item for item in items]
        else:
            elements.append(element)
    return value if elements == [value] else elements


def single_values(
    kind: type[BuiltinChecker], args: Mapping[str, Any], open_texts: frozenset[str]
) -> frozenset[tuple[str, str]]:
    """Return the checker's name with each name of a value that takes the place of an argument that
    can't be a list.

    Args:
        kind: the class of a built-in checker.
        args: its arguments.
        open_texts: the names of those with placeholders.
    """
    texts = [args[name] for name in open_texts if not _takes_list(kind, name)]
    names = {name for text in texts if (name := only_placeholder(text)) is not None}
    return frozenset((kind.shown_name(), name) for name in names - {REFERENCE})


def _takes_list(kind: type, name: str) -> bool:
    hint = type_hints_of(kind).get(name, str)
    return matches(["a"], hint) or matches([1.5], hint)


def row_value(kind: type, name: str, value: Any) -> object:
    """Return an argument's value from what an instance filled in: texts for the numbers of a list
    that takes only texts, and a number or boolean for a text where the argument takes one."""
    if not isinstance(value, list):
        return _parsed(kind, name, value)
    if matches(value, type_hints_of(kind).get(name, str)):
        return value
    return [str(v) if isinstance(v, int | float) and not isinstance(v, bool) else v for v in value]


def _parsed(kind: type, name: str, text: str) -> object:
    """Return the value of an argument from its filled text: the text itself, or the number or
    boolean that it spells where the argument takes one."""
    hint = type_hints_of(kind).get(name, str)
    if matches(text, hint):
        return text
    try:
        return ast.literal_eval(text.strip().capitalize() if hint is bool else text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
