"""Turns the arguments of a test document into a built-in checker, and explains what is wrong with
them."""

from __future__ import annotations

import ast
import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

from lve.check_names import CHECKS
from lve.checkers.contract import Part
from lve.documents.json_types import json_type
from lve.documents.places import JsonPath
from lve.errors import CheckerError
from lve.suggest import did_you_mean

CheckerT = TypeVar("CheckerT")


class ArgumentError(CheckerError, code="argument"):
    """An argument of a checker is wrong.

    Attributes:
        argument: its name, None if one is missing.
        hint: what to do about it.
        inside: where the checker stands in another one's argument.
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
        """Return the same error for a checker that stands in another one's argument."""
        inside = (*path, *self.inside)
        return ArgumentError(
            self.argument, str(self), hint=self.hint, inside=inside, code=self.code
        )


class ArgumentErrors(Exception):
    """Everything that is wrong with one checker's arguments."""

    def __init__(self, errors: list[ArgumentError]) -> None:
        super().__init__("; ".join(map(str, errors)))
        self.errors = errors


def argument_errors(
    kind: type, args: Mapping[str, Any], *, placeholders: frozenset[str] = frozenset()
) -> list[ArgumentError]:
    """Return what is wrong with the names and types of arguments.

    Args:
        kind: a built-in checker.
        args: from the test document.
        placeholders: names of arguments whose value is only known when an instance fills them.
    """
    fields, hints = fields_of(kind), type_hints_of(kind)
    errors = [_unknown(kind, name, fields) for name in args if name not in fields]
    for name, field in fields.items():
        if name in args and name not in placeholders:
            errors += _type_errors(name, args[name], hints[name])
        elif name not in args and is_required(field):
            errors.append(
                ArgumentError(
                    None,
                    f"{_shown(kind)} needs the argument '{name}' ({spelled(hints[name])})",
                    code="missing_argument",
                )
            )
    return errors


def build(kind: type[CheckerT], args: Mapping[str, Any]) -> CheckerT:
    """Return the checker.

    Raises:
        ArgumentError: an argument is unknown, missing or wrong.
    """
    errors = argument_errors(kind, args)
    if errors:
        raise errors[0]
    plain: type = kind
    names, hints = _field_names(plain), type_hints_of(plain)
    return kind(**{names[name]: _value(v, hints[name]) for name, v in args.items()})


def _value(value: Any, hint: object) -> Any:
    return tuple(value) if isinstance(value, list) and hint is not object else value


def argument_name(field: str) -> str:
    """Return the name of an argument in a test document: `not_` is `not`, which Python takes."""
    return field.rstrip("_")


def made_as_far_as_possible(
    kind: type, args: Mapping[str, Any], make: Callable[[Mapping[str, Any]], CheckerT]
) -> tuple[CheckerT | None, list[ArgumentError]]:
    """Make a checker from those of its arguments that can be used, to learn all that is wrong with
    their values: a wrong argument must not hide another one.

    Args:
        kind: a built-in checker.
        args: the arguments whose names and types are right. Required ones that are missing get an
            empty value.
        make: makes the checker, or raises ArgumentError.

    Returns:
        The checker, if there is one without the wrong values; what is wrong with them.
    """
    errors: list[ArgumentError] = []
    usable = dict(args)
    hints = type_hints_of(kind)
    required = [name for name, field in fields_of(kind).items() if is_required(field)]
    while True:
        empty = {name: _empty(hints[name]) for name in required if name not in usable}
        try:
            return make({**usable, **empty}), errors
        except ArgumentError as error:
            if error.argument in usable:
                errors.append(error)
                del usable[error.argument]
                continue
            # Otherwise the empty values may be to blame.
            return None, errors if errors or empty else [error]


def is_required(field: dataclasses.Field[Any]) -> bool:
    """Return whether an argument of a built-in checker has to be given."""
    return field.default is field.default_factory is dataclasses.MISSING


