"""docs/accuracy.md is what benchmarks/accuracy.py makes of the rows of this repository."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks/accuracy.py"


def test_the_page_has_the_figures_of_today() -> None:
    text = (ROOT / "docs/accuracy.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(SCRIPT))["page"](text) == text, "run benchmarks/accuracy.py --write"
