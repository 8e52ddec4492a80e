"""Counts with their nouns and verbs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lve.plurals import amount, amount_of

LVE = Path(__file__).parents[1] / "lve"
BY_HAND = re.compile(r"['\"]1 [a-z ]+['\"] if\b|(''|\"\") if .{1,60} == 1 else ['\"]s\b")
"""A plural that is made in place."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (amount(1, "row"), "1 row"),
        (amount(0, "row"), "0 rows"),
        (amount(2_000, "row", "has"), "2,000 rows have"),
        (amount(1, "check", "is"), "1 check is"),
        (amount_of(1, 1, "row", "has"), "1 of 1 row has"),
        (amount_of(1, 3, "row", "has"), "1 of 3 rows has"),
        (amount_of(0, 1, "pair", "is"), "0 of 1 pair are"),
        (amount_of(2, 3_000, "result"), "2 of 3,000 results"),
    ],
)
def test_nouns_follow_the_total_and_verbs_what_is_counted(text: str, expected: str) -> None:
    assert text == expected


def test_only_one_module_makes_plurals() -> None:
    by_hand = {
        path.relative_to(LVE).as_posix()
        for path in LVE.rglob("*.py")
        if BY_HAND.search(path.read_text("utf-8"))
    }
    assert by_hand == {"plurals.py"}
