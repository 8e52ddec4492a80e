"""The values that an option accepts, and how what is typed or comes from Python is read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from lve.options.values import (
    AMOUNT,
    COUNT,
    EXPRESSION,
    FLAG,
    GATE,
    INDEX,
    MAPPING,
    MAX_WHOLE,
    MODEL_ARGS,
    PAIRS,
    PATH,
    ROWS,
    SECONDS,
    SHARD,
    TEXT,
    TEXTS,
    Values,
)

RIGHT: list[tuple[Values, list[Any]]] = [
    (FLAG, [True, False]),
    (TEXT, ["", "x"]),
    (TEXTS, [(), ("a", "b")]),
    (MAPPING, [{}, {"a": object()}]),
    (MODEL_ARGS, [{}, {"a": [object()]}]),
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
    assert values.typed(text) == number


@pytest.mark.parametrize(
    ("values", "text"),
    [(COUNT, "1.5"), (COUNT, "0"), (COUNT, "many"), (AMOUNT, "-1"), (SECONDS, "nan"), (INDEX, "")],
)
def test_a_typed_number_that_is_wrong_is_refused_in_the_same_words(
    values: Values, text: str
) -> None:
    with pytest.raises(ValueError, match=f"^must be {values.in_words}, not "):
        values.typed(text)


@pytest.mark.parametrize(
    ("values", "text", "value"),
    [
        (TEXT, "x", "x"),
        (EXPRESSION, "a and b", "a and b"),
        (GATE, "any", "any"),
        (TEXTS, ["a", "b"], ("a", "b")),
        (TEXTS, (), ()),
        (MAPPING, ["a=1", "b=", "c=x=y"], {"a": "1", "b": "", "c": "x=y"}),
        (MODEL_ARGS, ["a=1", "b=null", "c=[x, 0.5]"], {"a": 1, "b": None, "c": ["x", 0.5]}),
        (PAIRS, [], {}),
        (PATH, "state", Path("/home/state")),
        (PATH, "/state", Path("/state")),
        (FLAG, " Yes ", True),
        (FLAG, "off", False),
        (FLAG, True, True),
    ],
)
def test_what_is_typed_is_converted(values: Values, text: Any, value: Any) -> None:
    assert values.typed(text, Path("/home")) == value


def test_a_typed_path_is_relative_to_the_current_folder() -> None:
    assert PATH.typed("state") == Path("state").absolute()


@pytest.mark.parametrize(
    ("values", "text", "problems"),
    [
        (
            ROWS,
            "0",
            ["must be row numbers from 1 on such as 10-20,30: rows count from 1, and '0' "],
        ),
        (SHARD, "3", ["must be a shard such as 3/8, not '3'"]),
        (EXPRESSION, "a b", ["must be an expression such as "]),
        (GATE, "x", ["must be `auto`, `significant` or `any`, not 'x'"]),
        (MAPPING, ["a", "=1"], ["'a' is not NAME=VALUE", "'=1' is not NAME=VALUE"]),
        (MAPPING, ["a=1", "a=2"], ["'a' is given twice"]),
        (PAIRS, ["a=", "b=x"], ["'a=' is not NAME=VALUE"]),
        (MODEL_ARGS, ["a=["], ["'[' is not a YAML value: "]),
        (MODEL_ARGS, ["api_key=x"], ["a key can't be given as `api_key`: put it into"]),
        (FLAG, "maybe", ["'maybe' is neither on (1, true, yes) nor off (0, false, no)"]),
    ],
)
def test_each_problem_of_what_is_typed_is_told(
    values: Values, text: Any, problems: list[str]
) -> None:
    with pytest.raises(ValueError) as error:
        values.typed(text)
    assert len(error.value.args) == len(problems)
    for message, beginning in zip(error.value.args, problems, strict=True):
        assert message.startswith(beginning)


@pytest.mark.parametrize(
    ("values", "given", "value"),
    [
        (TEXTS, "ab", ("ab",)),
        (TEXTS, ["a", "b"], ("a", "b")),
        (TEXTS, 5, 5),
        (MAPPING, None, {}),
        (MAPPING, {"a": "1"}, {"a": "1"}),
        (PATH, "state", Path("state")),
        (PATH, None, None),
        (PATH, 5, 5),
        (COUNT, "1", "1"),
        (TEXT, "x", "x"),
    ],
)
def test_a_value_from_python_is_converted_or_left_for_its_refusal(
    values: Values, given: Any, value: Any
) -> None:
    assert values.from_python(given) == value
    assert type(values.from_python(given)) is type(value)
