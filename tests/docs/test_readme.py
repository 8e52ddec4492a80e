"""README.md: its example works and prints what the page shows; its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.command_line import lve

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILE = re.compile(r"```(?:yaml|text) (\S+)\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"```console\n\$ lve (.*?)\n(.*?)```", re.DOTALL)
VARYING = re.compile(r"\d+\.\d s$|\d{8}-\d{6}-\d{3}-\w{4}", re.MULTILINE)

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def headings(page: Path) -> set[str]:
    """Return the anchors that GitHub gives a page's headings."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}


def test_the_example_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in FILE.findall(README):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    commands = COMMAND.findall(README)
    assert len(commands) == 3
    for command, shown in commands:
        result = lve(*command.split(), code=None)
        assert VARYING.sub("~", result.stdout) == VARYING.sub("~", shown), command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8"))
    for file, heading in links:
        if "://" not in file:
            target = page.parent / file if file else page
            assert target.exists(), file
            assert not heading or heading in headings(target), heading
