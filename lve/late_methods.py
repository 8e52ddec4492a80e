"""Methods of classes that are made when they are first looked up, as most never are.

The standard library writes and compiles up to six methods of each data class when its module is
imported: 4 million instructions for five fields, 1 million for a named tuple. A start imports a
hundred of these classes and uses few of their methods. `lve.data_classes` and `lve.named_tuples`
define them for 0.2 million.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable


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
