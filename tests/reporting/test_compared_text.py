"""The summary of a comparison, and what flipped."""

from __future__ import annotations

import io
from pathlib import Path

from comparison.compared import compared, verdicts

from lve.comparison.compared import Comparison
from lve.extensions.comparing.comparison_text import comparison_lines
from lve.reporting.terminal import Terminal


def shown(found: Comparison, *, shows_all: bool = False, encoding: str = "utf-8") -> list[str]:
    terminal = Terminal(io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    return list(comparison_lines(found, terminal, shows_all=shows_all))


def test_where_too_little_passed_before_no_drop_is_stated(tmp_path: Path) -> None:
    before = verdicts("PP" + "F" * 20)
    lines = shown(compared(tmp_path, before, before))
    why = "too little passed before for a drop to be noticed"
    assert f"not significant: 1 test; {why}" in lines


def test_no_difference_is_said_only_with_the_drop_that_would_be_seen(tmp_path: Path) -> None:
    lines = shown(compared(tmp_path, verdicts("P" * 40), verdicts("P" * 40)))
    drop = "with 40 rows, a drop of 19.0 points or more would be noticed 4 times in 5"
    assert f"not significant: 1 test; {drop}" in lines
    assert lines[-1] == "no regression: none of 40 results broke"
    found = compared(tmp_path / "2", verdicts("P" * 99), verdicts("P" * 99), gate="significant")
    power = "a drop of 7.9 points or more would be noticed 4 times in 5"
    assert shown(found)[-1] == f"no significant regression (alpha 0.05); {power}"


def test_too_few_instances_are_no_evidence_of_anything(tmp_path: Path) -> None:
    lines = shown(compared(tmp_path, verdicts("PPP"), verdicts("PPP")))
    few = "too few rows to tell: 1 test; it takes 6 rows that change, all in one direction"
    assert few in lines
    assert not any("significant" in line for line in lines)


def test_long_lists_of_flips_are_cut_unless_all_are_wanted(tmp_path: Path) -> None:
    found = compared(tmp_path, verdicts("P" * 9), verdicts("F" * 9))
    few, all_ = shown(found), shown(found, shows_all=True)
    assert sum(line.startswith("broken: ") for line in few) == 5
    assert "and 4 more broken (`lve compare -v` or --json has more)" in few
    assert sum(line.startswith("broken: ") for line in all_) == 9


def test_all_tests_together_are_told(tmp_path: Path) -> None:
    before = [one for name in "abcdefghij" for one in verdicts("PPPP", name)]
    now = [one for name in "abcdefghij" for one in verdicts("PPPF", name)]
    lines = shown(compared(tmp_path, before, now))
    assert any(line.startswith("all 10 tests together: 100.0% -> 75.0%: -25.0") for line in lines)
    assert lines[-1] == "regressed: a, b, c, d, e and 5 more (10 of 40 results broke)"
    lines = shown(compared(tmp_path / "2", before, now, gate="significant"))
    assert lines[-1] == "regressed, all tests together (significantly worse)"
