"""The lines about single tests of a comparison."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from comparison.compared import compared, verdicts

from lve.comparison.compared import Comparison
from lve.extensions.comparing.comparison_text import comparison_lines
from lve.reporting.terminal import Terminal


def shown(found: Comparison, *, shows_all: bool = False, encoding: str = "utf-8") -> list[str]:
    terminal = Terminal(io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    return list(comparison_lines(found, terminal, shows_all=shows_all))


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
