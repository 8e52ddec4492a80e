"""Answers that have to be JSON: read leniently, held against a schema, asked for once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lve.prompts.json_lenient import json_candidates, parse_json

SHOWN_CHARACTERS = 200
MAX_CANDIDATES = 20
"""JSON values of one answer that are held against the schema."""


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """What the last answer of a conversation has to be."""

    schema: Mapping[str, Any] | bool | None = None
    """JSON Schema (draft 2020-12) of the value; None if any JSON will do."""
    repair: bool = False
    """Whether an answer that can't be used is asked for once more."""

    def read(self, text: str) -> Any:
        """Return the value in an answer: the first that fits the schema.

        Raises:
            ValueError: there is no JSON in it, or none that fits; says why.
        """
        if self.schema is None:
            return parse_json(text)
        problem = None
        for _, value in zip(range(MAX_CANDIDATES), json_candidates(text), strict=False):
            why = mismatch(self.schema, value)
            if why is None:
                return value
            problem = problem or why
        if problem is None:
            parse_json(text)
        raise ValueError(f"the JSON of the answer does not fit output_schema: {problem}")

    def repair_request(self, text: str) -> str | None:
        """Return what to tell the model so that it corrects an answer; None if the answer will do
        or may not be asked for again."""
        if not self.repair:
            return None
        try:
            self.read(text)
        except ValueError as error:
            return f"Your answer can't be used: {error}. Return only the corrected JSON."
        return None


def mismatch(schema: Mapping[str, Any] | bool, value: Any) -> str | None:
    """Say why a value doesn't fit a schema; None if it does."""
    from jsonschema.exceptions import best_match

    try:
        error = best_match(_validator(schema).iter_errors(value))
    except RecursionError:
        return "it is nested too deeply"
    if error is None:
        return None
    message = error.message
    if len(message) > SHOWN_CHARACTERS:
        message = message[:SHOWN_CHARACTERS] + "..."
    return f"{error.json_path}: {message}"


def schema_problems(schema: Any) -> Iterator[str]:
    """Yield what is wrong with a JSON Schema. Nothing is fetched, whatever it refers to."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"not a JSON Schema: {error.json_path}: {error.message}"
        return
    resolver = _resource().resolver_with_root(_as_resource(schema))
    for reference in _references(schema):
        try:
            resolver.lookup(reference)
        except Unresolvable:
            yield f"$ref {reference!r} leads nowhere in this schema (no other schema is read)"


def _validator(schema: Mapping[str, Any] | bool) -> Any:
    from jsonschema import Draft202012Validator

    # A registry of our own: the default one would fetch remote references.
    return Draft202012Validator(schema, registry=_resource())


def _resource() -> Any:
    from referencing import Registry

    return Registry()


def _as_resource(schema: Any) -> Any:
    from referencing.jsonschema import DRAFT202012

    return DRAFT202012.create_resource(schema)


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                yield value
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)
