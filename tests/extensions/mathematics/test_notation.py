"""Equal mathematical expressions; tests/cases/verdicts/math.json has answers."""

from __future__ import annotations

import pytest

from lve.extensions.mathematics.notation import plain_math, same_math


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("(1, 2)", "( 1,2 )", True),
        ("(1, 2)", "[1, 2]", False),
        ("\\{1, 2\\}", "\\{2, 1\\}", True),
        ("1, 2", "2 and 1", True),
        ("1, 1", "1, 2", False),
        ("(1, 2)", "(1, 2, 3)", False),
        ("x < 1", "x < 1.0", True),
        ("x < 1", "x > 1", False),
        ("2a = 4", "4 = 2a", True),
        ("2a = 2b = 4", "2a = 2b", False),
        ("x = 2", "2", True),
        ("even", "Even", True),
        ("", "", False),
        ("1," * 60, "2," * 60, False),
        ("13\\frac15", "\\frac{66}{5}", True),
        ("2\\frac{1}{2}", "2.5", True),
        ("2 1/2", "2.5", True),
        ("2\\frac{5}{2}", "5", True),
        ("2\\cdot\\frac12", "2.5", False),
        ("-2\\frac13", "-7/3", True),
        ("50\\%", "\\frac12", True),
        ("50\\%", "50", True),
        ("12\\%", "1.2", False),
        ("9,\\!500", "9500", True),
        ("9{,}500", "9500", True),
        ("9\\,500", "9500", True),
        ("1e-3", "10^{-3}", True),
        ("2.5e3", "2500", True),
        ("\\binom52", "10", True),
        ("\\dbinom{6}{3}", "20", True),
        ("{5 \\choose 2}", "10", True),
        ("\\binom{n}{2}", "\\frac{n(n-1)}{2}", True),
        ("\\log_2 8", "3", True),
        ("\\log_{10} 1000", "3", True),
        ("\\log_2 3", "\\log_3 2", False),
        ("9500\\text{ m}^{2}", "9500", True),
        ("9500\\,\\mathrm{m}^2", "9500", True),
        ("2\\pi\\text{ cm}", "2\\pi", True),
        ("2m", "2", False),
        ("0.\\overline{3}", "1/3", True),
        ("0.333", "1/3", False),
        ("3:4", "\\frac34", True),
        ("\\pm 3", "3, -3", True),
        ("\\pm 3", "3", False),
        ("[1,3)", "1 \\le x < 3", True),
        ("[1,3)", "1 < x \\le 3", False),
        ("x > 2", "(2, \\infty)", True),
        ("x > 2", "2 < x", True),
        ("x > 2", "x \\ge 2", False),
        ("y = 2x+1", "2x - y + 1 = 0", True),
        ("y = 2x+1", "y = 2x-1", False),
        ("(3,4)", "x=3, y=4", True),
        ("(3,4)", "x=4, y=3", False),
        ("\\sin^{-1}(1)", "\\pi/2", True),
        ("\\lfloor 3.7 \\rfloor", "3", True),
        ("\\lceil 3.2 \\rceil", "3", False),
        ("\\emptyset", "\\varnothing", True),
        ("11_3", "11", False),
    ],
)
def test_same_math(one: str, other: str, same: bool) -> None:
    assert same_math(one, other) is same


def test_looks_do_not_matter() -> None:
    assert plain_math("\\left( 1{,}234 \\right)\\text{ cm}") == "( 1234 )"


def matrix(kind: str, rows: str) -> str:
    return f"\\begin{{{kind}}}{rows}\\end{{{kind}}}"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (matrix("pmatrix", "1&2\\\\3&4"), matrix("bmatrix", "1 & 2 \\\\ 3 & 4 \\\\"), True),
        (matrix("pmatrix", "1&2\\\\3&4"), matrix("bmatrix", "1&3\\\\2&4"), False),
        (matrix("pmatrix", "1\\\\2"), matrix("pmatrix", "1&2"), False),
        (matrix("pmatrix", "\\frac12&0"), matrix("smallmatrix", "0.5&0"), True),
        (matrix("vmatrix", "1&2\\\\3&4"), "-2", True),
        (matrix("vmatrix", "1&2\\\\3&4"), "2", False),
        ("\\left[\\begin{array}{cc}1&2\\end{array}\\right]", matrix("pmatrix", "1&2"), True),
        ("(1, 2)", matrix("pmatrix", "1\\\\2"), True),
        ("(2, 1)", matrix("pmatrix", "1\\\\2"), False),
        ("5", matrix("pmatrix", "5&5"), False),
        (matrix("pmatrix", "1&2\\\\3"), matrix("pmatrix", "1&2\\\\4"), False),
    ],
)
def test_matrices(one: str, other: str, same: bool) -> None:
    assert same_math(one, other) is same
    assert same_math(other, one) is same
