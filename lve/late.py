"""What is made or imported when it is first used, as most of it never is: methods and modules.

The standard library writes and compiles up to six methods of each data class when its module is
imported: 4 million instructions for five fields, 1 million for a named tuple. A start imports a
hundred of these classes and uses few of their methods. `lve.data_classes` and `lve.named_tuples`
define them for 0.2 million. Compiling what makes the objects takes 0.4 million, so that it waits
until a class has made `UNCOMPILED` of them: most classes of a start make one or two.

Modules of the standard library import others that they hardly need, and that take as long to load
as themselves. Inside of such a module something stands for them that imports them when one of their
names is used; everything else that imports them gets them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import MethodType, ModuleType
from typing import Any, AnyStr

UNCOMPILED = 8
"""How many objects of a class are made without a compiled method; each takes a tenth of what
compiling takes."""


class WhenUsed:
    """An attribute of a class that is made, and replaces this one, when it is first looked up."""

    def __init__(self, name: str, make: Callable[[type, str], object]) -> None:
        self.name = name
        self.make = make

    def __get__(self, instance: object, owner: type) -> object:
        for home in owner.__mro__:
            if home.__dict__.get(self.name) is self:
                setattr(home, self.name, self.make(home, self.name))
        return getattr(owner if instance is None else instance, self.name)


class LateInit(WhenUsed):
    """The method `__init__` of a class, compiled when it has made `UNCOMPILED` objects, or when
    something else looks at it.

    Args:
        make: compiles it, as for `WhenUsed`.
        fill: initializes an object without it, given the arguments; returns False, and does
            nothing, if the arguments don't fit.
    """

    def __init__(
        self,
        make: Callable[[type, str], object],
        fill: Callable[[Any, tuple[Any, ...], Mapping[str, Any]], bool],
    ) -> None:
        super().__init__("__init__", make)
        self.fill = fill
        self.calls = 0

    def __get__(self, instance: object, owner: type) -> object:
        if instance is None:
            return super().__get__(None, owner)
        return MethodType(self, instance)

    def __call__(self, record: Any, /, *args: Any, **named: Any) -> None:
        self.calls += 1
        if self.calls > UNCOMPILED or not self.fill(record, args, named):
            method: Any = super().__get__(record, type(record))
            method(*args, **named)


class LateNew:
    """The method `__new__` of a named tuple, compiled when it has made `UNCOMPILED` objects.

    Args:
        fields: the names of the tuple's items.
        defaults: field -> its default.
        make: returns the compiled method, and puts it in this one's place.
    """

    def __init__(
        self,
        fields: tuple[str, ...],
        defaults: Mapping[str, object],
        make: Callable[[], Callable[..., Any]],
    ) -> None:
        self.fields = fields
        self.defaults = defaults
        self.make = make
        self.calls = 0

    def __call__(self, cls_: Any, /, *args: Any, **named: Any) -> Any:
        self.calls += 1
        rest = self.fields[len(args) :]
        values = {**self.defaults, **named}
        fits = named.keys() <= set(rest) <= values.keys() and len(args) <= len(self.fields)
        if self.calls > UNCOMPILED or not fits:
            return self.make()(cls_, *args, **named)
        return tuple.__new__(cls_, (*args, *map(values.__getitem__, rest)))

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """What `inspect.signature` describes."""
        return self.make()


def compiled_method(
    cls: type, name: str, head: str, lines: Iterable[str], scope: dict[str, object]
) -> Callable[..., object]:
    """Return a method whose code is compiled now.

    Args:
        cls: its class.
        name: its name.
        head: its parameters.
        lines: its code.
        scope: what the code uses, none of it from the class's module, which may be gone by now.
    """
    body = "".join(f"  {line}\n" for line in lines)
    source = f"def make({', '.join(scope)}):\n def {name}({head}):\n{body} return {name}"
    made: dict[str, Callable[..., Callable[..., object]]] = {}
    exec(source, {"__name__": cls.__module__}, made)
    method = made["make"](**scope)
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method


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

    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: object = None
    ) -> ModuleSpec | None:
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
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


class LatePattern:
    """A pattern (`re.Pattern`) that is compiled when it is first used."""

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        self._written: tuple[Any, int] = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value: Any = getattr(re.compile(*self._written), name)
        setattr(self, name, value)
        return value
