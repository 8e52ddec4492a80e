"""Imports asyncio without `ssl`, which it needs only for connections that most runs don't make.

OpenSSL and `ssl` take as long to load as all the rest of asyncio, and tests of the model `dummy`,
replays and servers on this machine need neither.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

_LATE = ("ssl", "asyncio.sslproto")


class _Late(ModuleType):
    """Stands for a module inside of asyncio. It is imported when one of its names is used."""

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self.__name__), name)


def import_asyncio() -> None:
    """Import asyncio, unless that has happened, with `ssl` imported when asyncio first uses it.

    Everything else that imports `ssl` gets the module itself.
    """
    if "asyncio" in sys.modules:
        return
    late = [name for name in _LATE if name not in sys.modules]
    sys.modules.update((name, _Late(name)) for name in late)
    try:
        import_module("asyncio")
    finally:
        for name in late:
            del sys.modules[name]
