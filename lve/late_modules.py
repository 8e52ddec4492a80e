"""Imports a module of the standard library without others that it imports, and hardly needs.

They take up to as long to load as the module itself. Inside of it something stands for them that
imports them when one of their names is used; everything else that imports them gets them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


class LateModule(ModuleType):
    """Stands for a module, which is imported when one of its names is used."""

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:  # the import system asks for `__path__`
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)


class LateObject:
    """Stands for an object that is made when one of its attributes is used."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.made = make

    def __getattr__(self, name: str) -> object:
        return getattr(self.made(), name)


def import_without(name: str, late: Mapping[str, Mapping[str, Any]]) -> None:
    """Import a module unless that has happened.

    Args:
        name: its name.
        late: name of a module to import when it is used -> names in it that `name` reads while it
            is imported, and what they are until then.
    """
    if name in sys.modules:
        return
    stand_ins = {module: LateModule(module) for module in late if module not in sys.modules}
    for module, stand_in in stand_ins.items():
        vars(stand_in).update(late[module])
    sys.modules.update(stand_ins)
    try:
        import_module(name)
    finally:
        for module in stand_ins:
            del sys.modules[module]


def when_imported(name: str, action: Callable[[ModuleType], None]) -> None:
    """Call a function with a module: now if it has been imported, or as soon as it is."""
    if name in sys.modules:
        action(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Watch(name, action))


class _Watch:
    """Finds one module of the standard library, and then calls a function with it."""

    def __init__(self, name: str, action: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._action = action

    def find_spec(self, name: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self._action(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def discard_logs() -> None:
    """Discard what libraries log in this process: a warning or a traceback of theirs, such as of
    asyncio, psycopg or an MCP server's line, must not reach the terminal. Errors that matter are
    also raised, and become messages."""
    when_imported("logging", _discard_logs)


def _discard_logs(logging: Any) -> None:
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())


def import_pathlib() -> None:
    """Import pathlib without `urllib.parse`, and with it `ipaddress`, which it needs for URLs."""
    import_without("pathlib", {"urllib.parse": {"quote_from_bytes": _quote_from_bytes}})


def _quote_from_bytes(*args: Any) -> Any:
    return import_module("urllib.parse").quote_from_bytes(*args)
