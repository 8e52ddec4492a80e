"""Keys that tell the rows of a test by their args."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def args_key(args: Mapping[str, Any]) -> str:
    """Return a text that is equal for args of the same row. Null args are ignored."""
    filled = {name: value for name, value in args.items() if value is not None}
    return json.dumps(filled, sort_keys=True, default=str)


def row_key(args: Mapping[str, Any]) -> int:
    """Return a number that is equal for args of the same row, within this process."""
    return hash(args_key(args))
