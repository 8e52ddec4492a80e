"""The estimated work of searching answers for texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.judging import judge_of

from lve.checkers.contract import CheckContext
from lve.checkers.library.texts.text import Contains, ContainsAny
from lve.errors import SpecError


@pytest.mark.parametrize(
    ("length", "work"),
    [(0, 0), (100, 100 + 200 + 1000), (30_000, 390_000), (1_000_000, 11_060_000)],
)
def test_only_short_answers_are_searched_in_quadratic_time(length: int, work: int) -> None:
    """In CPython the two-way algorithm begins at 30,000 characters for short sought texts."""
    assert Contains("8 signs.").work_on(length, CheckContext(())) == work


def test_each_text_is_searched_for_and_the_answer_folded_once() -> None:
    context = CheckContext(())
    once, twice = (ContainsAny(("abcd",) * n).work_on(1000, context) for n in (1, 2))
    assert (once, twice) == (12_000, 14_000)


@pytest.mark.parametrize("text", ["", " ", [], ["a", " "]])
def test_nothing_to_compare_with_is_an_error_at_its_argument(text: object, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        judge_of({"text": text}, tmp_path)
    place, _, _ = str(caught.value).partition(": 'text' is empty")
    assert place.endswith(" $.check.text")
