"""The values that an option of a run accepts, and its help."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lve.options.option import (
    AMOUNT,
    COUNT,
    FLAG,
    INDEX,
    MAPPING,
    MAX_WHOLE,
    PATH,
    SECONDS,
    TEXT,
    TEXTS,
    Option,
    Values,
    option,
)

RIGHT: list[tuple[Values, list[Any]]] = [
    (FLAG, [True, False]),
    (TEXT, ["", "x"]),
    (TEXTS, [(), ("a", "b")]),
    (MAPPING, [{}, {"a": object()}]),
    (PATH, ["x", Path("x")]),
    (COUNT, [1, MAX_WHOLE]),
    (INDEX, [0, MAX_WHOLE]),
    (AMOUNT, [0, 0.0, 1e300]),
    (SECONDS, [1, 0.001]),
]
WRONG: list[tuple[Values, list[Any]]] = [
    (FLAG, [0, 1, "yes", None]),
    (TEXT, [5, None, b"x"]),
    (TEXTS, ["ab", ["a"], ("a", 5)]),
    (MAPPING, [{5: "a"}, [("a", 1)], None]),
    (PATH, [5, None]),
    (COUNT, [0, -1, 1.0, True, "1", None, MAX_WHOLE + 1, 10**5000]),
    (INDEX, [-1, 0.0, False, MAX_WHOLE + 1]),
    (AMOUNT, [-0.1, True, "1", math.nan, math.inf, 10**400]),
    (SECONDS, [0, 0.0, -1, math.nan, True]),
]


@pytest.mark.parametrize(("values", "right"), RIGHT)
def test_what_is_right(values: Values, right: list[Any]) -> None:
    assert [values.refusal(value) for value in right] == [None] * len(right)


@pytest.mark.parametrize(("values", "wrong"), WRONG)
def test_what_is_wrong_is_shown_beside_what_is_wanted(values: Values, wrong: list[Any]) -> None:
    for value in wrong:
        refusal = values.refusal(value)
        assert refusal is not None, value
        assert ", not " in refusal
        assert len(refusal) < 300


def test_the_sentences_of_a_refusal() -> None:
    assert COUNT.refusal(0) == "a whole number from 1 on, not 0"
    assert (
        COUNT.refusal(MAX_WHOLE + 1) == "a whole number up to 1,000,000,000,000, not 1000000000001"
    )
    assert (
        COUNT.refusal(10**5000)
        == "a whole number up to 1,000,000,000,000, not one with thousands of digits"
    )


@pytest.mark.parametrize(
    ("values", "text", "number"),
    [(COUNT, "5", 5), (INDEX, " 0 ", 0), (AMOUNT, "1e3", 1000.0), (SECONDS, "0.5", 0.5)],
)
def test_a_typed_number_is_read(values: Values, text: str, number: float) -> None:
    assert values.number(text) == number


@pytest.mark.parametrize(
    ("values", "text"),
    [(COUNT, "1.5"), (COUNT, "0"), (COUNT, "many"), (AMOUNT, "-1"), (SECONDS, "nan"), (INDEX, "")],
)
def test_a_typed_number_that_is_wrong_is_refused_in_the_same_words(
    values: Values, text: str
) -> None:
    with pytest.raises(ValueError, match=f"^{values.wanted}, not "):
        values.number(text)


def test_help_has_default_and_range_and_says_what_may_be_repeated() -> None:
    def helped(values: Values, **more: Any) -> str:
        return Option(values, "Do it.", ("run",), "kept", **more).command_line_help

    assert helped(TEXT) == "Do it."
    assert helped(TEXTS) == helped(MAPPING) == "Do it. Repeat for several."
    assert helped(COUNT) == "Do it.  [x>=1]"
    assert helped(COUNT, default_text="5") == "Do it.  [default: 5; x>=1]"
    assert helped(TEXT, default_text="none") == "Do it.  [default: none]"


def test_its_own_placeholder_wins() -> None:
    assert Option(COUNT, "", ("run",), "kept").shown_metavar == "N"
    assert Option(COUNT, "", ("run",), "kept", metavar="DOLLARS").shown_metavar == "DOLLARS"
    assert Option(FLAG, "", ("run",), "kept").shown_metavar is None


def test_every_object_gets_a_mapping_of_its_own() -> None:
    about = Option(MAPPING, "", ("run",), "kept")

    @dataclass
    class Options:
        one: dict[str, Any] = option({}, about)  # noqa: RUF009 (it is a field)

    first, second = Options(), Options()
    first.one["a"] = 1
    assert second.one == {}
