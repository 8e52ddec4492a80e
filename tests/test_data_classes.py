"""lve's data classes do what the standard library's do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import lve.data_classes
from lve.late import UNCOMPILED

Decorator = Callable[..., Any]
OURS: Decorator = lve.data_classes.dataclass
OPTIONS: list[dict[str, bool]] = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "kw_only": True},
    {"eq": False, "slots": True},
    {"repr": False, "frozen": True, "slots": True},
]


def classes(dataclass: Decorator, **options: bool) -> list[Any]:
    """Return a class and one that derives from it."""

    @dataclass(**options)
    class Plain:
        a: int
        b: str = "x"
        c: list[int] = dataclasses.field(default_factory=list, compare=False)
        d: int = dataclasses.field(default=4, repr=False, kw_only=True)
        e: int = dataclasses.field(default=5, init=False)
        f: float = dataclasses.field(default=0.0, hash=False)
        shared: ClassVar[int] = 7

        def __post_init__(self) -> None:
            object.__setattr__(self, "e", self.a + 1)

    @dataclass(**options)
    class Derived(Plain):
        b: str = "y"
        g: tuple[int, ...] = ()

    return [Plain, Derived]


def outcome(call: Callable[[], object]) -> object:
    """Return what a call returns, or the kind and message of its error."""
    try:
        return call()
    except Exception as error:
        return type(error), str(error).replace("make.<locals>.", "")


def facts(kind: Any, options: dict[str, bool]) -> list[object]:
    """Return what can be seen of a class and its objects."""
    positional = () if options.get("kw_only") else (1,)
    named = {"a": 1} if options.get("kw_only") else {}
    one, same = kind(*positional, **named), kind(*positional, c=[9], **named)
    other = dataclasses.replace(one, a=2, f=float("nan"))
    has_value = options.get("eq", True)
    return [
        repr(one).partition(" object at ")[0],
        [one == same, one == other, one == 1, other == copy.copy(other)],
        outcome(lambda: hash(one) == hash(same)) if has_value else "by identity",
        outcome(lambda: hash(one) == hash(dataclasses.replace(one, f=2.0))) if has_value else "",
        [dataclasses.asdict(one), dataclasses.astuple(other)[:2]],
        outcome(lambda: dataclasses.replace(one, e=1)),
        outcome(lambda: setattr(one, "b", "z")),
        outcome(lambda: delattr(copy.copy(one), "b")),
        hasattr(one, "__dict__"),
        kind.__match_args__,
        getattr(kind, "__slots__", None),
        [(f.name, f.type, f.kw_only, f.init, f.repr) for f in dataclasses.fields(kind)],
        [
            (p.name, p.kind, p.default is p.empty)
            for p in inspect.signature(kind).parameters.values()
        ],
        [outcome(kind), outcome(lambda: kind(*positional, h=1, **named))],
        [kind.shared, one.e, one.c, kind.__init__.__qualname__, kind.__module__],
        dataclasses.asdict(copy.deepcopy(one)),
    ]


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_data_class_does_what_the_standard_librarys_does(
    options: dict[str, bool], is_compiled: bool
) -> None:
    pairs = zip(classes(OURS, **options), classes(dataclasses.dataclass, **options), strict=True)
    for ours, expected in pairs:
        assert is_compiled is False or ours.__init__  # looking at it compiles it
        assert [str(fact) for fact in facts(ours, options)] == [
            str(fact) for fact in facts(expected, options)
        ]


@OURS(frozen=True, slots=True)
class Point:
    """A point."""

    x: int
    y: int = 0

    def __repr__(self) -> str:
        return f"<{self.x}, {self.y}>"


class Named(Point):
    """A class that isn't a data class."""

    name = "n"


def test_frozen_objects_with_slots_are_pickled_and_copied() -> None:
    point = Point(1, 2)
    assert pickle.loads(pickle.dumps(point)) == copy.copy(point) == point
    assert repr(point) == "<1, 2>"
    assert point != Named(1, 2)
    assert hash(point) == hash(Point(1, 2))


def test_a_class_that_derives_from_a_frozen_one_may_have_more_attributes() -> None:
    named = Named(1)
    named.name = "m"
    assert named.name == "m"
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        named.x = 3  # type: ignore[misc]


