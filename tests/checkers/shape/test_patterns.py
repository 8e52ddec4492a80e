"""Patterns of phrases."""

from __future__ import annotations

import re

from lve.checkers.shape.patterns import TABLE, pattern


def test_the_parts_of_a_pattern_are_joined() -> None:
    assert re.fullmatch(pattern("equals"), "=>")
    assert pattern("adjunct").startswith("(?<=\\s)(?:after|before|")


def test_a_pattern_can_name_others() -> None:
    assert pattern("concluded").startswith(f"(?i){pattern('equals')}|")
    assert "<<" not in pattern("judged")


def test_all_patterns_are_valid_and_have_one_name() -> None:
    names = re.findall(r"(?m)^\[(\w+)\]$", TABLE.read_text(encoding="utf-8"))
    assert len(names) > 20
    assert sorted({*names}) == sorted(names)
    assert all(re.compile(pattern(name)) for name in names)
