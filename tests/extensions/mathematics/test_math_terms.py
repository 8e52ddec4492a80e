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


@pytest.mark.parametrize(
    ("term", "same"),
    [
        (r"\sec(x)", r"1/\cos(x)"), (r"\csc(x)", r"1/\sin(x)"), (r"\cot(x)", r"\cos(x)/\sin(x)"),
        (r"\tan(x)", r"\sin(x)/\cos(x)"), (r"\tanh(x)", r"\sinh(x)/\cosh(x)"),
        (r"\sinh(x)", r"(e^x - e^(-x))/2"), (r"\cosh(x)", r"(e^x + e^(-x))/2"),
        (r"\exp(x)", "e^x"), (r"\ln(x)", r"\log(x)/\log(e)"), (r"\lg(x)", r"\log(x)"),
        (r"\log(10^x)", "x"), (r"\sqrt(x)", "x^(1/2)"), (r"\sin(\arcsin(x/3))", "x/3"),
        (r"\cos(\arccos(x/3))", "x/3"), (r"\tan(\arctan(x))", "x"), (r"\abs(-x)", "x"),
        (r"\floor(7/2)", "3"), (r"\ceil(7/2)", "4"), (r"\floor(3)", "3"), (r"\ceil(3)", "3"),
        (r"\floor(-7/2)", "-4"), (r"\ceil(-7/2)", "-3"), ("i^2", "-1"), (r"e^{i\pi}", "-1"),
    ],
)  # fmt: skip
def test_functions_are_those_of_mathematics(term: str, same: str) -> None:
    assert same_term(term, same)
    assert not same_term(term, f"{same}+1/1000")
