"""Tells that an ordinary document is valid, without a library.

jsonschema-rs takes 7 ms to load and to read lve's schema of tests; then it takes microseconds per
document. So the first documents of a start are looked at here. What isn't certainly valid, or needs
more than these few keywords, is left to the libraries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from lve.json_types import JsonObject

Rule = Callable[[object, object, JsonObject, JsonObject], bool]
"""Returns whether a value satisfies a keyword, given its operand, the value, the schema around it
and all definitions."""
_TYPES: Mapping[str, frozenset[type]] = {
    "object": frozenset({dict}),
    "array": frozenset({list}),
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
}
_PLAIN = frozenset[type]().union(*_TYPES.values())
_WHOLE = 2**53
"""Libraries may read larger numbers as others. NaN is below no number."""


class _CannotSayError(Exception):
    """Only a library knows."""


def is_surely_valid(value: object, schema: JsonObject) -> bool:
    """Return True if a value certainly satisfies a schema of draft 2020-12."""
    definitions = schema.get("$defs", {})
    assert isinstance(definitions, dict)
    try:
        _refuse_unusual(value)
        return _holds(schema, value, definitions)
    except (_CannotSayError, RecursionError, UnicodeError, re.error):
        return False


def _refuse_unusual(value: object) -> None:
    """Raise an error for values that JSON doesn't have, or that libraries may read otherwise."""
    if type(value) not in _PLAIN:
        raise _CannotSayError
    if isinstance(value, dict):
        for key, item in value.items():
            if type(key) is not str:
                raise _CannotSayError
            _refuse_unusual(key)
            _refuse_unusual(item)
    elif isinstance(value, list):
        for item in value:
            _refuse_unusual(item)
    elif isinstance(value, str):
        value.encode()  # half a surrogate pair raises an error
    elif isinstance(value, int | float) and not abs(value) < _WHOLE:
        raise _CannotSayError


def _holds(schema: object, value: object, definitions: JsonObject) -> bool:
    if not isinstance(schema, dict):
        return schema is True
    for keyword, operand in schema.items():
        rule = _RULES.get(keyword)
        if rule is not None:
            if not rule(operand, value, schema, definitions):
                return False
        elif keyword not in _WITHOUT_EFFECT:
            raise _CannotSayError
    return True


def _type(operand: object, value: object, *_: object) -> bool:
    names = operand if isinstance(operand, list) else [operand]
    kind = type(value)
    if any(kind in _TYPES[str(name)] for name in names):
        return True
    return isinstance(value, float) and value.is_integer() and "integer" in names


def _equals(operand: object, value: object) -> bool:
    if isinstance(operand, dict | list) or isinstance(value, dict | list):
        raise _CannotSayError
    return operand == value and isinstance(operand, bool) is isinstance(value, bool)


def _properties(operand: object, value: object, _: object, definitions: JsonObject) -> bool:
    assert isinstance(operand, dict)
    return not isinstance(value, dict) or all(
        _holds(operand[name], item, definitions) for name, item in value.items() if name in operand
    )


def _more_properties(
    operand: object, value: object, schema: JsonObject, definitions: JsonObject
) -> bool:
    others = schema.get("properties", {})
    assert isinstance(others, dict)
    return not isinstance(value, dict) or all(
        _holds(operand, item, definitions) for name, item in value.items() if name not in others
    )


def _required(operand: object, value: object, *_: object) -> bool:
    assert isinstance(operand, list)
    return not isinstance(value, dict) or all(name in value for name in operand)


def _dependent(operand: object, value: object, *_: object) -> bool:
    assert isinstance(operand, dict)
    return not isinstance(value, dict) or all(
        _required(names, value) for name, names in operand.items() if name in value
    )


def _items(operand: object, value: object, _: object, definitions: JsonObject) -> bool:
    return not isinstance(value, list) or all(_holds(operand, v, definitions) for v in value)


def _unique(operand: object, value: object, *_: object) -> bool:
    if operand is not True or not isinstance(value, list) or len(value) < 2:
        return True
    if not all(isinstance(item, str) for item in value):
        raise _CannotSayError
    return len(set(value)) == len(value)


def _pattern(operand: object, value: object, *_: object) -> bool:
    assert isinstance(operand, str)
    if not isinstance(value, str):
        return True
    if not value.isascii() or "\n" in value:  # `$` and `\w` mean something else in Python
        raise _CannotSayError
    return re.search(operand, value) is not None


def _reference(operand: object, value: object, _: object, definitions: JsonObject) -> bool:
    _, is_own, name = str(operand).partition("#/$defs/")
    if not is_own or name not in definitions:
        raise _CannotSayError
    return _holds(definitions[name], value, definitions)


def _several(fits: Callable[[int, int], bool]) -> Rule:
    """Return a rule for a list of schemas; `fits` gets how many hold, and how many there are."""

    def rule(operand: object, value: object, _: object, definitions: JsonObject) -> bool:
        assert isinstance(operand, list)
        return fits(sum(_holds(part, value, definitions) for part in operand), len(operand))

    return rule


def _if(operand: object, value: object, schema: JsonObject, definitions: JsonObject) -> bool:
    branch = "then" if _holds(operand, value, definitions) else "else"
    return _holds(schema.get(branch, True), value, definitions)


def _limit(kinds: tuple[type, ...], fits: Callable[[float, float], bool]) -> Rule:
    """Return a rule for a limit of a number, or of the length of other values."""

    def rule(operand: object, value: object, *_: object) -> bool:
        assert isinstance(operand, int | float)
        if type(value) not in kinds:
            return True
        size = value if isinstance(value, int | float) else len(value)  # type: ignore[arg-type]
        return fits(size, operand)

    return rule


_NUMBERS = (int, float)
_RULES: Mapping[str, Rule] = {
    "type": _type,
    "enum": lambda operand, value, *_: any(_equals(x, value) for x in operand),
    "const": lambda operand, value, *_: _equals(operand, value),
    "properties": _properties,
    "additionalProperties": _more_properties,
    "required": _required,
    "dependentRequired": _dependent,
    "items": _items,
    "uniqueItems": _unique,
    "pattern": _pattern,
    "$ref": _reference,
    "anyOf": _several(lambda holding, _: holding > 0),
    "oneOf": _several(lambda holding, _: holding == 1),
    "allOf": _several(lambda holding, total: holding == total),
    "not": lambda operand, value, _, definitions: not _holds(operand, value, definitions),
    "if": _if,
    "minLength": _limit((str,), lambda size, limit: size >= limit),
    "maxLength": _limit((str,), lambda size, limit: size <= limit),
    "minItems": _limit((list,), lambda size, limit: size >= limit),
    "maxItems": _limit((list,), lambda size, limit: size <= limit),
    "minProperties": _limit((dict,), lambda size, limit: size >= limit),
    "maxProperties": _limit((dict,), lambda size, limit: size <= limit),
    "minimum": _limit(_NUMBERS, lambda size, limit: size >= limit),
    "maximum": _limit(_NUMBERS, lambda size, limit: size <= limit),
    "exclusiveMinimum": _limit(_NUMBERS, lambda size, limit: size > limit),
    "exclusiveMaximum": _limit(_NUMBERS, lambda size, limit: size < limit),
}
_WITHOUT_EFFECT = frozenset(
    {"$schema", "$id", "$defs", "$comment", "title", "description", "examples", "default"}
    | {"deprecated", "format", "then", "else"}
)
"""Keywords that only say something. (`then` and `else` belong to `if`.)"""
