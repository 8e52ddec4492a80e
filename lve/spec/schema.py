"""Validating documents against `schemas/`.

The JSON Schemas are the source of truth of every file format. Two libraries read them. jsonschema
has the last word and its errors become our messages. It takes some 60 ms to import and a fraction
of a millisecond per document, too much for ten thousand tests, so jsonschema-rs (the same rules, in
Rust) first says yes or no; jsonschema is imported when the answer is no.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from lve.errors import Problem
from lve.spec.documents import Document


def schema_folder() -> Path:
    """Return the folder with the schemas: inside the installed package, or beside it in a
    checkout."""
    package = Path(__file__).parent.parent
    packaged = package / "schemas"
    return packaged if packaged.is_dir() else package.parent / "schemas"


def load_schema(name: str) -> dict[str, Any]:
    """Return a JSON Schema by its short name: `test`, `instance`, `settings`, ..."""
    text = (schema_folder() / f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def validate(document: Document, schema_name: str) -> list[Problem]:
    """Return everything in which a document differs from its schema, in the order of the file."""
    if is_valid(document.data, schema_name):
        return []
    from lve.spec.explain import explain_errors, most_telling

    complaints = explain_errors(_slow_validator(schema_name).iter_errors(document.data))
    problems = [
        document.problem(c.message, c.path, hint=c.hint, key=c.at_key)
        for c in most_telling(complaints)
    ]
    return in_file_order(problems)


def is_valid(data: Any, schema_name: str) -> bool:
    """Return whether a value surely satisfies a schema. False means: look closer."""
    try:
        return bool(_fast_validator(schema_name).is_valid(data))
    except (ValueError, OverflowError):  # a value that Rust can't hold
        return False


def in_file_order(problems: list[Problem]) -> list[Problem]:
    """Return problems sorted by position, without repetitions."""
    unique = dict.fromkeys(problems)
    return sorted(unique, key=lambda p: (p.line or 0, p.column or 0))


def explain_value(data: Any, schema_name: str) -> list[str]:
    """Return what is wrong with a value that has no document of its own (a line of a file), each
    as `$.path: message (hint)`."""
    from lve.spec.explain import explain_errors
    from lve.spec.places import spell_path

    complaints = explain_errors(_slow_validator(schema_name).iter_errors(data))
    return [
        f"{spell_path(c.path)}: {c.message}" + (f" ({c.hint})" if c.hint else "")
        for c in complaints
    ]


@cache
def _fast_validator(name: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(load_schema(name))


@cache
def _slow_validator(name: str) -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(load_schema(name))
