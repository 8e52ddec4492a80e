"""Checks a test's JSON Schema (`output_schema`) before any answer is validated with it.

A small schema can be expensive, because `$ref`, `allOf` and the like apply several schemas to the
same value: a schema with two references to a schema with two references, and so on for forty
levels, applies 2^40 schemas. So the schemas that apply to one value are counted first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from lve import regexes
from lve.documents.json_text import is_too_deep
from lve.escape import excerpt

MAX_LEVELS = 64
"""Nested lists and objects of a schema."""
MAX_VALUES = 100_000
"""Values in a schema, including those of `enum`."""
MAX_OBJECTS = 5_000
"""Objects in a schema: the meta-schema may take a millisecond to validate one."""
MAX_APPLIED = 5_000
"""Schemas that apply to one value, not counting those for its items and properties."""
MAX_APPLIED_UNEVALUATED = 100
"""The same if `unevaluatedProperties` or `unevaluatedItems` apply all of them again."""
MAX_CHAIN = 50
"""Length of a chain of schemas that apply each other to the same value."""
SHOWN_CHARACTERS = 200

_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_UNEVALUATED = ("unevaluatedItems", "unevaluatedProperties")
_SEVERAL = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("$defs", "definitions", "dependentSchemas", "properties")
_PATTERNS = frozenset({"pattern", "patternProperties"})
_REFERENCES = ("$ref", "$dynamicRef")
_SAME_VALUE = ("allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then")

Schema = Mapping[str, Any]


class _Refused(Exception):
    """The schema is refused; the text says why."""


def clipped(text: str) -> str:
    """Return the beginning of a text, for a message."""
    return excerpt(text, SHOWN_CHARACTERS)


def schema_problems(schema: object) -> Iterator[str]:
    """Yield the problems of a JSON Schema. Remote references are never fetched."""
    try:
        _check_size(schema)
        _check_rules(schema)
        walk = _Walk(schema)
        walk.run()
        _check_applied(walk)
    except _Refused as error:
        yield str(error)
        return
    yield from walk.problems


def _check_size(schema: object) -> None:
    if is_too_deep(schema, MAX_LEVELS):
        raise _Refused(f"a schema nested more than {MAX_LEVELS} levels deep")
    objects, values = _count(schema)
    if values > MAX_VALUES:
        raise _Refused(f"a schema of more than {MAX_VALUES} values")
    if objects > MAX_OBJECTS:
        raise _Refused(f"a schema of more than {MAX_OBJECTS} objects")


def _count(schema: object) -> tuple[int, int]:
    """Return how many objects and values there are in a schema, itself included."""
    objects, values, waiting = 0, 0, [schema]
    while waiting:
        inner = waiting.pop()
        values += 1
        if isinstance(inner, Mapping):
            objects += 1
            waiting += inner.values()
        elif isinstance(inner, list):
            waiting += inner
    return objects, values


def _check_rules(schema: Any) -> None:
    """Validate a schema with the meta-schema of JSON Schema."""
    if _is_plainly_valid(schema):
        return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        message = f"not a JSON Schema: {error.json_path}: {clipped(error.message)}"
        raise _Refused(message) from None
    except RecursionError:
        raise _Refused("a schema that is nested too deep") from None


def _is_plainly_valid(schema: object) -> bool:
    """Return whether the fast validator accepts a schema, a thousand times as fast as the other.

    It also accepts some patterns that are none in Python, so it isn't asked about patterns.
    """
    if _has_pattern(schema):
        return False
    try:
        return bool(_fast_meta_schema().is_valid(schema))
    except (ValueError, OverflowError):  # a value that Rust can't represent
        return False


def _has_pattern(schema: object) -> bool:
    waiting = [schema]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, Mapping):
            if _PATTERNS & inner.keys():
                return True
            waiting += inner.values()
        elif isinstance(inner, list):
            waiting += inner
    return False


@cache
def _fast_meta_schema() -> Any:
    import jsonschema_rs

    meta_schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    return jsonschema_rs.Draft202012Validator(meta_schema, validate_formats=True)


class _Walk:
    """Finds all schemas in a schema, and which of them apply to the same value.

    Attributes:
        applied: `id` of a schema -> the schemas that it applies to the same value.
        problems: references, patterns and keywords that can't be used.
    """

    def __init__(self, schema: object) -> None:
        from referencing import Registry
        from referencing.jsonschema import DRAFT202012

        self.applied: dict[int, list[Schema]] = {}
        self.problems: list[str] = []
        self.has_unevaluated = False
        self._resource = DRAFT202012.create_resource
        self._root = schema
        self._resolver = Registry().resolver_with_root(self._resource(schema))
        self._references: list[tuple[Schema, str, Any]] = []

    def run(self) -> None:
        """Walk through all schemas."""
        self._add(self._root, self._resolver)
        while self._references:
            schema, reference, resolver = self._references.pop()
            target = self._target(reference, resolver)
            if target is not None:
                self.applied[id(schema)].append(target)

    def _target(self, reference: str, resolver: Any) -> Schema | None:
        from referencing.exceptions import Unresolvable

        try:
            resolved = resolver.lookup(reference)
        except Unresolvable:
            quoted = clipped(repr(reference))
            self.problems.append(f"$ref {quoted} leads nowhere in this schema (no other is read)")
            return None
        target = resolved.contents
        if not isinstance(target, Mapping | bool):
            raise _Refused(f"$ref {clipped(repr(reference))} leads to what is no schema")
        if isinstance(target, bool):
            return None
        if id(target) not in self.applied:
            _check_rules(target)  # The check of the root didn't see it as a schema.
            self._add(target, resolved.resolver)
        return target

    def _add(self, schema: object, resolver: Any) -> None:
        waiting = [(schema, resolver)]
        while waiting:
            schema, resolver = waiting.pop()
            if not isinstance(schema, Mapping) or id(schema) in self.applied:
                continue
            inside = resolver.in_subresource(self._resource(schema))
            self._check_keywords(schema, inside)
            subschemas = list(_schemas_in(schema))
            self.applied[id(schema)] = [
                inner for keyword, inner in subschemas
                if keyword in _SAME_VALUE and isinstance(inner, Mapping)
            ]  # fmt: skip
            waiting += [(inner, inside) for _, inner in subschemas]

    def _check_keywords(self, schema: Schema, resolver: object) -> None:
        for keyword in _REFERENCES:
            if keyword in schema:
                self._references.append((schema, schema[keyword], resolver))
        if "patternProperties" in schema:
            self.problems.append(
                "patternProperties is not supported (use propertyNames, or checkers)"
            )
        if "pattern" in schema:
            try:
                regexes.compile_pattern(schema["pattern"])
            except regexes.PatternError as error:
                quoted = clipped(repr(schema["pattern"]))
                self.problems.append(f"pattern {quoted} can't be used: {error}")
        self.has_unevaluated |= any(keyword in schema for keyword in _UNEVALUATED)


def _schemas_in(schema: Schema) -> Iterator[tuple[str, object]]:
    """Yield keyword and value of the direct subschemas of a schema."""
    for keyword in (*_ONE, *_UNEVALUATED):
        if keyword in schema:
            yield keyword, schema[keyword]
    for keyword in _SEVERAL:
        yield from ((keyword, inner) for inner in schema.get(keyword, ()))
    for keyword in _NAMED:
        yield from ((keyword, inner) for inner in schema.get(keyword, {}).values())


def _check_applied(walk: _Walk) -> None:
    """Count the schemas that apply to one value.

    Raises:
        _Refused: there are too many, or they refer to each other without end.
    """
    most = MAX_APPLIED_UNEVALUATED if walk.has_unevaluated else MAX_APPLIED
    done: dict[int, tuple[int, int]] = {}  # number of schemas, length of the longest chain
    active: set[int] = set()

    def weigh(schema: int) -> tuple[int, int]:
        if schema in active:
            raise _Refused("a $ref that leads back to itself for the same value: it has no end")
        if schema in done:
            return done[schema]
        if len(active) > MAX_CHAIN:
            raise _Refused(f"a chain of more than {MAX_CHAIN} schemas for one value")
        active.add(schema)
        inner = [weigh(id(other)) for other in walk.applied[schema]]
        active.discard(schema)
        number = 1 + sum(size for size, _ in inner)
        length = 1 + max((chain for _, chain in inner), default=0)
        if number > most:
            raise _Refused(f"more than {most} schemas for one value")
        if length > MAX_CHAIN:
            raise _Refused(f"a chain of more than {MAX_CHAIN} schemas for one value")
        done[schema] = number, length
        return number, length

    for schema in walk.applied:
        weigh(schema)
