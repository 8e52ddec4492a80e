"""`NamedTuple` as in `typing`, at a tenth of its cost: see `lve.late`. And `TypedDict`: a
`dict` when lve runs, as `typing` compiles each annotation of each one."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from lve.late import LateNew, compiled_method

_Tuple = TypeVar("_Tuple", bound="_TupleMethods")
_Item: type = type(namedtuple("_Pair", "first second").__dict__["first"])
"""The standard library's attribute of a named tuple, which is written in C."""


class _TupleMethods(tuple[Any, ...]):
    """The methods of all named tuples."""

    __slots__ = ()
    _fields: tuple[str, ...]
    _field_defaults: dict[str, object]

    @classmethod
    def _make(cls: type[_Tuple], iterable: Iterable[object]) -> _Tuple:
        made = tuple.__new__(cls, iterable)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self: _Tuple, /, **changes: Any) -> _Tuple:
        changed = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {list(changes)!r}")
        return changed

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{self.__class__.__name__}({values})"

    def __getnewargs__(self) -> tuple[object, ...]:
        return tuple(self)


class _TupleMeta(type):
    """Makes a named tuple of a class whose base is `NamedTuple`."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> type:
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        annotations = namespace.get("__annotations__")
        fields = tuple(annotations) if isinstance(annotations, dict) else ()
        defaults = {field: namespace.pop(field) for field in fields if field in namespace}
        for index, field in enumerate(fields):
            namespace[field] = _Item(index, f"Field {field}.")
        namespace["__new__"] = LateNew(fields, defaults, lambda: _new(kind, fields, defaults))
        namespace |= {"__slots__": (), "__match_args__": fields}
        namespace |= {"_fields": fields, "_field_defaults": defaults}
        kind: type = type(name, (_TupleMethods,), namespace)
        return kind


def _new(cls: type, fields: Iterable[str], defaults: Mapping[str, object]) -> Callable[..., object]:
    """Give a named tuple its method `__new__`, and return that."""
    scope = {f"default_{name}": value for name, value in defaults.items()}
    scope["tuple_"] = tuple.__new__
    parameters = [f"{name}=default_{name}" if name in defaults else name for name in fields]
    line = f"return tuple_(cls_, ({''.join(f'{name}, ' for name in fields)}))"
    method = compiled_method(cls, "__new__", ", ".join(["cls_", *parameters]), [line], scope)
    cls.__new__ = staticmethod(method)  # type: ignore[assignment]
    return method


class _NamedTuple(metaclass=_TupleMeta):
    """The base class of named tuples."""


class _TypedDict(dict[str, Any]):
    """The base class of dicts whose members type checkers know."""

    def __init_subclass__(cls, *, total: bool = True) -> None:
        """Args:
        total: whether each member is required.
        """


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
    from typing import TypedDict as TypedDict
else:
    NamedTuple, TypedDict = _NamedTuple, _TypedDict
