"""Checks the placeholders in a checker's texts: `{name}` must be a name that an instance has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lve.checkers.arguments import ArgumentError, first_errors
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.names import LATE, ArgNames, placeholder_names
from lve.errors import PlaceholderError
from lve.suggest import did_you_mean


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
