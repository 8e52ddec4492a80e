"""What methods, functions and patterns of JavaScript are in the language of `expression`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from lve.extensions.importing.promptfoo.scripts.values import (
    THERE,
    Kind,
    Value,
    each,
    to_any,
    to_number,
    to_truth,
    unlike_kind,
)
from lve.extensions.importing.promptfoo.source import UnsupportedError


def pattern_of(pattern: str, flags: str) -> str:
    """Return a regular expression as the arguments of `re.search` without the text.

    Raises:
        UnsupportedError: Python would read it differently.
    """
    if set(flags) - set("gimsu") or re.search(
        r"\(\?[<P]|\\[^dwsDWnrt.\\/()\[\]{}+*?|^$\-\"' b]", pattern
    ):
        raise UnsupportedError("left out: its regular expression may mean something else in Python")
    if "b" in re.findall(r"\\(.)", pattern) or re.search(r"\\[DW]|\[[^\]]*\\[sdw]", pattern):
        raise UnsupportedError("left out: its regular expression may mean something else in Python")
    text = re.sub(r"\\(.)|(\$)", _of_pattern, pattern)
    named = [f"re.{flag.upper()}" for flag in "ims" if flag in flags]
    if "m" in flags and "$" in pattern:
        raise UnsupportedError("left out: its regular expression may mean something else in Python")
    return repr(text) + (f", {' | '.join(named)}" if named else "")


def _of_pattern(match: re.Match[str]) -> str:
    if match[2]:
        return r"\Z"
    return {"d": "[0-9]", "w": "[A-Za-z0-9_]", "/": "/"}.get(match[1], match[0])


def _search(pattern: str, text: str) -> str:
    expression, _, flags = pattern.rpartition(", re.")
    if not expression:
        return f"(re.search({pattern}, {text}) is not None)"
    return f"(re.search({expression}, {text}, re.{flags}) is not None)"


def called(value: Value, name: str, arguments: Sequence[Value]) -> Value:
    """Return the result of a method or function.

    Raises:
        UnsupportedError: it isn't one of those that mean the same in Python.
    """
    kinds = [argument.kind if not argument.item else "function" for argument in arguments]
    if value.kind == "pattern" and name == "test" and kinds in (["text"], ["any"]):
        text = arguments[0].python
        if kinds == ["any"]:
            special = "{None: 'null', (): 'undefined', True: 'true', False: 'false'}"
            other = f"{special}[v] if v is None or isinstance(v, (tuple, bool)) else str(v)"
            text = each(
                text, f"v if isinstance(v, str) else {other}", "not isinstance(v, (dict, list))"
            )
        return Value(_search(value.python, text), "truth")
    if value.kind == "global":
        return _of_function(name, arguments)
    if (
        value.kind in ("text", "any")
        and name in _TEXT_METHODS
        and kinds == ["text"] * (name in _WITH_TEXT)
    ):
        return _TEXT_METHODS[name](value, arguments)
    if value.kind in ("texts", "list", "any") and kinds == ["function"] and name in _EACH:
        return _of_each(value, name, arguments[0])
    if value.kind == "texts" and name == "includes" and kinds == ["text"]:
        return Value(f"({arguments[0].python} in {value.python})", "truth")
    raise UnsupportedError(f"left out: its script calls {name}, and lambdas may have no equal")


def _as_text(value: Value) -> str:
    if value.kind == "text":
        return value.python
    return each(value.python, "v", "isinstance(v, str)")


def _method(python: str, kind: Kind) -> Callable[[Value, Sequence[Value]], Value]:
    def make(value: Value, arguments: Sequence[Value]) -> Value:
        shown = ", ".join(argument.python for argument in arguments)
        return Value(f"{_as_text(value)}.{python}({shown})", kind)

    return make


def _includes(value: Value, arguments: Sequence[Value]) -> Value:
    if value.kind == "text":
        return Value(f"({arguments[0].python} in {value.python})", "truth")
    is_in = f"{arguments[0].python} in v"
    return Value(each(value.python, is_in, "isinstance(v, (str, list))"), "truth")


def _split(value: Value, arguments: Sequence[Value]) -> Value:
    if arguments[0].python in ("''", '""') or not re.match("['\"]", arguments[0].python):
        raise UnsupportedError("left out: its script splits a text in an unusual way")
    return Value(f"{_as_text(value)}.split({arguments[0].python})", "texts")


_TEXT_METHODS: Mapping[str, Callable[[Value, Sequence[Value]], Value]] = {
    "includes": _includes,
    "startsWith": _method("startswith", "truth"),
    "endsWith": _method("endswith", "truth"),
    "split": _split,
    "toLowerCase": _method("lower", "text"),
    "toUpperCase": _method("upper", "text"),
    "toString": lambda value, _: Value(_as_text(value), "text"),
    "trim": _method("strip", "text"),
}
_WITH_TEXT = ("includes", "startsWith", "endsWith", "split")
_EACH = ("some", "every", "filter", "map")


def _of_each(value: Value, name: str, body: Value) -> Value:
    items = value.python
    if value.kind == "any":
        items = each(items, "v", "isinstance(v, list)")
    if name in ("some", "every"):
        quantifier = "any" if name == "some" else "all"
        python = f"{quantifier}([{to_truth(body).python} for {body.item} in {items}])"
        return Value(python, "truth")
    if name == "filter":
        python = f"[{body.item} for {body.item} in {items} if {to_truth(body).python}]"
        return Value(python, "texts" if value.kind == "texts" else "list")
    kind: Kind = "texts" if body.kind == "text" else "list"
    return Value(f"[{to_any(body).python} for {body.item} in {items}]", kind)


def _of_function(name: str, arguments: Sequence[Value]) -> Value:
    if not arguments or any(argument.item for argument in arguments):
        raise UnsupportedError(f"left out: its script calls {name} in an unusual way")
    if name in ("Math.max", "Math.min") and len(arguments) > 1:
        word = name.removeprefix("Math.")
        return Value(f"{word}({', '.join(map(to_number, arguments))})", "number")
    if len(arguments) > 1:
        raise UnsupportedError(f"left out: its script calls {name} in an unusual way")
    return FUNCTIONS[name](arguments[0])


def _numeral(pattern: str) -> Callable[[Value], Value]:
    def make(value: Value) -> Value:
        if value.kind not in ("text", "any"):
            return Value(to_number(value), "number")
        start = f"(re.match({pattern!r}, str(v)) or ['', 'nan'])[1]"
        return Value(each(value.python, f"float({start})"), "number")

    return make


def _math(python: str) -> Callable[[Value], Value]:
    return lambda value: Value(python.format(to_number(value)), "number")


def _parsed(value: Value) -> Value:
    if value.kind not in ("text", "any"):
        raise unlike_kind(value)
    return Value(f"json.loads({_as_text(value)})", "any")


FUNCTIONS: Mapping[str, Callable[[Value], Value]] = {
    "Array.isArray": lambda value: Value(f"isinstance({to_any(value).python}, list)", "truth"),
    "Boolean": to_truth,
    "JSON.parse": _parsed,
    "Math.abs": _math("abs({})"),
    "Math.ceil": _math("math.ceil({})"),
    "Math.floor": _math("math.floor({})"),
    "Math.max": _math("{}"),
    "Math.min": _math("{}"),
    "Math.round": _math("math.floor({} + 0.5)"),
    "Number": lambda value: Value(to_number(value), "number"),
    "Object.keys": lambda value: Value(
        each(
            to_any(value).python,
            "list(v.keys()) if isinstance(v, dict) else "
            "[str(i) for i in range(len(v))] if isinstance(v, (list, str)) else []",
            THERE,
        ),
        "texts",
    ),
    "parseFloat": _numeral(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"),
    "parseInt": _numeral(r"\s*([+-]?[0-9]+)"),
}
"""Function -> what it makes of a value."""
