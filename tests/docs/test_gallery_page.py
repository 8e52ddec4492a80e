"""docs/gallery.md shows the patterns as they are."""

from __future__ import annotations

import runpy
from pathlib import Path

from lve.extensions.authoring.patterns import pattern_names

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date() -> None:
    found = runpy.run_path(str(DOCS / "generate_gallery.py"))
    page = found["PAGE"].read_text(encoding="utf-8")
    assert page == found["page"](), "run: make docs"
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == pattern_names()
