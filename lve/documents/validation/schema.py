"""Validates documents against the JSON Schemas in `schemas/`, which define every file format.

The first valid documents are found by `small_validator`. jsonschema-rs is fast, and only used to
find valid documents. For the others, jsonschema decides, and its errors become lve's messages. (It
takes 60 ms to import and is too slow for ten thousand tests.)
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.documents.read import Document
from lve.documents.validation.small_validator import is_surely_valid
from lve.errors import Problem
from lve.limits.problems import first_problems
from lve.named_tuples import NamedTuple
from lve.version import __version__
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.documents.validation.complaints import Complaint

PUBLISHED = "https://lve-project.org/schemas/"
"""Start of the URLs of all published schemas."""
PARTS = {"suite": "test"}
"""Schema without a file of its own -> the schema that defines it."""
CHECKED_LATER: dict[str, dict[str, object]] = {
    "check": {"type": "object", "minProperties": 1},
    "checker": {
        "type": "object",
        "required": ["checker_name"],
        "properties": {"checker_name": {"type": "string", "minLength": 1}},
    },
    "model_args": {},
}
"""Definition -> a simpler one that replaces it in validation. The full definitions, with the
arguments of each checker, are for editors: `lve.checkers.arguments` gives better messages."""


FIRST = 16
"""How many values of a schema are looked at in Python before jsonschema-rs is loaded. Loading it
takes as long as thirty small tests."""
_looks = Counter[str]()


def schema_folder() -> Path:
    """Return the folder of the schemas: in an installed package, or beside it in a checkout."""
    package = Path(__file__).parents[2]
    packaged = package / "schemas"
    return packaged if packaged.is_dir() else package.parent / "schemas"


def load_schema(name: str) -> dict[str, Any]:
    """Return a JSON Schema by its short name, such as `test` or `settings`."""
    import orjson  # late: many verbs don't need it

    text = (schema_folder() / f"{name}.schema.json").read_bytes()
    schema: dict[str, object] = orjson.loads(text)
    return schema


def schema_names() -> list[str]:
    """Return the short names of all schemas, sorted."""
    files = (path.name for path in schema_folder().glob("*.schema.json"))
    return sorted({*PARTS, *(name.removesuffix(".schema.json") for name in files)})


def schema_address(name: str) -> str:
    """Return the URL of a published schema. It has the first two numbers of lve's version: schemas
    don't change with the last one."""
    return f"{PUBLISHED}{__version__.rpartition('.')[0]}/{name}.schema.json"


def schema_text(name: str) -> str:
    """Return the full text of a schema, as it is published.

    Args:
        name: one of `schema_names()`.
    """
    if name not in PARTS:
        return (schema_folder() / f"{name}.schema.json").read_text(encoding="utf-8")
    home = load_schema(PARTS[name])
    definitions = home["$defs"]
    head = {"$schema": home["$schema"], "$id": schema_address(name)}
    whole = {**head, **definitions[name], "$defs": definitions}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def validate(document: Document, schema_name: str) -> list[Problem]:
    """Return all problems of a document that its schema finds, in the order of the file."""
    complaints, more = complaints_about(document.data, schema_name)
    problems = [
        document.problem(c.message, c.path, hint=c.hint, key=c.at_key, code=c.code)
        for c in complaints
    ]
    return in_file_order(problems, more, display_path(document.path))


class Complaints(NamedTuple):
    """The problems of a value that a schema finds."""

    complaints: list[Complaint]
    """The first ones."""
    more: int
    """The number of further wrong members of lists and objects."""


def complaints_about(data: object, schema_name: str) -> Complaints:
    """Return the problems of a value that a schema finds.

    Args:
        data: the value.
        schema_name: a short name, as for `load_schema`; `test/message` is the definition `message`
            in the schema `test`.
    """
    if is_valid(data, schema_name):
        return Complaints([], 0)
    from lve.documents.validation import explaining  # late: it loads jsonschema

    return Complaints(*explaining.complaints_about(data, schema_name, _schema))


def is_valid(data: object, schema_name: str) -> bool:
    """Return True if a value satisfies a schema. After False, only `complaints_about` can tell."""
    return quick_verdict(data, schema_name) is True


def quick_verdict(data: object, schema_name: str) -> bool | None:
    """Return whether a value satisfies a schema; None if the fast validator can't say."""
    if _looks[schema_name] < FIRST:
        _looks[schema_name] += 1
        if is_surely_valid(data, _cached_schema(schema_name)):
            return True
    try:
        return bool(_fast_validator(schema_name).is_valid(data))
    except (ValueError, OverflowError):  # a value that Rust can't represent
        return None


def in_file_order(
    problems: Iterable[Problem], more: int = 0, file: Path | None = None
) -> list[Problem]:
    """Return the first `MAX_PROBLEMS` distinct problems, sorted by position, and at the end the
    number of all others.

    Args:
        problems: the problems.
        more: how many there are besides these.
        file: the file of those others, as the user would name it; by default, that of the first.
    """
    ordered = sorted(dict.fromkeys(problems), key=lambda p: (p.line or sys.maxsize, p.column or 0))
    return first_problems(ordered, more, file)


def explain_value(data: object, schema_name: str) -> list[str]:
    """Return the first problems of a value, each as `$.path: message (hint)`. For a value that is a
    line of a file, whose problems are reported together."""
    from lve.documents.validation import explaining

    return explaining.explained(data, schema_name, _schema)


def _schema(name: str) -> dict[str, Any]:
    file, _, definition = name.partition("/")
    schema = load_schema(file)
    definitions = schema.get("$defs", {})
    definitions.update((n, less) for n, less in CHECKED_LATER.items() if n in definitions)
    if not definition:
        return schema
    return {"$ref": f"#/$defs/{definition}", "$defs": definitions}


_cached_schema = cache(_schema)


@cache
def _fast_validator(name: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(_cached_schema(name))
