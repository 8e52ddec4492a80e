"""`dataclass` as in the standard library, at a tenth of its cost: see `lve.late`.

Type checkers see the standard library's. `field`, `fields`, `replace` and `asdict` work as ever,
and a user's data class can derive from one of lve's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

from lve.late import LateInit, WhenUsed, compiled_method

_DEFAULTS = {"init": True, "repr": True, "eq": True, "frozen": False, "slots": False}
"""The options of a data class, but `kw_only`."""
_DESCRIBED = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
"""The attributes that describe a data class. The standard library makes them."""


def _dataclass(cls: type | None = None, /, *, kw_only: bool = False, **options: bool) -> object:
    chosen = _DEFAULTS | options
    if len(chosen) > len(_DEFAULTS):
        raise TypeError(f"options of a data class are kw_only and {', '.join(_DEFAULTS)}")

    def decorate(kind: type) -> type:
        bases = [vars(base) for base in kind.__mro__[1:]]
        if any("__dataclass_fields__" in base and "__own_fields__" not in base for base in bases):
            return dataclasses.dataclass(kind, kw_only=kw_only, **chosen)
        return _data_class(kind, _own_fields(kind, kw_only=kw_only), chosen)

    return decorate if cls is None else decorate(cls)


def declared_fields(cls: type) -> dict[str, Field[Any]]:
    """Return the fields of one of lve's data classes that are declared with `field(...)`, by name.
    They aren't described as `fields` does."""
    kinds = (vars(kind).get("__own_fields__", {}) for kind in reversed(cls.__mro__))
    return {name: v for own in kinds for name, v in own.items() if isinstance(v, Field)}


def _own_fields(cls: type, *, kw_only: bool) -> dict[str, object]:
    """Return the fields that a class itself declares: name -> `field(...)`, default or MISSING."""
    fields: dict[str, object] = {}
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if str(annotation).startswith("ClassVar"):
            continue
        value = vars(cls).get(name, MISSING)
        if value.__class__.__hash__ is None:
            raise ValueError(f"mutable default of {name}: use a factory")
        if kw_only and not isinstance(value, Field):
            value = dataclasses.field(default=value, kw_only=True)
        elif isinstance(value, Field) and value.kw_only is MISSING:
            value.kw_only = kw_only
        fields[name] = value
    return fields


def _data_class(cls: type, own: dict[str, object], options: dict[str, bool]) -> type:
    """Return the data class, which is a new class if it has slots."""
    fields: dict[str, object] = {}
    types: dict[str, object] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__own_fields__" in vars(base):
            fields |= vars(base)["__own_fields__"]
            types |= vars(base).get("__annotations__", {})
    fields |= own
    types |= vars(cls).get("__annotations__", {})
    members = _members(cls, fields, types, options) | {"__own_fields__": own}
    if options["slots"]:
        return _with_slots(cls, fields, members)
    for name, member in members.items():
        setattr(cls, name, member)
    for name, value in own.items():
        default = _default(value)
        if default is not MISSING:
            setattr(cls, name, default)
        elif name in vars(cls):
            delattr(cls, name)
    return cls


def _with_slots(cls: type, fields: Iterable[str], members: Mapping[str, object]) -> type:
    namespace = dict(vars(cls))
    for name in (*fields, "__dict__", "__weakref__"):
        namespace.pop(name, None)
    inherited = {slot for base in cls.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    slots = tuple(name for name in fields if name not in inherited)
    with_slots = type(cls)(
        cls.__name__, cls.__bases__, {**namespace, **members, "__slots__": slots}
    )
    with_slots.__qualname__ = cls.__qualname__
    return with_slots


def _members(
    cls: type, fields: dict[str, object], types: dict[str, object], options: dict[str, bool]
) -> dict[str, object]:
    """Return the methods and the description of a data class."""
    frozen = options["frozen"]
    description = _description(fields, types, frozen=frozen)
    members: dict[str, object] = {name: WhenUsed(name, description) for name in _DESCRIBED}
    if options["init"]:
        members["__init__"] = LateInit(
            lambda kind, _: _init(kind, fields, frozen=frozen),
            _filler(fields, frozen=frozen, slots="__slots__" in vars(cls) or options["slots"]),
        )
    if options["repr"]:
        members["__repr__"] = _representation
    if options["eq"]:
        members |= _comparison(cls, fields, frozen=frozen)
    if frozen:
        members |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
        if options["slots"]:
            members |= {"__getstate__": _state, "__setstate__": _restore}
    for name in ("__init__", "__repr__", "__eq__", "__getstate__", "__setstate__"):
        if name in vars(cls):
            members.pop(name, None)
    return members


def _description(
    fields: dict[str, object], types: dict[str, object], *, frozen: bool
) -> Callable[[type, str], object]:
    """Return a function that returns an attribute of `_DESCRIBED`, given the class and the name. It
    takes it from a data class of the standard library with the same fields."""

    def describe(cls: type, name: str) -> object:
        values = {name: value for name, value in fields.items() if value is not MISSING}
        annotations = {name: types[name] for name in fields}
        namespace = {**values, "__annotations__": annotations, "__doc__": "Fields of a data class."}
        namespace["__module__"] = cls.__module__
        is_frozen = frozen and name == "__dataclass_params__"  # else two methods are compiled
        decorate = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=is_frozen)
        return getattr(decorate(type(cls.__name__, (), namespace)), name)

    return describe


