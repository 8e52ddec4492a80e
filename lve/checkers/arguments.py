"""Makes a built-in checker from the arguments in a test document, and explains invalid ones."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import islice
from typing import Any, Literal, TypeVar, get_args, get_origin

from lve.checkers.contract import InnerCheck
from lve.documents.position_types import JsonPath
from lve.errors import CheckerError
from lve.json_types import json_type
from lve.limits.effort import checkpoint
from lve.limits.problems import MAX_PROBLEMS
from lve.spec.check_names import CHECKS
from lve.suggest import did_you_mean

CheckerT = TypeVar("CheckerT")


class ArgumentError(CheckerError, code="argument"):
    """An argument of a checker is invalid or missing.

    Attributes:
        argument: the name of the invalid argument; None if one is missing.
        hint: how to fix it.
        inside: path to the checker inside another checker's argument; empty at the top level.
    """

    def __init__(
        self,
        argument: str | None,
        message: str,
        *,
        hint: str | None = None,
        inside: JsonPath = (),
        code: str | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.argument = argument
        self.hint = hint
        self.inside = inside

    def within(self, path: JsonPath) -> ArgumentError:
        """Return the same error for a checker at `path` in another checker's argument."""
        inside = (*path, *self.inside)
        return ArgumentError(
            self.argument, str(self), hint=self.hint, inside=inside, code=self.code
        )


class ArgumentErrors(Exception):
    """All errors of one checker's arguments."""

    def __init__(self, errors: list[ArgumentError]) -> None:
        super().__init__("; ".join(map(str, errors)))
        self.errors = errors


def first_errors(errors: Iterable[ArgumentError]) -> list[ArgumentError]:
    """Return the first `MAX_PROBLEMS` errors, and one more that says so if there are others.

    Args:
        errors: the errors; a lazy iterable is read no further than needed.
    """
    described = list(islice(errors, MAX_PROBLEMS + 1))
    if len(described) > MAX_PROBLEMS:
        described[MAX_PROBLEMS:] = [
            ArgumentError(None, "more arguments are wrong than these", code="more_problems")
        ]
    return described


def argument_errors(
    kind: type, args: Mapping[str, object], *, placeholders: frozenset[str] = frozenset()
) -> list[ArgumentError]:
    """Return the errors in the names and types of arguments.

    Args:
        kind: the class of a built-in checker.
        args: its arguments, from the test document.
        placeholders: names of arguments whose values are unknown until an instance fills them.
    """
    fields, hints = fields_of(kind), type_hints_of(kind)
    unknown = (name for name in args if name not in fields)
    errors = first_errors(_unknown(kind, name, fields) for name in unknown)
    for name, field in fields.items():
        if name in args and name not in placeholders:
            errors += _type_errors(name, args[name], hints[name])
        elif name not in args and is_required(field):
            errors.append(
                ArgumentError(
                    None,
                    f"{_shown(kind)} needs the argument '{name}' ({type_in_words(hints[name])})",
                    code="missing_argument",
                )
            )
    return errors


def build(kind: type[CheckerT], args: Mapping[str, object]) -> CheckerT:
    """Return a checker of class `kind` with these arguments.

    Raises:
        ArgumentError: an argument is unknown, missing or invalid.
    """
    errors = argument_errors(kind, args)
    if errors:
        raise errors[0]
    plain: type = kind
    names, hints = _field_names(plain), type_hints_of(plain)
    return kind(**{names[name]: _value(v, hints[name]) for name, v in args.items()})


def _value(value: object, hint: object) -> object:
    return tuple(value) if isinstance(value, list) and hint is not object else value


def check_threshold(value: float) -> None:
    """Check a threshold that every answer would reach at 0.

    Raises:
        ArgumentError: `value` is not above 0 and at most 1.
    """
    if not 0 < value <= 1:
        message = f"'threshold' is more than 0 and at most 1, not {value:g}"
        raise ArgumentError("threshold", message)


def argument_name(field: str) -> str:
    """Return the name of a field in test documents: `not` for `not_`, as Python reserves `not`."""
    return field.rstrip("_")


