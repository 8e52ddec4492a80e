"""lve's named tuples do what the standard library's do."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

import lve.named_tuples
from lve.late import UNCOMPILED

OURS: Any = lve.named_tuples.NamedTuple


class Pair(OURS):  # type: ignore[misc]
    """Two values."""

    a: int
    """The first."""
    b: str = "x"
    """The second."""

    @property
    def both(self) -> str:
        return f"{self.a}{self.b}"

    def twice(self) -> Pair:
        return typing.cast(Pair, self._replace(a=2 * self.a))


class Expected(typing.NamedTuple):
    """Two values."""

    a: int
    b: str = "x"

    @property
    def both(self) -> str:
        return f"{self.a}{self.b}"

    def twice(self) -> Expected:
        return self._replace(a=2 * self.a)


def outcome(call: Callable[[], object]) -> str:
    try:
        return str(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def facts(kind: Any) -> list[object]:
    pair = kind(1)
    return [
        str(pair).partition("(")[2],
        tuple(pair),
        [pair.both, pair.twice().a, pair.a, pair.b, len(pair), pair == (1, "x"), hash(pair)],
        [kind._fields, kind._field_defaults, kind.__match_args__, pair._asdict()],
        [tuple(kind._make("ab")), outcome(lambda: kind._make("abc")).partition(" got")[0]],
        outcome(lambda: pair._replace(c=1)),
        [kind(b="y", a=2) == kind(2, "y"), outcome(kind).partition(" missing")[2]],
        outcome(lambda: setattr(pair, "a", 2)).partition(":")[0],
        outcome(lambda: setattr(pair, "c", 2)).partition(":")[0],
        list(inspect.signature(kind).parameters),
        [kind.__name__, kind.__module__, kind.__doc__, kind.__mro__[-2]],
        pickle.loads(pickle.dumps(pair)) == pair == copy.deepcopy(pair),
        [type(pickle.loads(pickle.dumps(pair))) is kind, type(pair._replace(a=3)) is kind],
    ]


@pytest.mark.parametrize("number", range(UNCOMPILED + 2))
def test_a_named_tuple_does_what_the_standard_librarys_does(number: int) -> None:
    shown = [str(facts(Pair)).replace("Pair", "Expected"), str(facts(Expected))]
    assert shown[0] == shown[1]


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((1, 2, 3), {}),
    ((1,), {"a": 2}),
    ((1, 2), {"b": 2}),
    ((), {"b": "y"}),
    ((1,), {"c": 2}),
]


@pytest.mark.parametrize(("args", "named"), CALLS)
def test_wrong_arguments_are_refused_whether_or_not_it_is_compiled(
    args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    class Fresh(OURS):  # type: ignore[misc]
        a: int
        b: str = "x"

    first = outcome(lambda: Fresh(*args, **named))
    assert first.startswith("TypeError")
    assert outcome(lambda: Fresh(*args, **named)) == first
    assert "<lambda>" not in first
    assert (Fresh(1), Fresh(b="y", a=1)) == ((1, "x"), (1, "y"))


def test_a_signature_is_that_of_the_fields_before_and_after_it_is_compiled() -> None:
    class Fresh(OURS):  # type: ignore[misc]
        a: int
        b: str = "x"

    for _ in range(UNCOMPILED + 2):
        assert str(inspect.signature(Fresh)) == "(a, b='x')"
        assert Fresh(1) == (1, "x")


def test_a_class_derived_from_a_named_tuple_makes_its_own_objects() -> None:
    class Named(Pair):
        __slots__ = ()

    assert repr(Named(1)) == "Named(a=1, b='x')"
    assert type(Named(1).twice()) is Named
    assert type(Pair(1)) is Pair


def test_a_named_tuple_may_have_no_fields() -> None:
    class Empty(OURS):  # type: ignore[misc]
        """Nothing."""

    assert Empty() == ()
    with pytest.raises(TypeError, match="positional"):
        Empty(1)
