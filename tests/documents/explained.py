"""Values that a schema refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

MESSAGE = {"role": "user", "content": "Hello"}
TEST = {"description": "d", "prompt": [MESSAGE], "checker_args": {"checker_name": "RefuseChecker"}}
"""A valid test document."""
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def properties(schema: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        for key, value in schema.get("properties", {}).items():
            if "const" not in json.dumps(value):
                yield f"{path}.{key}", value
        for key, value in schema.items():
            if key not in ("if", "then", "else"):
                yield from properties(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from properties(value, f"{path}/{index}")