def _init(cls: type, fields: Mapping[str, object], *, frozen: bool) -> object:
    """Return the method `__init__`."""
    scope: dict[str, object] = {"set_": object.__setattr__, "unset_": MISSING}
    parameters: dict[bool, list[str]] = {False: ["self"], True: []}
    lines = []
    for name, value in fields.items():
        declared = value if isinstance(value, Field) else None
        default = scope[f"default_{name}"] = _default(value)
        factory = declared.default_factory if declared else MISSING
        source = name
        if declared is None or declared.init:
            parameter = name if default is MISSING else f"{name}=default_{name}"
            if factory is not MISSING:
                scope[f"factory_{name}"] = factory
                parameter = f"{name}=unset_"
                source = f"factory_{name}() if {name} is unset_ else {name}"
            parameters[declared is not None and declared.kw_only is True].append(parameter)
        elif factory is not MISSING:
            scope[f"factory_{name}"] = factory
            source = f"factory_{name}()"
        elif default is not MISSING and "__slots__" in vars(cls):
            source = f"default_{name}"
        else:
            continue
        lines.append(f"set_(self, {name!r}, {source})" if frozen else f"self.{name} = {source}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    head = ", ".join(parameters[False] + ["*"] * bool(parameters[True]) + parameters[True])
    return compiled_method(cls, "__init__", head, lines or ["pass"], scope)


def _filler(
    fields: Mapping[str, object], *, frozen: bool, slots: bool
) -> Callable[[Any, tuple[Any, ...], Mapping[str, Any]], bool]:
    """Return what does the same as `_init`, slowly and without being compiled."""
    set_value = object.__setattr__ if frozen else setattr

    def fill(record: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
        parameters = {n: v for n, v in fields.items() if not isinstance(v, Field) or v.init}
        positional = [n for n, v in parameters.items() if not _is_keyword(v)]
        values = {**dict(zip(positional, args, strict=False)), **named}
        fits = len(values) == len(args) + len(named) and values.keys() <= parameters.keys()
        required = (n for n, v in parameters.items() if n not in values and not _has_default(v))
        if not fits or any(required):
            return False
        for name, value in fields.items():
            if name in values:
                set_value(record, name, values[name])
            elif isinstance(value, Field) and value.default_factory is not MISSING:
                set_value(record, name, value.default_factory())
            elif _has_default(value) and (name in parameters or slots):
                set_value(record, name, _default(value))
        if hasattr(record, "__post_init__"):
            record.__post_init__()
        return True

    return fill


def _is_keyword(value: object) -> bool:
    return isinstance(value, Field) and value.kw_only is True


def _has_default(value: object) -> bool:
    factory = value.default_factory if isinstance(value, Field) else MISSING
    return factory is not MISSING or _default(value) is not MISSING


def _default(value: object) -> object:
    return value.default if isinstance(value, Field) else value


def _comparison(
    cls: type, fields: Mapping[str, object], *, frozen: bool
) -> dict[str, Callable[..., object] | None]:
    """Return the methods `__eq__` and `__hash__` of a data class."""
    compared = _values_of(n for n, v in fields.items() if not isinstance(v, Field) or v.compare)

    def equals(self: object, other: object) -> object:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compared(self) == compared(other)

    own = vars(cls)
    if "__hash__" in own and (own["__hash__"] is not None or "__eq__" not in own):
        return {"__eq__": equals}
    if not frozen:
        return {"__eq__": equals, "__hash__": None}
    hashed = _values_of(
        name
        for name, value in fields.items()
        if not isinstance(value, Field) or (value.compare if value.hash is None else value.hash)
    )
    return {"__eq__": equals, "__hash__": lambda self: hash(hashed(self))}


def _values_of(names: Iterable[str]) -> Callable[[object], tuple[object, ...]]:
    """Return a function that returns the values of some attributes of an object."""
    several = tuple(names)
    if len(several) > 1:
        return attrgetter(*several)
    return lambda record: tuple(getattr(record, name) for name in several)


@recursive_repr()
def _representation(record: Any) -> str:
    shown = (field.name for field in dataclasses.fields(record) if field.repr)
    values = ", ".join(f"{name}={getattr(record, name)!r}" for name in shown)
    return f"{record.__class__.__qualname__}({values})"


def _refuse_set(record: Any, name: str, value: object) -> None:
    if "__own_fields__" in vars(type(record)) or name in record.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(record, name, value)


def _refuse_delete(record: Any, name: str) -> None:
    if "__own_fields__" in vars(type(record)) or name in record.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(record, name)


def _state(record: Any) -> list[object]:
    return [getattr(record, field.name) for field in dataclasses.fields(record)]


def _restore(record: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(record), state, strict=True):
        object.__setattr__(record, field.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
else:
    dataclass, field = _dataclass, dataclasses.field