def test_the_standard_librarys_data_classes_derive_from_ours_and_ours_from_them() -> None:
    @dataclasses.dataclass(frozen=True)
    class Theirs(Point):
        z: int = 3

    @OURS(frozen=True)
    class Ours(Theirs):
        w: int = 4

    assert dataclasses.asdict(Ours(1)) == {"x": 1, "y": 0, "z": 3, "w": 4}
    assert Theirs(1, z=5) == dataclasses.replace(Theirs(1), z=5)
    with pytest.raises(TypeError, match="frozen"):
        dataclasses.dataclass(type("Loose", (Point,), {"__annotations__": {}}))


def test_methods_of_the_class_itself_stay() -> None:
    @OURS
    class Own:
        a: int = 1

        def __init__(self) -> None:
            self.a = 5

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 3

    assert (Own(), hash(Own()), Own().a) == (1, 3, 5)


def test_one_object_is_equal_to_itself_whatever_its_field() -> None:
    nan = float("nan")
    one_field = dataclasses.make_dataclass("One", [("a", float)])
    ours = OURS(type("One", (), {"__annotations__": {"a": "float"}, "__module__": __name__}))
    assert (ours(nan) == ours(nan)) is (one_field(nan) == one_field(nan)) is True
    empty = OURS(type("None_", (), {"__module__": __name__}))
    assert empty() == empty()


def test_a_mutable_default_and_an_unknown_option_are_refused() -> None:
    mutable = {"__annotations__": {"a": "list[int]"}, "a": []}
    with pytest.raises(ValueError, match="factory"):
        OURS(type("Mutable", (), mutable))
    with pytest.raises(TypeError, match="kw_only"):
        OURS(order=True)


def test_a_class_that_contains_itself_is_shown() -> None:
    @OURS
    class Circle:
        inner: object = None

    circle = Circle()
    circle.inner = circle
    assert repr(circle).endswith("Circle(inner=...)")


def test_nothing_is_compiled_before_it_is_used() -> None:
    code = (
        "import builtins, dataclasses, lve.data_classes, lve.named_tuples\n"
        "sources = []\n"
        "real = builtins.exec\n"
        "builtins.exec = lambda source, *scopes: (sources.append(source), real(source, *scopes))\n"
        "@lve.data_classes.dataclass(frozen=True, slots=True)\n"
        "class A:\n    'doc'\n    a: int = 1\n"
        "class B(lve.named_tuples.NamedTuple):\n    b: int = 1\n"
        "before = len(sources)\n"
        f"[(A(), A(a=2), B(), B(2)) for _ in range({UNCOMPILED // 2})]\n"
        "few = len(sources)\n"
        "A(), A(), B(), B()\n"
        "print(before, few, len(sources))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["0", "0", "2"]


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((), {"b": "y"}),
    ((1, "x", [], 4), {}),
    ((1, "x", [], 4, 5, 6.0, 7, 8, 9), {}),
    ((1,), {"a": 1}),
    ((), {"a": 1, "e": 5}),
    ((), {"a": 1, "unknown": 1}),
    ((), {"a": 1, "self": 1}),
]


@pytest.mark.parametrize(("args", "named"), CALLS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_first_call_does_what_all_others_do(
    options: dict[str, bool], args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    theirs, ours = classes(dataclasses.dataclass, **options), classes(OURS, **options)
    for kinds in zip(theirs, ours, strict=True):
        expected, first = (
            str(outcome(lambda kind=kind: kind(*args, **named))).partition(" object at ")[0]
            for kind in kinds
        )
        assert first == expected


def test_the_first_objects_have_slots_and_defaults_of_classes_below() -> None:
    @OURS(slots=True)
    class Above:
        a: int = dataclasses.field(default=1, init=False)
        b: list[int] = dataclasses.field(default_factory=list, init=False)

    class Below(Above):
        """Not a data class, without slots."""

        def __init__(self) -> None:
            super().__init__()
            self.c = 2

    first, second = Below(), Below()
    assert (first.a, first.b, first.c) == (1, [], 2)
    assert first.b is not second.b


@pytest.mark.parametrize("options", OPTIONS)
def test_they_say_whether_they_are_frozen(options: dict[str, bool]) -> None:
    both = [classes(decorate, **options) for decorate in (OURS, dataclasses.dataclass)]
    assert [cls.__dataclass_params__.frozen for cls in both[0]] == [
        cls.__dataclass_params__.frozen for cls in both[1]
    ]
