"""Writes the bodies of requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lve.errors import PermanentModelError

# Made once, because `json.dumps` with options makes an encoder per call. It writes ASCII, so that a
# lone surrogate in a hostile prompt gives valid UTF-8.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def encode(body: Mapping[str, Any]) -> bytes:
    """Return a body as JSON.

    Raises:
        PermanentModelError: a model arg can't be JSON (NaN, a date from YAML, ...).
    """
    try:
        return _ENCODER.encode(body).encode()
    except (ValueError, TypeError) as error:
        raise PermanentModelError(
            f"a model arg can't be sent as JSON: {error}", kind="bad_request"
        ) from None
