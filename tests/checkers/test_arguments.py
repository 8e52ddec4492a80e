"""Valid and invalid arguments of built-in checkers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from lve.checkers.arguments import ArgumentError, argument_errors, build
from lve.checkers.library.texts.text import Contains


@dataclass(frozen=True)
class Kind:
    text: str
    number: float = 1.0
    count: int | None = None
    flag: bool = False
    order: Literal["asc", "desc"] = "asc"
    names: tuple[str, ...] = ()
    made: str = field(default="", init=False)


@dataclass(frozen=True)
class Bare:
    """Takes nothing."""


FITS: list[dict[str, Any]] = [
    {"number": 1}, {"number": 1.5}, {"count": None}, {"count": 3}, {"flag": True},
    {"order": "desc"}, {"names": []}, {"names": ["a", "b"]},
]  # fmt: skip
WRONG = [
    ({"text": 5}, "'text' is a text, not 5"),
    ({"text": None}, "'text' is a text, not null"),
    ({"text": True}, "'text' is a text, not true"),
    ({"number": "1"}, "'number' is a number, not '1'"),
    ({"number": True}, "'number' is a number, not true"),
    ({"count": 1.5}, "'count' is a whole number or null, not 1.5"),
    ({"count": True}, "'count' is a whole number or null, not true"),
    ({"flag": 1}, "'flag' is true or false, not 1"),
    ({"flag": "yes"}, "'flag' is true or false, not 'yes'"),
    ({"order": "up"}, "'order' is one of 'asc', 'desc', not 'up'"),
    ({"names": "ab"}, "'names' is a list (a text each), not 'ab'"),
    ({"names": ["a", 5]}, "'names' is a list (a text each), not ['a', 5]"),
    ({"names": {"a": 1}}, "'names' is a list (a text each), not {'a': 1}"),
    ({"text": ["x" * 99]}, "'text' is a text, not a list"),
]


def test_a_list_where_a_text_is_wanted_is_for_another_check() -> None:
    (error,) = argument_errors(Contains, {"contains": ["a", "b"]})
    assert error.hint == "`contains_any` and `contains_all` take a list"
    (error,) = argument_errors(Contains, {"contains": {"a": 1}})
    assert error.hint is None
    (error,) = argument_errors(Kind, {"text": ["a"]})
    assert error.hint is None


def test_a_number_where_a_text_is_wanted_is_put_in_quotes() -> None:
    (error,) = argument_errors(Kind, {"text": 5})
    assert error.hint == 'in quotes it is one: "5"'


@pytest.mark.parametrize("given", FITS, ids=repr)
def test_what_fits_is_taken(given: dict[str, Any]) -> None:
    assert argument_errors(Kind, {"text": "x", **given}) == []
    build(Kind, {"text": "x", **given})


@pytest.mark.parametrize(("given", "message"), WRONG, ids=repr)
def test_values_of_wrong_types_are_reported(given: dict[str, Any], message: str) -> None:
    (error,) = argument_errors(Kind, {"text": "x", **given})
    assert (str(error), error.argument) == (message, next(iter(given)))
    with pytest.raises(ArgumentError):
        build(Kind, {"text": "x", **given})


def test_a_list_is_kept_as_it_was_written() -> None:
    assert build(Kind, {"text": "x", "names": ["a"]}).names == ("a",)


def test_all_problems_are_reported_at_once() -> None:
    errors = argument_errors(Kind, {"txt": "x", "zzz": 1, "made": "", "flag": 0})
    assert [(error.argument, error.hint) for error in errors] == [
        ("txt", "did you mean `text`?"),
        ("zzz", "it takes text, number, count, flag, order, names"),
        ("made", "it takes text, number, count, flag, order, names"),
        (None, None),
        ("flag", None),
    ]
    assert str(errors[3]) == "Kind needs the argument 'text' (a text)"


def test_a_checker_without_arguments_says_so() -> None:
    (error,) = argument_errors(Bare, {"x": 1})
    assert error.hint == "it takes no arguments"


def test_what_an_instance_fills_is_judged_when_it_is_filled() -> None:
    given, filled = {"text": "x", "count": "{n}"}, frozenset({"count"})
    assert argument_errors(Kind, given, placeholders=filled) == []
