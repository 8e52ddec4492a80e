"""Answers that have to be JSON: read leniently, held against a schema, asked for once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lve.prompts.json_lenient import find_json, json_candidates

SHOWN_CHARACTERS = 200
MAX_CANDIDATES = 20
"""JSON values of one answer that are held against the schema."""
PATTERN_DEADLINE_S = 0.5
"""For one `pattern` of a schema on one text of an answer: both are others' and may be hostile."""


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
            return find_json(text)
        problem = None
        for _, value in zip(range(MAX_CANDIDATES), json_candidates(text), strict=False):
            why = mismatch(self.schema, value)
            if why is None:
                return value
            problem = problem or why
        if problem is None:
            find_json(text)
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
    except TimeoutError:
        return "a pattern takes too long on it"
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
    resolver = _registry().resolver_with_root(_as_resource(schema))
    for _ in _values(schema, ("patternProperties",)):
        yield "patternProperties is not supported (use propertyNames, or checkers)"
    for reference in _values(schema, ("$ref", "$dynamicRef")):
        try:
            resolver.lookup(reference)
        except Unresolvable:
            yield f"$ref {reference!r} leads nowhere in this schema (no other schema is read)"


def _validator(schema: Mapping[str, Any] | bool) -> Any:
    # A registry of our own: the default one would fetch remote references.
    return _validator_class()(schema, registry=_registry())


@lru_cache(maxsize=1)
def _validator_class() -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    return extend(  # type: ignore[no-untyped-call]  # the stubs leave it open
        Draft202012Validator, {"pattern": _check_pattern}
    )


def _check_pattern(_: Any, pattern: str, value: Any, schema: Any) -> Iterator[Any]:
    """Check the keyword `pattern`, with a deadline.

    Raises:
        TimeoutError: it takes too long. That ends the whole check: an answer may have many texts.
    """
    import regex
    from jsonschema import ValidationError

    if not isinstance(value, str):
        return
    try:
        if not regex.search(pattern, value, timeout=PATTERN_DEADLINE_S):
            yield ValidationError(f"does not match {pattern!r}: {value!r}")
    except regex.error as error:
        yield ValidationError(f"{pattern!r} can't be used: {error}")


def _registry() -> Any:
    from referencing import Registry

    return Registry()


def _as_resource(schema: Any) -> Any:
    from referencing.jsonschema import DRAFT202012

    return DRAFT202012.create_resource(schema)


def _values(schema: Any, keywords: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values of some keywords, wherever a schema has them.

    A property that has a keyword's name is not told apart where its value has the same type as the
    keyword's; `enum` and `const` hold data and are left out.
    """
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            is_keyword = key in keywords and isinstance(value, str) == (key != "patternProperties")
            if is_keyword:
                yield value
            elif key not in ("enum", "const", "default", "examples"):
                yield from _values(value, keywords)
    elif isinstance(schema, list):
        for item in schema:
            yield from _values(item, keywords)
