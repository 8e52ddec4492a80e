"""What the gate says, in words."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from comparison.compared import compared, verdicts

from lve.reporting.gate_text import gate_line
from lve.reporting.terminal import Terminal

MANY = "P" * 200


@pytest.mark.parametrize(
    ("before", "now", "settings", "line"),
    [
        ("PPP", "PPP", {}, "no regression: none of 3 results broke"),
        ("PPP", "PPF", {"max_broken": 1}, "no regression: 1 of 3 results broke, and 1 may"),
        ("PPP", "PFF", {"max_broken": 1}, "regressed: t (2 of 3 results broke, and 1 may)"),
        (
            MANY,
            MANY,
            {},
            "no significant regression (alpha 0.05); a drop of 3.9 points or more would be noticed "
            "4 times in 5",
        ),
        (MANY, "F" * 50 + "P" * 150, {}, "regressed: t (significantly worse)"),
        (
            MANY,
            "F" * 10 + "P" * 190,
            {"threshold": 0.06, "alpha": 0.01},
            "no significant regression of more than 6 points (alpha 0.01); a drop of ",
        ),
        ("PPP", "PPE", {}, "can't tell: t (1 result had a verdict before and has none now)"),
        ("PPP", "PP", {}, "can't tell: t (1 result of before is gone (`allow_missing` lets that"),
        ("PP", "PP", {"gate": "significant"}, "can't tell (too few rows to tell: with 2 rows, no"),
    ],
)
def test_the_line_of_the_gate(
    tmp_path: Path, before: str, now: str, settings: dict[str, Any], line: str
) -> None:
    comparison = compared(tmp_path, verdicts(before), verdicts(now), **settings)
    assert gate_line(comparison, Terminal(io.StringIO())).startswith(line)
