"""Characters and notations that mean the same are read as one."""

from __future__ import annotations

import pytest

from lve.checkers.shape.characters import plain_notation, unified

SIGNS = [
    "- 5",
    "- $5$",
    "\u2212 5",
    "{-}5",
    "-\\,5",
    "-\\ {5}",
    "-(5)",
    "\\mathrm{-}5",
    "minus $5$",
]


@pytest.mark.parametrize("text", SIGNS)
@pytest.mark.parametrize("before", ["", "x = ", "It fell to ", "**", "\\boxed{", "["])
def test_a_minus_before_which_no_number_stands_is_a_sign(before: str, text: str) -> None:
    assert plain_notation(before + text) == f"{before}-5"


@pytest.mark.parametrize(
    "text",
    [
        "7 - 5",
        "$x$ - 5",
        "Total - 5",
        "**Apples** - 5",
        "- 5 apples",
        "- 5\n- 3",
        "7 -\\,5",
        "7 - (5)",
    ],
)
def test_a_difference_a_dash_and_a_mark_of_a_list_are_none(text: str) -> None:
    assert plain_notation(text) == text


def test_what_is_raised_is_a_power() -> None:
    assert plain_notation("24 cm<sup>2</sup>, 10\\textsuperscript{-2}") == "24 cm^2, 10^-2"
    assert plain_notation("the 5<sup>th</sup>") == "the 5<sup>th</sup>"


def test_digits_of_all_scripts_are_those_of_ascii() -> None:
    assert unified("\u0665\uff15\u096b") == "555"
