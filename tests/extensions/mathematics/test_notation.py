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
    ],
)
def test_same_math(one: str, other: str, same: bool) -> None:
    assert same_math(one, other) is same


def test_looks_do_not_matter() -> None:
    assert plain_math("\\left( 1{,}234 \\right)\\text{ cm}") == "( 1234 )"
