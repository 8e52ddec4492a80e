"""What values and operations of JavaScript are in the language of `expression`.

Each value has a kind. Where JavaScript or Python would convert between kinds, the result is made to
be that of JavaScript, or is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from lve.extensions.importing.promptfoo.source import UnsupportedError
from lve.named_tuples import NamedTuple

Kind = Literal[
    "text",
    "number",
    "truth",
    "any",
    "texts",
    "list",
    "none",
    "pattern",
    "type",
    "truthy",
    "either",
    "global",
]
"""Kind of a value. `any` was read from JSON; `texts` is a list of texts; `type` is the operand of
`typeof`; `none` is null or undefined; `truthy` is no truth but decides as one, `either` may be
anything."""


class Value(NamedTuple):
    """A value, as an expression of Python."""

    python: str
    kind: Kind
    item: str = ""
    """If it is the body of a function: the name of its parameter."""


CONSTANTS: Mapping[str, Value] = {
    "true": Value("True", "truth"),
    "false": Value("False", "truth"),
    "null": Value("None", "none"),
    "undefined": Value("()", "none"),  # which nothing in JSON is
}
THERE = "v is not None and v != ()"
"""The condition under which a value has properties."""
_NUMERAL = r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*"
_ASTRAL = "[\\U00010000-\\U0010ffff]"
_TYPES = {
    "string": "str",
    "number": "(int, float)",
    "boolean": "bool",
    "object": "(dict, list)",
}


def each(value: str, result: str, condition: str = "") -> str:
    """Return the result for a value, which is `v` in it. Where the condition doesn't hold, the
    lambda can't be computed, as the script would throw."""
    return f"[{result} for v in [{value}]{f' if {condition}' if condition else ''}][0]"


def to_any(value: Value) -> Value:
    """Return a value that any operation of those from JSON can take."""
    if value.kind in ("text", "number", "truth", "any", "texts", "list"):
        return value._replace(kind="any")
    raise unlike_kind(value)


def to_truth(value: Value) -> Value:
    """Return whether a value counts as true."""
    python = value.python
    if value.kind == "number":
        python = each(python, "v == v and v != 0")
    elif value.kind == "text":
        python = f"({python} != '')"
    elif value.kind == "any":
        python = each(python, "v is not None and v is not False and v != 0 and v != '' and v != ()")
    elif value.kind in ("texts", "list"):
        python = "True"
    elif value.kind == "none":
        python = "False"
    elif value.kind not in ("truth", "truthy", "either"):
        raise unlike_kind(value)
    return Value(python, "truth", value.item)


def to_number(value: Value) -> str:
    """Return a value as a number, as JavaScript converts it."""
    if value.kind == "number":
        return value.python
    if value.kind not in ("any", "text"):
        raise unlike_kind(value)
    text = (
        f"float(v) if re.fullmatch({_NUMERAL!r}, v) else 0.0 if v.strip() == '' else float('nan')"
    )
    rest = (
        "float(v) if isinstance(v, (int, float)) else 0.0 if v is None or v == [] else float('nan')"
    )
    return each(value.python, f"({text}) if isinstance(v, str) else {rest}")


def joined(sign: str, left: Value, right: Value) -> Value:
    """Return the value of two operands with `||`, `&&`, a comparison, `+` or `-` between them."""
    if sign in ("&&", "||"):
        word = "and" if sign == "&&" else "or"
        kind: Kind = "either"
        if left.kind == right.kind == "truth":
            kind = "truth"
        elif right.kind in ("truth", "truthy") and sign == "&&":
            kind = "truthy"
        return Value(f"({to_truth(left).python} {word} {to_truth(right).python})", kind)
    if sign in ("===", "!==", "==", "!="):
        same = _equal(left, right, is_strict=len(sign) == 3)
        return negated(same) if sign[0] == "!" else same
    if sign in ("<", ">", "<=", ">="):
        if "number" not in (left.kind, right.kind):
            raise UnsupportedError("left out: its script compares the order of texts")
        return Value(f"({to_number(left)} {sign} {to_number(right)})", "truth")
    return computed(sign, left, right)


def computed(sign: str, left: Value, right: Value) -> Value:
    """Return the value of two operands with `+`, `-`, `*` or `/` between them."""
    if sign == "+" and left.kind == right.kind == "text":
        return Value(f"({left.python} + {right.python})", "text")
    if sign == "+" and not left.kind == right.kind == "number":
        raise UnsupportedError("left out: its script adds values of several kinds")
    return Value(f"({to_number(left)} {sign} {to_number(right)})", "number")


