"""Terms and their values."""

from __future__ import annotations

import pytest

from lve.extensions.mathematics.math_terms import same_term


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2(x+1)", "2x + 2"),
        ("2[(x+1) + 1]", "2x + 4"),
        ("\\frac12", ".5"),
        ("\\frac{x}{2}", "0.5x"),
        ("\\sqrt[3]{8}", "2"),
        ("\\sqrt2", "2^{1/2}"),
        ("-2^2", "-4"),
        ("2^-1", "1/2"),
        ("\\sin^2 x + \\cos^2 x", "1"),
        ("|-3|", "3"),
        ("5!", "120"),
        ("e^{i\\pi}", "-1"),
        ("x_1 + x_2", "x_2 + x_1"),
        ("\\ln(e)", "+1"),
    ],
)
def test_equal_terms(one: str, other: str) -> None:
    assert same_term(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x", "y"),
        ("x_1", "x_2"),
        ("1/0", "1/0"),
        ("2^", "2^"),
        ("(1", "(1"),
        ("|1", "1"),
        ("\\sqrt[2 x", "1"),
        ("?", "?"),
        ("1)", "1"),
        ("(" * 500, "1"),
        ("9^9^9^9", "9^9^9^9"),
        ("(-1)!", "1"),
        ("171!", "171!"),
    ],
)
def test_terms_that_differ_or_are_none(one: str, other: str) -> None:
    assert not same_term(one, other)
