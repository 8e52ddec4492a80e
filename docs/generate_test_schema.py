"""Writes the checkers into schemas/test.schema.json, and lve's version into the addresses of all
schemas (`make docs`). A test fails if one is stale."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from lve.checkers.answer_selection import ALL, TRANSCRIPT
from lve.checkers.arguments import fields_of, is_required, type_hints_of
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.by_name import BUILTIN_CHECKERS, load_builtin
from lve.checkers.contract import InnerCheck
from lve.checkers.describe import Description, describe
from lve.checkers.extract.extractors import ALIASES, EXTRACTORS, FILTERS
from lve.checkers.library.combined.meta import Combining
from lve.documents.validation.schema import schema_address
from lve.spec.check_names import CHECKS

SCHEMA = Path(__file__).parents[1] / "schemas" / "test.schema.json"
EVERYWHERE = {
    "on": "Which answers are judged: the variable of an answer, a list of variables, `all` answers,"
    " or the whole `transcript`. By default the last answer.",
    "extract": "Judges only a part of the answer, such as `boxed` or `last-number`.",
}
"""Arguments that every check takes."""
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
MAX_LINE = 160


def schema() -> str:
    """Return the schema of test documents with the current checkers."""
    definitions = {
        "check": _check_definition(),
        "checker": _checker_definition(),
        "on": {
            "description": EVERYWHERE["on"],
            "anyOf": [
                {"type": "string", "examples": [ALL, TRANSCRIPT]},
                {"type": "array", "minItems": 1, "items": {"type": "string"}},
            ],
        },
        "extract": _extract_definition(),
    }
    members = _written(definitions, "  ").removeprefix("{\n").removesuffix("\n  }")
    text = SCHEMA.read_text(encoding="utf-8")
    start = text.index('    "check": {\n', text.index('"$defs"'))
    end = text.index('    "tag": {\n', start)
    return f"{text[:start]}{members},\n{text[end:]}"


def _written(value: Any, indent: str) -> str:
    """Return JSON with short values on one line, because indenting everything doubles the file."""
    line = json.dumps(value, ensure_ascii=False)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if len(indent) + len(line) <= MAX_LINE or not any(isinstance(x, dict | list) for x in inside):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        parts = [f"{inner}{_written(one, inner)}" for one in value]
        return "[\n" + ",\n".join(parts) + f"\n{indent}]"
    parts = [f"{inner}{json.dumps(key)}: {_written(one, inner)}" for key, one in value.items()]
    return "{\n" + ",\n".join(parts) + f"\n{indent}}}"


def _check_definition() -> dict[str, object]:
    """Return the schema of the short form.

    It has a form for each checker, so that editors know its arguments, and offers all names before
    one is written. An unknown name is that of a checker with an object of arguments.
    """
    forms = {name: _form(name, _arguments(name), _needed(name)) for name in CHECKS}
    for name in BUILTIN_CHECKERS:
        own = {"type": "object", "additionalProperties": False, **_object_of(name)}
        given = {name: {"description": _described(name).summary, **own}}
        forms[name] = _form(name, given | _on(name), [name])
    places = {
        name: {"$ref": f"#/$defs/check/then/anyOf/{number}/properties/{name}"}
        for number, name in enumerate(forms)
    }
    return {
        "description": "The name of a checker with its main value, and its further arguments:"
        " `{contains: Paris, ignore_case: false}`.",
        "type": "object",
        "minProperties": 1,
        "if": {"type": "object", "not": {"propertyNames": {"not": {"enum": list(forms)}}}},
        "then": {"anyOf": list(forms.values())},
        "else": {
            "maxProperties": 2,
            "properties": {**places, "on": {"$ref": "#/$defs/on"}},
            "additionalProperties": {
                "description": "A checker of the test's folder, of the workspace or of a plugin.",
                "type": ["object", "null"],
                "errorMessage": "No check of lve has this name. A checker of your own takes an"
                " object with its arguments.",
            },
        },
    }


def _checker_definition() -> dict[str, object]:
    """Return the schema of the long form, in which `checker_name` decides the arguments."""
    forms: list[object] = []
    for name in BUILTIN_CHECKERS:
        own = _object_of(name)
        named = {"checker_name": {"description": _described(name).summary}}
        form = _form(name, {**named, **own["properties"], **_on(name)}, own["required"])
        is_it = {"required": ["checker_name"], "properties": {"checker_name": {"const": name}}}
        forms.append({"if": is_it, "then": form})
    return {
        "description": "A checker and its arguments.",
        "type": "object",
        "required": ["checker_name"],
        "properties": {
            "checker_name": {
                "description": "Name of the checker, such as `RegexChecker`.",
                "type": "string",
                "minLength": 1,
                "examples": [*BUILTIN_CHECKERS, *CHECKS],
            },
            "on": {"$ref": "#/$defs/on"},
        },
        "allOf": forms,
    }


def _class(name: str) -> type[BuiltinChecker]:
    kind = load_builtin(name)
    assert kind is not None, name
    return kind


def _on(name: str) -> dict[str, Any]:
    return {"on": {"$ref": "#/$defs/on"}} if _class(name).takes_on else {}


def _form(name: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "title": name,
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


def _object_of(name: str) -> dict[str, Any]:
    """Return the schema of an object with a checker's arguments."""
    arguments = _arguments(name)
    arguments.pop("on", None)
    return {"properties": arguments, "required": _needed(name)}