_EMPTY: dict[Any, Any] = {str: "", int: 0, float: 0.0, bool: False, tuple: (), Mapping: {}}


def _empty(hint: Any) -> Any:
    """Return the emptiest value of a type that arguments have."""
    origin = get_origin(hint)
    if origin is Literal:
        return get_args(hint)[0]
    if origin in (typing.Union, types.UnionType):
        return _empty(get_args(hint)[0])
    return _EMPTY.get(origin or hint)


def converted(kind: type, name: str, text: str) -> Any:
    """Return an argument after an instance filled it: the text, or the number or boolean it
    spells."""
    hint = type_hints_of(kind).get(name, str)
    if _matches(text, hint):
        return text
    try:
        return ast.literal_eval(text.strip().capitalize() if hint is bool else text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


@cache
def fields_of(kind: type) -> dict[str, dataclasses.Field[Any]]:
    """Return the arguments of a built-in checker."""
    return {argument_name(f.name): f for f in dataclasses.fields(kind) if f.init}


@cache
def _field_names(kind: type) -> dict[str, str]:
    return {name: field.name for name, field in fields_of(kind).items()}


@cache
def type_hints_of(kind: type) -> dict[str, Any]:
    """Return the types of the arguments of a built-in checker."""
    # Working out annotations takes longer than most checks.
    return {argument_name(name): hint for name, hint in typing.get_type_hints(kind).items()}


def _unknown(kind: type, name: str, fields: Mapping[str, Any]) -> ArgumentError:
    hint = did_you_mean(name, fields) or f"it takes {', '.join(fields) or 'no arguments'}"
    message = f"{_shown(kind)} has no argument '{name}'"
    return ArgumentError(name, message, hint=hint, code="unknown_argument")


def _shown(kind: Any) -> str:
    return str(kind.shown_name()) if hasattr(kind, "shown_name") else str(kind.__name__)


def _type_errors(name: str, value: object, hint: object) -> list[ArgumentError]:
    if _matches(value, hint):
        return []
    has_name = value is None or isinstance(value, bool)  # null, true, false
    shown = json_type(value) if has_name or len(repr(value)) > 60 else repr(value)
    is_plain = hint is str and isinstance(value, int | float) and not has_name
    meant = f'in quotes it is one: "{value}"' if is_plain else _of_several(name, value)
    return [ArgumentError(name, f"'{name}' is {spelled(hint)}, not {shown}", hint=meant)]


def _of_several(name: str, value: object) -> str | None:
    """Return the checks that take several of what this one takes one of, as a hint."""
    several = [one for one in (f"{name}_any", f"{name}_all") if one in CHECKS]
    if not several or not isinstance(value, list | tuple):
        return None
    return f"{' and '.join(f'`{one}`' for one in several)} take a list"


def _matches(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_matches(value, option) for option in get_args(hint))
    if origin is Literal:
        return any(value == option and type(value) is type(option) for option in get_args(hint))
    if origin is tuple:
        return isinstance(value, list | tuple) and all(
            _matches(element, get_args(hint)[0]) for element in value
        )
    if hint is object:
        return True
    if hint is Part:
        return isinstance(value, Mapping) or hasattr(value, "check_fully")
    if origin is Mapping:
        return isinstance(value, Mapping)
    if isinstance(value, bool):
        return hint is bool
    if hint is float:
        return isinstance(value, int | float)
    return isinstance(value, hint)


_SPELLED = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
    object: "a JSON value",
    Part: "a check such as {contains: Paris}",
    Mapping: "an object",
}


def spelled(hint: Any) -> str:
    """Return the type of an argument in words."""
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(spelled(option) for option in get_args(hint))
    if origin is Literal:
        return "one of " + ", ".join(repr(option) for option in get_args(hint))
    if origin is tuple:
        return f"a list ({spelled(get_args(hint)[0])} each)"
    return _SPELLED.get(origin or hint, str(hint))
