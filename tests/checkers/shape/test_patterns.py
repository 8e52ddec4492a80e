"""Patterns of phrases."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lve.checkers.extract.quantities.word_lists import lists_in
from lve.checkers.shape.patterns import TABLE, pattern, patterns_in


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


@pytest.mark.parametrize(
    ("read", "text"),
    [(patterns_in, "[a]\n  x\n[b]\n  y\n[a]\n  z\n"), (lists_in, "a\tx\nb\ty\na\tz\n")],
)
def test_a_name_that_is_used_twice_is_an_error(
    read: Callable[[Path], object], text: str, tmp_path: Path
) -> None:
    file = tmp_path / "table"
    file.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"has \[?a\]? twice"):
        read(file)


LVE = Path(__file__).parents[3] / "lve"
LISTS = ("word_lists.tsv", "sentence_words.tsv", "cues.tsv")


@pytest.mark.parametrize("file", sorted(f for f in LVE.rglob("*") if f.name in LISTS), ids=str)
def test_no_list_is_replaced_by_one_of_its_name(file: Path) -> None:
    assert len(lists_in(file)) == len(file.read_text("utf-8").splitlines())
