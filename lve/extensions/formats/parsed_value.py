"""Whether a lambda uses the JSON value of the answer, `parsed`, as the test's schema allows.

Only what no answer that fits the schema could do is told: a schema that leaves the kind of a value
open allows everything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from lve.checkers.arguments import ArgumentError
from lve.escape import excerpt
from lve.prompts.answers.object_file import read_schema
from lve.spec.spec import Spec
from lve.suggest import did_you_mean

_KINDS: dict[str, type] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": float,
    "object": dict,
    "string": str,
}
_WORDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}
_GUARDS = frozenset({"isinstance", "type"})
"""Functions by which a lambda asks what a value is: it is left alone."""
Schema = Mapping[str, Any]


def misused(body: ast.expr, spec: Spec, name: str) -> list[ArgumentError]:
    """Return errors about the uses of a test's JSON value that fail for every answer.

    Args:
        body: what the lambda computes.
        spec: the test, which has an `output_schema`.
        name: the argument that has the value.
    """
    schema = read_schema(spec, [])  # its own problems are told where prompts are checked
    nodes = [*ast.walk(body)]
    if any(isinstance(node, ast.Name) and node.id in _GUARDS for node in nodes):
        return []
    reader = _Reader(name, schema)
    return [error for node in nodes for error in reader.errors(node)]


class _Reader:
    """Follows a value through a lambda with the help of its schema.

    Args:
        name: the argument that has the value.
        schema: the schema of the value.
    """

    def __init__(self, name: str, schema: object) -> None:
        self._name = name
        self._schema = schema

    def schema_of(self, node: ast.AST) -> Schema | None:
        """Return the schema of what a node computes; None if nothing is certain of it."""
        schema: object = None
        if isinstance(node, ast.Name) and node.id == self._name:
            schema = self._schema
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            inside, key = self.schema_of(node.value) or {}, node.slice.value
            schema = inside.get("items")
            if isinstance(key, str) and isinstance(inside.get("properties"), Mapping):
                schema = inside["properties"].get(key)
        return schema if isinstance(schema, Mapping) else None

    def kinds_of(self, node: ast.AST) -> list[str]:
        """Return the kinds of JSON that a node's value can be; none if that is open."""
        schema = self.schema_of(node) or {}
        kinds = schema.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return [*kinds] if isinstance(kinds, list) and {*kinds} <= _KINDS.keys() else []

    def errors(self, node: ast.AST) -> Iterator[ArgumentError]:
        """Yield what is wrong with a node itself, not with those inside."""
        if isinstance(node, ast.Attribute) and (kinds := self.kinds_of(node.value)):
            if not any(hasattr(_KINDS[kind], node.attr) for kind in kinds):
                yield _error(node.value, kinds, f"has no .{node.attr}()")
        elif isinstance(node, ast.Subscript):
            yield from self._of_item(node)
        elif isinstance(node, ast.Compare):
            pair = (node.left, node.comparators[0])
            for value, other in (pair, pair[::-1]):
                kinds = self.kinds_of(value)
                is_text = isinstance(other, ast.Constant) and isinstance(other.value, str)
                is_equality = isinstance(node.ops[0], ast.Eq | ast.NotEq)
                if kinds and is_text and is_equality and "string" not in kinds:
                    yield _error(value, kinds, "never equals a text")

    def _of_item(self, node: ast.Subscript) -> Iterator[ArgumentError]:
        kinds, key = self.kinds_of(node.value), node.slice
        if not kinds or not isinstance(key, ast.Constant):
            return
        takes = {"object": str, "array": int, "string": int}
        if not any(isinstance(key.value, takes.get(kind, ())) for kind in kinds):
            yield _error(node.value, kinds, f"has no item [{excerpt(repr(key.value))}]")
            return
        schema = self.schema_of(node.value) or {}
        names = schema.get("properties")
        if not isinstance(names, Mapping) or schema.get("additionalProperties") is not False:
            return
        if kinds == ["object"] and key.value not in names:
            error = _error(node.value, kinds, f"has no key {excerpt(repr(key.value))}")
            error.hint = did_you_mean(str(key.value), names) or error.hint
            yield error


def _error(value: ast.expr, kinds: list[str], why: str) -> ArgumentError:
    shown = excerpt(ast.unparse(value))
    what = " or ".join(_WORDS[kind] for kind in kinds)
    message = f"`{shown}` is {what} by `output_schema`, and {why} (column {value.col_offset + 1})"
    hint = "the lambda's first argument is the answer's text"
    if kinds == ["object"]:
        hint = f'its values are `{shown}["KEY"]`; {hint}'
    return ArgumentError("func", message, hint=hint)