def _needed(name: str) -> list[str]:
    return [n for n, field in fields_of(_class(name)).items() if is_required(field)]


def _arguments(name: str) -> dict[str, Any]:
    """Return argument -> schema for a checker."""
    check, kind = _described(name), _class(name)
    hints = type_hints_of(kind)
    found: dict[str, Any] = {}
    for number, one in enumerate(check.arguments):
        summary = check.summary if check.is_check and number == 0 else one.description
        found[one.name] = {"description": summary, **_typed(kind, one.name, hints[one.name])}
        if one.default is not ...:
            found[one.name]["default"] = one.default
        given = [e.check[one.name] for e in check.examples if one.name in e.check]
        if given and "enum" not in found[one.name]:
            found[one.name]["examples"] = [v for n, v in enumerate(given) if v not in given[:n]]
    return {**found, **_on(name), "extract": {"$ref": "#/$defs/extract"}}


def _typed(kind: type[BuiltinChecker], name: str, hint: object) -> dict[str, Any]:
    """Return the schema of an argument. A text with a placeholder may stand for any value."""
    options = _options(hint)
    if kind.combines and name == kind.shown_name():
        for key in kind.outer_keys if issubclass(kind, Combining) else ():
            options = [_with_outer_key(options[0], key)]
    elif not any(one.get("type") == "string" or one == {} for one in options):
        options.append({"type": "string", "pattern": r"\{"})
    return options[0] if len(options) == 1 else {"anyOf": options}


def _with_outer_key(checks: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the schema of a list of checks that may have a key of the combining check's."""
    with_key = {
        "type": "object",
        "required": [key],
        "minProperties": 2,
        "properties": {key: {"description": f"Its {key}, 1 by default.", "type": "number"}},
    }
    return {**checks, "items": {"anyOf": [checks["items"], with_key]}}


def _options(hint: Any) -> list[dict[str, Any]]:
    """Return the schemas of a type's values."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return [one for option in get_args(hint) for one in _options(option)]
    if origin is Literal:
        return [{"enum": list(get_args(hint))}]
    if origin is tuple:
        items = _options(get_args(hint)[0])
        return [{"type": "array", "items": items[0] if len(items) == 1 else {"anyOf": items}}]
    if hint is object:
        return [{}]
    if hint is InnerCheck:
        return [{"$ref": "#/$defs/check"}]
    if origin is Mapping:
        return [{"type": "object"}]
    return [{"type": TYPES[hint]}]


def _extract_definition() -> dict[str, object]:
    names = [
        {"enum": [*EXTRACTORS, *FILTERS]},
        {"enum": list(ALIASES)},
        {"type": "string", "pattern": r"^(opencompass|ais_bench)\."},
    ]
    with_arguments = {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"description": "Its name.", "anyOf": names}},
    }
    several = {"type": "array", "items": {"$ref": "#/$defs/extract"}}
    return {
        "description": EVERYWHERE["extract"],
        "anyOf": [*names, with_arguments, several, {"type": "null"}],
    }


def _described(name: str) -> Description:
    found = describe(name)
    assert found is not None
    return found


def addressed(file: Path) -> str:
    """Return a schema file's text with the address for this version of lve."""
    address = schema_address(file.name.removesuffix(".schema.json"))
    return re.sub(r'"\$id": "[^"]*"', f'"$id": "{address}"', file.read_text("utf-8"), count=1)


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
    for file in SCHEMA.parent.glob("*.schema.json"):
        file.write_text(addressed(file), encoding="utf-8")