def negated(value: Value) -> Value:
    """Return `!value`."""
    return Value(f"(not {to_truth(value).python})", "truth")


def _equal(left: Value, right: Value, *, is_strict: bool) -> Value:
    kinds = {left.kind, right.kind}
    if "type" in kinds:
        checked, name = (left, right) if left.kind == "type" else (right, left)
        return _is_type(checked, name)
    if kinds == {"any", "none"}:
        value, nothing = (left, right) if left.kind == "any" else (right, left)
        is_nothing = f"v == {nothing.python}" if is_strict else "v is None or v == ()"
        return Value(each(value.python, is_nothing), "truth")
    if not kinds <= {"text", "number", "truth", "any"} or kinds == {"any"}:
        raise UnsupportedError("left out: its script compares values of unlike kinds")
    if len(kinds) == 1:
        return Value(f"({left.python} == {right.python})", "truth")
    if "any" not in kinds:
        if is_strict:
            return Value("False", "truth")
        raise UnsupportedError("left out: its script compares values of unlike kinds")
    if not is_strict and kinds != {"any", "text"}:
        raise UnsupportedError("left out: its script compares values of unlike kinds")
    value, other = (left, right) if left.kind == "any" else (right, left)
    if other.kind == "text":
        same = f"v == {other.python}"
        if not is_strict:
            number = f"re.fullmatch({_NUMERAL!r}, {other.python}) and float({other.python}) == v"
            same = f"bool({number}) if isinstance(v, (int, float)) else {same}"
        return Value(each(value.python, same), "truth")
    is_truth = "isinstance(v, bool)" if other.kind == "truth" else "not isinstance(v, bool)"
    return Value(each(value.python, f"{is_truth} and v == {other.python}"), "truth")


def _is_type(checked: Value, name: Value) -> Value:
    if name.python.strip("'\"") == "undefined":
        return Value(each(checked.python, "v == ()"), "truth")
    kind = _TYPES.get(name.python.strip("'\"")) if name.kind == "text" else None
    if kind is None:
        raise UnsupportedError("left out: its script asks for an unusual type")
    is_kind = f"isinstance(v, {kind})"
    if kind == "(int, float)":
        is_kind += " and not isinstance(v, bool)"
    elif name.python.strip("'\"") == "object":
        is_kind += " or v is None"
    return Value(each(checked.python, is_kind), "truth")


def member(value: Value, name: str) -> Value:
    """Return a property of a value."""
    if name == "length":
        text = f"len(v) + len(re.findall({_ASTRAL!r}, v))"  # in units of 16 bits
        if value.kind == "text":
            return Value(each(value.python, text), "number")
        if value.kind in ("texts", "list"):
            return Value(f"len({value.python})", "number")
        if value.kind == "any":
            other = "v['length'] if isinstance(v, dict) and isinstance(v.get('length'), int)"
            sizes = f"{text} if isinstance(v, str) else len(v) if isinstance(v, list) else {other}"
            sizes = f"{sizes} else float('nan')"
            return Value(each(value.python, sizes, THERE), "number")
    if value.kind != "any":
        raise UnsupportedError(f"left out: its script uses .{name} of what has no such property")
    property_ = f"v.get({name!r}, ()) if isinstance(v, dict) else ()"
    return Value(each(value.python, property_, THERE), "any")


def indexed(value: Value, index: Value) -> Value:
    """Return an element of a list, or a property of an object."""
    if value.kind == "any" and index.kind == "text":
        result = f"v.get({index.python}, ()) if isinstance(v, dict) else ()"
        return Value(each(value.python, result, THERE), "any")
    number = re.fullmatch(r"([0-9]+)\.0", index.python) if index.kind == "number" else None
    if value.kind not in ("any", "list", "texts") or number is None:
        raise UnsupportedError("left out: its script uses an unusual index")
    element = f"v[{number[1]}] if isinstance(v, (list, str)) and len(v) > {number[1]} else ()"
    return Value(each(value.python, element, THERE), "any")


def unlike_kind(value: Value) -> UnsupportedError:
    """Return the error for a value of a kind that an operation doesn't take."""
    return UnsupportedError(f"left out: its script uses {value.kind} where it needs another kind")
