"""The placeholders in a checker's texts: `{name}` must be a name that an instance has; its value is
put into arguments as what it is, a list, a number or a text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from lve.checkers.arguments import ArgumentError, first_errors, matches, type_hints_of
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.usable_names import (
    LATE,
    ArgNames,
    Slot,
    inserted_list,
    only_placeholder,
    placeholder_names,
)
from lve.errors import PlaceholderError
from lve.prompts.fill import fill
from lve.prompts.size import CharacterBudget
from lve.suggest import did_you_mean


class RowText(str):
    """A text of a list in an instance: no template."""

    __slots__ = ()


def with_lists(
    value: str | list[object], values: Mapping[str, object], budget: CharacterBudget
) -> object:
    """Return an argument with the elements of a list in the place of its placeholder, or each of
    them inside its text.

    Raises:
        PromptError: a value has no place in a text, or the texts get too long for the budget.
    """
    elements: list[object] = []
    for element in [value] if isinstance(value, str) else value:
        name = only_placeholder(element)
        is_text = name is None and isinstance(element, str)
        name = inserted_list(str(element), values) if is_text else name
        items = None if name is None else values.get(name)
        if not isinstance(items, list):
            elements.append(element)
            continue
        for item in items:
            new = fill(str(element), {**values, str(name): item}) if is_text else item
            budget.take(len(new) if isinstance(new, str) else 0)
            elements.append(RowText(new) if isinstance(new, str) else new)
    return value if elements == [value] else elements


def slots_of(
    kind: type[BuiltinChecker], args: Mapping[str, Any], open_texts: frozenset[str]
) -> frozenset[Slot]:
    """Return the texts of a checker that instances fill.

    Args:
        kind: the class of a built-in checker.
        args: its arguments.
        open_texts: the names of those with placeholders.
    """
    return frozenset(
        Slot(kind.shown_name(), text, _takes(kind, name))
        for name in open_texts
        for text in (args[name] if isinstance(args[name], list) else [args[name]])
        if isinstance(text, str)
    )


def _takes(kind: type, name: str) -> tuple[type, ...]:
    hint = type_hints_of(kind).get(name, str)
    takes_list = matches(["a"], hint) or matches([1.5], hint)
    return (*((list,) if takes_list else ()), *((dict,) if matches({"a": 1}, hint) else ()))


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


def placeholder_errors(
    args: Mapping[str, Any],
    templates: frozenset[str],
    arg_names: ArgNames | None,
    kind: type[BuiltinChecker] = BuiltinChecker,
) -> list[ArgumentError]:
    """Return what is wrong with the placeholders in a checker's texts.

    Args:
        args: the checker's arguments.
        templates: the names of the text arguments to fill.
        arg_names: as for `template_names`.
        kind: the checker.
    """
    errors = []
    for name in sorted(templates):
        try:
            names = [*dict.fromkeys(placeholder_names(args[name]))]
        except PlaceholderError as error:
            errors.append(ArgumentError(name, str(error)))
            continue
        if arg_names is not None:
            errors += first_errors(_errors_of(name, names, arg_names, answers=kind.takes_answers))
    if arg_names is not None and not kind.fills_objects:
        errors += first_errors(_unfilled(args, arg_names))
    return errors


def _unfilled(args: Mapping[str, Any], arg_names: ArgNames) -> Iterator[ArgumentError]:
    """Yield an error for each text inside an object that is only a placeholder: lve fills texts and
    lists of texts, and an answer would be compared with the placeholder itself."""
    pending: list[tuple[str, Any]] = [
        (name, value) for name, value in args.items() if isinstance(value, dict)
    ]
    while pending:
        argument, value = pending.pop()
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list):
                pending.append((argument, inner))
            elif isinstance(inner, str) and inner[:1] == "{" and inner[1:-1] in arg_names:
                hint = "an `expression` can compare it: `json.loads(r)['a'] == value`"
                message = f"{inner} isn't filled inside an object"
                yield ArgumentError(argument, message, hint=hint)


def _errors_of(
    argument: str, names: list[str], arg_names: ArgNames, *, answers: bool
) -> Iterator[ArgumentError]:
    """Yield an error for each placeholder that can't be filled."""
    for name in names:
        if name in arg_names:
            continue
        if not arg_names.is_late(name):
            hint = did_you_mean(name, sorted(arg_names.names))
            yield ArgumentError(
                argument,
                f"{{{name}}} names no {arg_names.noun}, and no turn's variable",
                hint=hint or "write {{ and }} for braces that are meant literally",
                code="unknown_variable",
            )
        elif name not in LATE and not answers:
            message = f"{{{name}}} is an answer, which must not instruct the judge"
            hint = "the judge gets the answers that `on` names, marked as such"
            yield ArgumentError(argument, message, hint=hint)
