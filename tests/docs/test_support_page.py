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


def test_what_the_page_says_of_other_folders_is_there() -> None:
    page = (SUPPORT / "README.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`.+`) \| .+ \|$", page, re.MULTILINE)
    first = [Path(cell.split("`")[1]) for cell in cells]
    names = [
        (path.parent, name)
        for cell, path in zip(cells, first, strict=True)
        for name in re.findall(r"`([^`/]+\.py)`", cell)
    ]
    assert len(first) > 10
    for path in (*first, *(folder / name for folder, name in names)):
        assert (SUPPORT.parent / path).is_file(), path
