"""Writes the bodies of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.documents.json_lines import json_writer
from lve.errors import PermanentModelError

# It writes ASCII, so that a lone surrogate in a hostile prompt gives valid UTF-8.
_write = json_writer()


def encode(body: Mapping[str, Any]) -> bytes:
    """Return a body as JSON.

    Raises:
        PermanentModelError: a model arg can't be JSON (NaN, a date from YAML, a list in itself).
    """
    try:
        return _write(body).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise PermanentModelError(
            f"a model arg can't be sent as JSON: {error}", kind="bad_request"
        ) from None
