"""Long values in messages."""

from __future__ import annotations

import pytest

from lve.escape import SHOWN_NAMES, excerpt, listed


@pytest.mark.parametrize(
    ("value", "expected"),
    [("x" * 60, "x" * 60), ("x" * 61, "x" * 57 + "..."), (12, "12"), ("", "")],
)
def test_a_long_value_is_cut(value: object, expected: str) -> None:
    assert excerpt(value) == expected


def test_the_first_names_are_listed_and_the_others_counted() -> None:
    assert listed([]) == "none"
    assert listed(["a", "b"]) == "a, b"
    many = listed([str(n) for n in range(SHOWN_NAMES + 1_500)])
    assert many.endswith(f", {SHOWN_NAMES - 1} and 1,500 more")
