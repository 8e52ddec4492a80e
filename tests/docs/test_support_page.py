"""tests/support/README.md names each helper once, so that nobody writes it a second time."""

from __future__ import annotations

import re
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / "support"


def test_the_page_names_every_helper_once() -> None:
    page = (SUPPORT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(.+?)\]\((.+?)\) \| .+ \|$", page, re.MULTILINE)
    files = [path.name for path in SUPPORT.glob("*.py")]
    folders = [f"{path.parent.name}/" for path in SUPPORT.glob("*/[!_]*.py")]
    assert sorted(rows) == sorted((name, name) for name in {*files, *folders})
