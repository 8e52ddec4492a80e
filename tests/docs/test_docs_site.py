"""The docs as a site: built strictly, complete, and the same as what GitHub shows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

cmarkgfm = pytest.importorskip("cmarkgfm")
cmark = pytest.importorskip("cmarkgfm.cmark")
pytest.importorskip("material", reason="mkdocs-material is not installed")

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
BLOCKS = re.compile(r"<(pre|li|h[1-6]|td|th)\b")
FOREIGN = re.compile(r'<(?:script|img|iframe|link)\b[^>]*?(?:src|href)="(?:https?:)?//[^"]*"[^>]*>')


def build(root: Path, into: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(into)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("docs") / "site"
    done = build(ROOT, into)
    assert done.returncode == 0, done.stdout + done.stderr
    return into


def blocks(html: str) -> Counter[str]:
    return Counter(BLOCKS.findall(html))


def article(page: str) -> str:
    """Return what is between a page's header and footer, without the title that the theme adds to
    code blocks."""
    found = re.search(r"<article.*?>(.*?)</article>", page, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_what_github_shows(page: Path, site: Path) -> None:
    built = (site / f"{page.stem}.html").read_text(encoding="utf-8")
    github = cmarkgfm.github_flavored_markdown_to_html(
        page.read_text(encoding="utf-8"), options=cmark.Options.CMARK_OPT_FOOTNOTES
    )
    assert blocks(article(built)) == blocks(github)


def test_pages_that_name_everything_come_last_in_the_search(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    boosts = {one["location"].split("#")[0]: one.get("boost", 1) for one in index["docs"]}
    last = {page for page, boost in boosts.items() if boost < 1}
    assert last == {"messages.html", "changelog.html", "error-kinds.html", "rooms.html"}
    assert boosts["messages.html"] == boosts["changelog.html"] == min(boosts.values())


def test_pages_load_nothing_from_strangers(site: Path) -> None:
    for page in site.rglob("*.html"):
        foreign = FOREIGN.findall(page.read_text(encoding="utf-8"))
        assert [one for one in foreign if 'rel="canonical"' not in one] == [], page


def test_the_theme_s_program_asks_github_nothing(site: Path) -> None:
    """It asks for stars and releases where a page has this mark."""
    (program,) = (site / "assets" / "javascripts").glob("bundle.*.js")
    assert "api.github.com" in program.read_text(encoding="utf-8")
    for page in site.rglob("*.html"):
        assert 'data-md-component="source"' not in page.read_text(encoding="utf-8"), page


def test_links_out_of_the_docs_lead_to_files_of_the_repository(site: Path) -> None:
    found = set()
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        found |= set(re.findall(r'href="https://github.com/lve-org/lve/blob/main/([^"#]+)', text))
    assert "benchmarks/README.md" in found
    assert [file for file in found if not (ROOT / file).exists()] == []


def test_broken_links_and_a_page_that_the_navigation_lacks_are_errors(tmp_path: Path) -> None:
    """In pages that are empty otherwise: to build all of docs/ takes five seconds."""
    docs = tmp_path / "docs"
    docs.mkdir()
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copy(ROOT / "docs" / "site_hooks.py", docs)
    for page in PAGES:
        (docs / page.name).write_text(f"# {page.stem}\n", encoding="utf-8")
    links = "[there](nowhere.md) [there](cli.md#no-such-heading)\n"
    (docs / "tutorial.md").write_text(links, encoding="utf-8")
    (docs / "lost.md").write_text("# Lost\n", encoding="utf-8")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert "Aborted with 3 warnings in strict mode" in done.stdout + done.stderr
    for said in ("'nowhere.md'", "no-such-heading", "lost.md"):
        assert said in done.stderr


def test_make_site_installs_what_a_site_needs_and_no_models() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "--always-make", "site"],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    installed = [line for line in done.stdout.splitlines() if "pip install" in line]
    assert any("mkdocs-material" in line for line in installed)
    assert not [line for line in installed if "--editable" in line or "torch" in line]
