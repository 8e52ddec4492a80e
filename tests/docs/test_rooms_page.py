"""docs/rooms.md is what the folders say of themselves."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_that_of_today() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "generate_rooms.py"))["page"]()
    assert (ROOT / "docs" / "rooms.md").read_text(encoding="utf-8") == page, "run `make docs`"


def test_every_folder_of_code_is_on_the_page() -> None:
    page = (ROOT / "docs" / "rooms.md").read_text(encoding="utf-8")
    folders = {file.parent.relative_to(ROOT) for file in (ROOT / "lve").glob("*/*/__init__.py")}
    assert len(folders) > 60
    missing = [str(one) for one in folders if f"`{one.as_posix()}/`" not in page]
    assert sorted(missing) == []