def build_collecting_errors(
    kind: type, args: Mapping[str, object], make: Callable[[Mapping[str, object]], CheckerT]
) -> tuple[CheckerT | None, list[ArgumentError]]:
    """Make a checker from its valid arguments and collect the errors of the invalid ones, so that
    one error doesn't hide the next.

    Args:
        kind: the class of a built-in checker.
        args: the arguments with valid names and types. Missing required ones get empty values.
        make: makes the checker, or raises ArgumentError.

    Returns:
        The checker, None if it can't be made without the invalid arguments; and the errors.
    """
    errors: list[ArgumentError] = []
    usable = dict(args)
    hints = type_hints_of(kind)
    required = [name for name, field in fields_of(kind).items() if is_required(field)]
    while True:
        checkpoint("checking the arguments of its checkers")
        empty = {name: _empty(hints[name]) for name in required if name not in usable}
        try:
            return make({**usable, **empty}), errors
        except ArgumentError as error:
            if error.argument in usable:
                errors.append(error)
                del usable[error.argument]
                continue
            # The empty values may be the cause: then the error says nothing about the arguments.
            return None, errors if errors or empty else [error]


def is_required(field: dataclasses.Field[object]) -> bool:
    """Return whether an argument of a built-in checker is required."""
    return field.default is field.default_factory is dataclasses.MISSING


_EMPTY: dict[Any, Any] = {str: "", int: 0, float: 0.0, bool: False, tuple: (), Mapping: {}}


def _empty(hint: object) -> object:
    """Return an empty value of an argument type: "", 0, the first of several literals."""
    origin = get_origin(hint)
    if origin is Literal:
        return get_args(hint)[0]
    if origin in (typing.Union, types.UnionType):
        return _empty(get_args(hint)[0])
    return _EMPTY.get(origin or hint)


@cache
def fields_of(kind: type) -> dict[str, dataclasses.Field[object]]:
    """Return name -> field of the arguments of a built-in checker."""
    return {argument_name(f.name): f for f in dataclasses.fields(kind) if f.init}


@cache
def _field_names(kind: type) -> dict[str, str]:
    return {name: field.name for name, field in fields_of(kind).items()}


@cache
def type_hints_of(kind: type) -> dict[str, object]:
    """Return name -> type of the arguments of a built-in checker."""
    # Cached, as resolving annotations takes longer than most checks.
    return {argument_name(name): hint for name, hint in typing.get_type_hints(kind).items()}


def _unknown(kind: type, name: str, fields: Mapping[str, object]) -> ArgumentError:
    hint = did_you_mean(name, fields) or f"it takes {', '.join(fields) or 'no arguments'}"
    message = f"{_shown(kind)} has no argument '{name}'"
    return ArgumentError(name, message, hint=hint, code="unknown_argument")


def _shown(kind: Any) -> str:
    return str(kind.shown_name()) if hasattr(kind, "shown_name") else str(kind.__name__)


def _type_errors(name: str, value: object, hint: object) -> list[ArgumentError]:
    if matches(value, hint):
        return []
    has_name = value is None or isinstance(value, bool)  # null, true, false
    written = json_type(value) if has_name or len(repr(value)) > 60 else repr(value)
    is_plain = hint is str and isinstance(value, int | float) and not has_name
    advice = f'in quotes it is one: "{value}"' if is_plain else _list_check_hint(name, value)
    return [ArgumentError(name, f"'{name}' is {type_in_words(hint)}, not {written}", hint=advice)]


def _list_check_hint(name: str, value: object) -> str | None:
    """Return a hint if `value` is a list that another check takes: `contains_any` for
    `contains`."""
    checks = [check for check in (f"{name}_any", f"{name}_all") if check in CHECKS]
    if not checks or not isinstance(value, list | tuple):
        return None
    return f"{' and '.join(f'`{check}`' for check in checks)} take a list"


def matches(value: Any, hint: Any) -> bool:
    """Return whether a value has the type of an argument."""
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(matches(value, option) for option in get_args(hint))
    if origin is Literal:
        return any(value == option and type(value) is type(option) for option in get_args(hint))
    if origin is tuple:
        return isinstance(value, list | tuple) and all(
            matches(element, get_args(hint)[0]) for element in value
        )
    if hint is object:
        return True
    if hint is InnerCheck:
        return isinstance(value, Mapping) or hasattr(value, "check_fully")
    if origin is Mapping:
        return isinstance(value, Mapping)
    if isinstance(value, bool):
        return hint is bool
    if hint is float:
        return isinstance(value, int | float)
    return isinstance(value, hint)


_TYPE_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
    object: "a JSON value",
    InnerCheck: "a check such as {contains: Paris}",
    Mapping: "an object",
}


def type_in_words(hint: Any) -> str:
    """Return the type of an argument in words."""
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(type_in_words(option) for option in get_args(hint))
    if origin is Literal:
        return "one of " + ", ".join(repr(option) for option in get_args(hint))
    if origin is tuple:
        return f"a list ({type_in_words(get_args(hint)[0])} each)"
    return _TYPE_WORDS.get(origin or hint, str(hint))
