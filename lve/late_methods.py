"""Methods of classes that are made when they are first looked up, as most never are.

The standard library writes and compiles up to six methods of each data class when its module is
imported: 4 million instructions for five fields, 1 million for a named tuple. A start imports a
hundred of these classes and uses few of their methods. `lve.data_classes` and `lve.named_tuples`
define them for 0.2 million. Compiling what makes the objects takes 0.4 million, so that it waits
until a class has made `UNCOMPILED` of them: most classes of a start make one or two.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import MethodType
from typing import Any

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
        scope: what the code uses besides the names of the class's module.
    """
    body = "".join(f"  {line}\n" for line in lines)
    source = f"def make({', '.join(scope)}):\n def {name}({head}):\n{body} return {name}"
    made: dict[str, Callable[..., Callable[..., object]]] = {}
    exec(source, vars(sys.modules[cls.__module__]), made)
    method = made["make"](**scope)
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method
