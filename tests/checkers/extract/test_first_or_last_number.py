"""Numbers found in answers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.checkers.extract.first_or_last_number import EXTRACTS, extract_number

CASES = json.loads((Path(__file__).parents[2] / "cases/checkers/numbers.json").read_text())


@pytest.mark.parametrize(("extract", "text", "expected"), CASES)
def test_number_of_a_text(extract: Any, text: str, expected: Any) -> None:
    found = extract_number(text, extract)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(("digits", "is_read"), [(2, True), (399, True), (400, True), (401, False)])
@pytest.mark.parametrize("sign", ["", "-"])
def test_longer_numbers_than_any_answer_needs_are_passed_by(
    digits: int, is_read: bool, sign: str
) -> None:
    number = sign + "7" * (digits - len(sign))
    assert extract_number(f"{number} or 5", "int_first") == (int(number) if is_read else 5)
    assert extract_number(f"5 or {number}", "int_last") == (int(number) if is_read else 5)


@given(st.integers(-(10**12), 10**12))
def test_whole_numbers_are_found_in_every_spelling(number: int) -> None:
    for text in (f"{number}", f"{number:,}", f"{number:_}", f"is {number}.", f"({number})"):
        assert extract_number(text, "int_first") == number
        assert extract_number(text, "int_last") == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_decimals_are_found(number: float) -> None:
    found = extract_number(f"about {number!r} or so", "float_first")
    assert found is not None
    assert math.isclose(found, number)


@given(st.text("0123456789.,'-+eE_ $a"), st.sampled_from(EXTRACTS))
def test_any_text_gives_a_finite_number_or_none(text: str, extract: Any) -> None:
    found = extract_number(text, extract)
    assert found is None or isinstance(found, int) or math.isfinite(found)
