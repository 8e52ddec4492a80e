from __future__ import annotations

import io
from pathlib import Path

import pytest
from support.compared import compared, verdicts

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


@pytest.mark.parametrize(("rows", "said"), [(8, "p = 0.0078"), (40, "p < 0.0001")])
def test_a_p_value_too_small_to_print_is_less_than_the_smallest(
    tmp_path: Path, rows: int, said: str
) -> None:
    lines = shown(compared(tmp_path, verdicts("P" * rows), verdicts("F" * rows)))
    assert f"    {rows} pairs: {rows} broken, 0 fixed; {said}" in lines


def test_tests_without_a_flip_are_only_counted(tmp_path: Path) -> None:
    same, flipped = verdicts("PPP", "same"), verdicts("PFP", "flipped")
    found = compared(tmp_path, [*same, *verdicts("PPP", "flipped")], [*same, *flipped])
    few, all_ = shown(found), shown(found, shows_all=True)
    assert "? same" not in few
    assert "1 test without a flip (-v shows all)" in few
    assert "? same" in all_


def test_the_worst_comes_first(tmp_path: Path) -> None:
    before = [one for name in "abc" for one in verdicts("P" * 8 + "F" * 8, name)]
    now = [
        *verdicts("P" * 16, "a"),
        *verdicts("P" * 7 + "F" * 9, "b"),
        *verdicts("F" * 16, "c"),
    ]
    marks = [line for line in shown(compared(tmp_path, before, now)) if line[:1] in "✗✓=?" and line]
    assert marks == ["✗ c", "= b", "✓ a"]


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


def test_new_gone_and_errors_are_told(tmp_path: Path) -> None:
    before = [*verdicts("PPPE"), *verdicts("P", "gone")]
    found = compared(tmp_path, before, verdicts("FPPPP"))
    lines = shown(found)
    assert any(line.endswith("; 1 without a verdict, 1 new") for line in lines)
    assert "    nothing to compare: 1 gone" in lines


def test_several_models_are_named(tmp_path: Path) -> None:
    before = [*verdicts("P", model="a"), *verdicts("P", model="b")]
    now = [*verdicts("F", model="a"), *verdicts("F", model="b")]
    lines = shown(compared(tmp_path, before, now))
    assert [line for line in lines if line.startswith("?")] == ["? t  a", "? t  b"]


@pytest.mark.parametrize("count", [3, 8])
def test_an_encoding_without_symbols_gets_words(tmp_path: Path, count: int) -> None:
    found = compared(tmp_path, verdicts("P" * count), verdicts("F" * count))
    lines = shown(found, encoding="ascii")
    assert ("WORSE  t" if count == 8 else "? t") in lines
    "\n".join(lines).encode("ascii")
