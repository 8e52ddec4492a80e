"""Imports asyncio without what it needs for connections and errors that most runs don't have.

OpenSSL and `ssl` take as long to load as all the rest of asyncio, `logging` and `traceback` half as
long. Tests of the model `dummy`, replays and servers on this machine need none of them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from lve.late import LateObject, import_without, when_imported


class _Logger(LateObject):
    """Stands for a logger. A loop says which selector it uses when it is made."""

    def debug(self, *args: object) -> None:
        """Log, unless nobody can have set the level that this takes."""
        if "logging" in sys.modules:
            self.made().debug(*args)


_LATE: Mapping[str, Mapping[str, Any]] = {
    "ssl": {"SSLSocket": type("SSLSocket", (), {})},  # no socket to connect is one
    "asyncio.sslproto": {},
    "traceback": {"extract_stack": lambda: import_module("traceback").extract_stack()},
    "subprocess": {"PIPE": -1, "STDOUT": -2, "DEVNULL": -3},
    "logging": {
        "DEBUG": 10,
        "getLogger": lambda name: _Logger(lambda: import_module("logging").getLogger(name)),
        "StreamHandler": lambda: None,  # concurrent.futures makes one, and never uses it
    },
}


TLS_BYTES = 16 * 1024
"""What an encrypted connection reads at once, as one that isn't encrypted. asyncio has 256 KB for
each: 128 MB for 500 connections."""


def import_asyncio() -> None:
    """Import asyncio, unless that has happened, without the modules of `_LATE`."""
    import_without("asyncio", _LATE)
    when_imported("asyncio.sslproto", _read_less)


def _read_less(sslproto: Any) -> None:
    sslproto.SSLProtocol.max_size = TLS_BYTES
