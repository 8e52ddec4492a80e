"""JSON values that are nearly right: by a schema, or real ones with a few places changed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

ATOMS: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    10**6,
    2**31,
    2**53 + 1,
    2**63,
    2**64,
    -(2**63),
    10**400,
    0.0,
    -0.0,
    0.5,
    1e-300,
    1e308,
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    " ",
    "0",
    "x",
    "a/b",
    "..",
    "../..",
    "/",
    "/dev/stdin",
    "C:\\x",
    "~",
    ".",
    "-",
    "--",
    "nan",
    "null",
    "last",
    "replay",
    "dummy/dummy",
    "hf/x",
    "openai/gpt-4",
    "http://[",
    "http://127.0.0.1:9",
    "postgresql://[",
    "{a}",
    "{",
    "}",
    "{0}",
    "%s",
    "%",
    "\x00",
    "\x1b[2J",
    "\n",
    "\r\n::error::x",
    "\ud800",
    "\u202e",
    "\u2028",
    "\u0130",
    "\ufeff",
    "\u0663",
    "2026-02-30",
    "2026-11-22T12:00:00+00:00",
    "9999-12-31T23:59:59.999999-14:00",
    "(" * 60,
    "[" * 2000,
    "a" * 5000,
    "\U0001f600" * 300,
    [],
    {},
    [[]],
    [{}],
    {"": ""},
    [None],
    {"a": None},
    ["a", 1, None],
    {"type": "object"},
)
"""What is put where something else belongs."""
MOST_NODES = 2000
Schema = Any


def schema_value(draw: random.Random, schema: Schema, root: Schema, depth: int = 0) -> Any:
    """Return a value that fits a schema nearly always; patterns and formats are ignored.

    Args:
        draw: decides.
        schema: a part of `root`.
        root: has `$defs`.
        depth: of the value within the whole.
    """
    if not isinstance(schema, dict) or draw.random() < 0.01:
        return deepcopy(draw.choice(ATOMS))
    if "$ref" in schema:
        return schema_value(draw, _referenced(schema["$ref"], root), root, depth)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw.choice(schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return schema_value(draw, draw.choice(schema[key]), root, depth)
    return _value_of_kind(draw, schema, root, depth)


def _referenced(reference: str, root: Schema) -> Schema:
    target = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        target = target.get(part, {}) if part else target
    return target


def _value_of_kind(draw: random.Random, schema: Schema, root: Schema, depth: int) -> Any:
    kinds = schema.get("type", "object" if "properties" in schema else None)
    kind = draw.choice(kinds) if isinstance(kinds, list) else kinds
    if kind == "object":
        return _object(draw, schema, root, depth)
    if kind == "array":
        count = 0 if depth > 6 else draw.choice((0, 1, 1, 2, 3))
        return [schema_value(draw, schema.get("items"), root, depth + 1) for _ in range(count)]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", -5), schema.get("maximum", 10**9)
        return draw.choice((low, high, low - 1, high + 1, 0, 1, 3, 2**53 + 1, 0.5, 1e300))
    if kind == "boolean":
        return draw.random() < 0.5
    if kind == "null":
        return None
    atoms = [atom for atom in ATOMS if kind is None or isinstance(atom, str)]
    return deepcopy(draw.choice([*atoms, *schema.get("examples", ())]))


def _object(draw: random.Random, schema: Schema, root: Schema, depth: int) -> dict[str, Any]:
    required = schema.get("required", ())
    least = 0.1 if depth > 3 else 0.4
    value = {
        name: schema_value(draw, inner, root, depth + 1)
        for name, inner in schema.get("properties", {}).items()
        if name in required or draw.random() < least
    }
    more = schema.get("additionalProperties")
    if isinstance(more, dict) and depth < 7:
        for _ in range(draw.choice((0, 1, 1, 2))):
            name = draw.choice([atom for atom in ATOMS if isinstance(atom, str)])
            value[name] = schema_value(draw, more, root, depth + 1)
    return value


def mutated_json(draw: random.Random, value: Any, others: tuple[Any, ...] = ()) -> Any:
    """Return a copy of a JSON value, changed in one to four places.

    Args:
        draw: decides.
        value: the original.
        others: real values from which parts are transplanted.
    """
    box = [deepcopy(value)]
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        places = list(_places(box))
        holder, key = draw.choice(places[:MOST_NODES])
        draw.choice(CHANGES)(draw, holder, key, others)
    return box[0] if box else None


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each place in a value, as the list or object that holds it and the index or key."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)


def _replace(draw: random.Random, holder: Any, key: Any, others: tuple[Any, ...]) -> None:
    holder[key] = deepcopy(draw.choice(ATOMS))


def _remove(draw: random.Random, holder: Any, key: Any, others: tuple[Any, ...]) -> None:
    if isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = None


def _rename(draw: random.Random, holder: Any, key: Any, others: tuple[Any, ...]) -> None:
    if isinstance(holder, dict):
        name = draw.choice([atom for atom in ATOMS if isinstance(atom, str)])
        holder[name] = holder.pop(key)


def _wrap(draw: random.Random, holder: Any, key: Any, others: tuple[Any, ...]) -> None:
    for _ in range(draw.choice((1, 1, 2, 70))):
        holder[key] = [holder[key]] if draw.random() < 0.5 else {"a": holder[key]}


def _repeat(draw: random.Random, holder: Any, key: Any, others: tuple[Any, ...]) -> None:
    value, count = holder[key], draw.choice((2, 3, 300))
    if isinstance(value, list) or (isinstance(value, str) and len(value) < 1000):
        holder[key] = value * count
    elif isinstance(value, dict) and len(value) < 50:
        holder[key] = {**value, **{f"k{n}": n for n in range(count)}}


def _transplant(draw: random.Random, holder: Any, key: Any, others: tuple[Any, ...]) -> None:
    if others:
        donor, at = draw.choice(list(_places([draw.choice(others)]))[:MOST_NODES])
        holder[key] = deepcopy(donor[at])


CHANGES: tuple[Callable[[random.Random, Any, Any, tuple[Any, ...]], None], ...] = (
    _replace,
    _replace,
    _replace,
    _remove,
    _rename,
    _wrap,
    _repeat,
    _transplant,
)


def written(value: Any, draw: random.Random | None = None) -> bytes:
    """Return a value as JSON, sometimes with raw characters instead of escapes."""
    is_raw = draw is not None and draw.random() < 0.3
    text = json.dumps(value, ensure_ascii=not is_raw)
    return text.encode("utf-8", "surrogatepass")
