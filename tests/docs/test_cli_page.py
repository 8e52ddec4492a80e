"""docs/cli.md is what the commands say of themselves."""

from __future__ import annotations

import runpy
from pathlib import Path

from support.old_click import new_click

DOCS = Path(__file__).parents[2] / "docs"


@new_click
def test_page_is_up_to_date() -> None:
    generated = runpy.run_path(str(DOCS / "generate_cli.py"))["page"]()
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == generated, "run `make docs`"
