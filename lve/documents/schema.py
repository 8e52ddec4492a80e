"""Validates documents against the JSON Schemas in `schemas/`, which define every file format.

Two libraries do it. jsonschema-rs is fast and says only yes or no. If it says no, jsonschema
decides, and its errors become lve's messages; it takes 60 ms to import and is too slow for ten
thousand tests.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.documents.read import Document
from lve.errors import Problem
from lve.problem_limits import MAX_PROBLEMS, first_problems
from lve.version import __version__

if TYPE_CHECKING:
    from lve.documents.complaints import Complaint

PUBLISHED = "https://lve-project.org/schemas/"
"""What the addresses of all published schemas begin with."""
PARTS = {"suite": "test"}
"""Schema without a file -> the one that defines it."""
CHECKED_LATER: dict[str, dict[str, Any]] = {
    "check": {"type": "object", "minProperties": 1},
    "checker": {
        "type": "object",
        "required": ["checker_name"],
        "properties": {"checker_name": {"type": "string", "minLength": 1}},
    },
    "model_args": {},
}
"""Definition -> as much of it as is checked here. The whole one, with the arguments of each
checker, is for editors: `lve.checkers.arguments` knows more of the test, and says it better."""
MAX_EXPLAINED = 20
"""Most problems reported for a value that is one line of a file."""


def schema_folder() -> Path:
    """Return the folder of the schemas: in the installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    packaged = package / "schemas"
    return packaged if packaged.is_dir() else package.parent / "schemas"


def load_schema(name: str) -> dict[str, Any]:
    """Return a JSON Schema by its short name, such as `test` or `settings`."""
    import orjson  # late: it isn't for every verb

    text = (schema_folder() / f"{name}.schema.json").read_bytes()
    schema: dict[str, Any] = orjson.loads(text)
    return schema


def schema_names() -> list[str]:
    """Return the short names of all schemas, sorted."""
    files = (path.name for path in schema_folder().glob("*.schema.json"))
    return sorted({*PARTS, *(name.removesuffix(".schema.json") for name in files)})


def schema_address(name: str) -> str:
    """Return the address of a published schema. It has the version of lve without its last number:
    a schema changes with the second one."""
    return f"{PUBLISHED}{__version__.rpartition('.')[0]}/{name}.schema.json"


def schema_text(name: str) -> str:
    """Return a schema as it is published, whole.

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
    """Return all problems of a document by its schema, in the order of the file."""
    return in_file_order(
        document.problem(c.message, c.path, hint=c.hint, key=c.at_key, code=c.code)
        for c in complaints_about(document.data, schema_name)
    )


def complaints_about(data: object, schema_name: str) -> list[Complaint]:
    """Return all problems of a value by a schema.

    Args:
        data: the value.
        schema_name: a short name as for `load_schema`; `test/message` is the definition `message`
            in the schema `test`.
    """
    if is_valid(data, schema_name):
        return []
    from lve.documents.complaints import explain_errors, most_telling

    errors = _slow_validator(schema_name).iter_errors(data)
    return most_telling(islice(explain_errors(errors), 2 * MAX_PROBLEMS))


def is_valid(data: object, schema_name: str) -> bool:
    """Return whether a value certainly satisfies a schema. False: it may or may not."""
    return quick_verdict(data, schema_name) is True


def quick_verdict(data: object, schema_name: str) -> bool | None:
    """Return whether a value satisfies a schema; None if the fast validator can't say."""
    try:
        return bool(_fast_validator(schema_name).is_valid(data))
    except (ValueError, OverflowError):  # a value that Rust can't hold
        return None


def in_file_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return the first `MAX_PROBLEMS` distinct problems, sorted by position."""
    unique = first_problems(dict.fromkeys(problems))
    return sorted(unique, key=lambda p: (p.line or sys.maxsize, p.column or 0))


def explain_value(data: object, schema_name: str) -> list[str]:
    """Return the first problems of a value that is one line of a file, each as
    `$.path: message (hint)`."""
    from lve.documents.complaints import explain_errors
    from lve.documents.places import spell_path

    complaints = explain_errors(_slow_validator(schema_name).iter_errors(data))
    return [
        f"{spell_path(c.path)}: {c.message}" + (f" ({c.hint})" if c.hint else "")
        for c in islice(complaints, MAX_EXPLAINED)
    ]


def _schema(name: str) -> dict[str, Any]:
    file, _, definition = name.partition("/")
    schema = load_schema(file)
    definitions = schema.get("$defs", {})
    definitions.update((n, less) for n, less in CHECKED_LATER.items() if n in definitions)
    if not definition:
        return schema
    return {"$ref": f"#/$defs/{definition}", "$defs": definitions}


@cache
def _fast_validator(name: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(_schema(name))


@cache
def _slow_validator(name: str) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    kind = extend(  # type: ignore[no-untyped-call]  # the stubs leave it open
        Draft202012Validator, {"uniqueItems": _check_unique}
    )
    return kind(_schema(name))


def _check_unique(_: object, wanted: object, value: object, schema: object) -> Iterator[Any]:
    """Check the keyword `uniqueItems` in linear time; jsonschema's own check is quadratic."""
    from jsonschema import ValidationError

    from lve.documents.json_types import repeated

    if wanted and isinstance(value, list) and any(True for _ in repeated(value)):
        yield ValidationError("items are there twice")
