"""Writes AWS's event streams: what a server of ConverseStream sends."""

from __future__ import annotations

import json
import struct
from binascii import crc32
from collections.abc import Iterable, Mapping
from typing import Any


def event_stream(events: Iterable[Mapping[str, Any]]) -> bytes:
    """Return events as bytes. An event is `{name: payload}`; a name that ends in `Exception` is an
    error within the stream."""
    return b"".join(_message(name, payload) for event in events for name, payload in event.items())


def _message(name: str, payload: Any) -> bytes:
    if name.endswith("Exception"):
        headers = {":message-type": "exception", ":exception-type": name}
    else:
        headers = {":message-type": "event", ":event-type": name}
    head = b"".join(
        _header(key, value)
        for key, value in {**headers, ":content-type": "application/json"}.items()
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(head) + len(body), len(head))
    message = prelude + struct.pack(">I", crc32(prelude)) + head + body
    return message + struct.pack(">I", crc32(message))


def _header(name: str, value: str) -> bytes:
    """Return a header whose value is a text (type 7)."""
    return (
        struct.pack("B", len(name))
        + name.encode()
        + struct.pack(">BH", 7, len(value.encode()))
        + value.encode()
    )
