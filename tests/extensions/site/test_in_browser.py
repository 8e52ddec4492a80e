"""A site in a real browser, as files and from a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from extensions.site.hostile_pages import TEXTS
from support.browser import Watched, chromium, watched_page
from support.command_line import lve
from support.folders import workspace, write_test

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REPOSITORY = Path(__file__).parents[3] / "repository"
PAGES = ("index.html", "tests/repository/security/prompt_injection/newsletter.html")
CHOICES_WITHOUT_TESTS = """() => [...document.querySelectorAll('select')].flatMap(
    select => [...select.options].filter(option => {
        select.value = option.value;
        select.dispatchEvent(new Event('input', {bubbles: true}));
        const found = document.querySelector('.test:not([hidden])');
        select.value = '';
        select.dispatchEvent(new Event('input', {bubbles: true}));
        return !found;
    }).map(option => option.value))"""
CLEAN = """() => {
    const bad = [...document.querySelectorAll('*')].filter(e =>
        e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === 'visible'
        && e.getBoundingClientRect().right > innerWidth + 1);
    return bad.map(e => e.outerHTML.slice(0, 100));
}"""
CONTRAST = """() => {
    const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92
        : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const behind = e => { for (; e; e = e.parentElement) {
        const c = rgb(getComputedStyle(e).backgroundColor);
        if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
    const found = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const e = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || e.closest('script, style, .hidden, .skip')) continue;
        if (!e.checkVisibility()) continue;
        const [a, b] = [rgb(getComputedStyle(e).color).slice(0, 3), behind(e)].map(light);
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found.add(`${e.tagName}.${e.className}: ${ratio.toFixed(2)}`);
    }
    return [...found];
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "out"
    lve("site", "build", REPOSITORY, "-o", out)
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module", params=["file", "http"])
def home(request: pytest.FixtureRequest, site: Path) -> Iterator[str]:
    """The address of the site: in a folder, or below a path of a server."""
    if request.param == "file":
        yield site.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), quiet(site.parent)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{site.name}"
        server.shutdown()


def quiet(folder: Path) -> type[SimpleHTTPRequestHandler]:
    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(folder))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@pytest.fixture
def page(browser: Browser, home: str) -> Iterator[Watched]:
    with watched_page(browser, home) as found:
        yield found
        assert found.events == []


def shown(watched: Watched) -> list[str]:
    names = watched.page.locator(".test:not([hidden]) .name")
    return [name for name in names.all_inner_texts() if name]


def test_the_list_is_searched_and_the_address_keeps_what_is_wanted(
    page: Watched, home: str
) -> None:
    tab = page.page
    tab.goto(f"{home}/index.html")
    assert len(shown(page)) == 159
    tab.keyboard.press("/")
    tab.keyboard.type("blue heron")  # of a recorded answer's args
    assert shown(page) == ["Instructions in mails"]
    assert tab.locator("[role=status]").inner_text() == "1 of 159 tests"
    assert tab.url.endswith("#q=blue+heron")
    address = tab.url
    tab.goto("about:blank")
    tab.goto(address)
    assert shown(page) == ["Instructions in mails"]
    assert tab.input_value("input[type=search]") == "blue heron"
    tab.fill("input[type=search]", "zzzqqq")
    tab.click("[data-clear]")
    assert len(shown(page)) == 159


def test_tags_checkers_and_categories_filter(page: Watched, home: str) -> None:
    tab = page.page
    tab.goto(f"{home}/index.html")
    tab.click("[data-category=privacy]")
    in_privacy = shown(page)
    assert len(in_privacy) == 12
    tab.fill("input[type=search]", "contact data")
    found = len(shown(page))
    assert 0 < found < 12
    assert tab.inner_text(".category:not([hidden]) .number") == str(found)
    tab.fill("input[type=search]", "")
    tab.select_option("[name=tag]", "severity: high")
    assert 0 < len(shown(page)) < 12
    assert set(shown(page)) < set(in_privacy)
    tab.click("[data-category=privacy]")  # once more takes it back
    assert len(shown(page)) > 2
    tab.goto(f"{home}/tests/repository/privacy.html")
    tab.click(".crumbs a:last-child")
    assert shown(page) == in_privacy


def test_a_test_is_reached_read_and_its_command_copied(page: Watched, home: str) -> None:
    tab = page.page
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.goto(f"{home}/index.html")
    tab.click("text=Instructions in mails")
    assert tab.inner_text("h1") == "Instructions in mails"
    assert tab.inner_text("mark") == "{mail}"
    assert tab.locator("#answers .instance").count() == 3
    tab.click("#run .copy >> nth=0")
    tab.wait_for_selector("text=Copied")
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied == (
        "lve run repository/security/prompt_injection/newsletter --model openai/gpt-6-luna"
    )
    tab.keyboard.press("/")
    tab.wait_for_url("**/index.html#find")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_and_can_be_read(
    browser: Browser, site: Path, name: str, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 700}
    with watched_page(browser, site.as_uri(), viewport=size, color_scheme=scheme) as watched:
        tab = watched.page
        tab.goto(f"{site.as_uri()}/{name}")
        for details in tab.locator("summary").all():
            details.click()
        assert tab.evaluate(CLEAN) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.evaluate(CONTRAST) == []
        assert watched.events == []
        tab.click("[data-theme-button]")
        assert tab.evaluate(CONTRAST) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(browser: Browser, site: Path, name: str, scheme: str) -> None:
    reason = "axe is missing"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=reason).Axe()
    with watched_page(browser, site.as_uri(), color_scheme=scheme) as watched:
        watched.page.goto(f"{site.as_uri()}/{name}")
        for details in watched.page.locator("summary").all():
            details.click()
        found = axe.run(watched.page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_paper_has_all_of_a_test(browser: Browser, site: Path) -> None:
    with watched_page(browser, site.as_uri(), color_scheme="dark") as watched:
        tab = watched.page
        tab.goto(f"{site.as_uri()}/{PAGES[1]}")
        tab.emulate_media(media="print")
        tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert tab.locator("details:not([open])").count() == 0
        assert tab.locator(".top").is_hidden()
        assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(22, 25, 31)"


def test_without_scripts_everything_is_there(browser: Browser, site: Path) -> None:
    with watched_page(browser, site.as_uri(), java_script_enabled=False) as watched:
        watched.page.goto(f"{site.as_uri()}/index.html")
        assert watched.page.locator(".test").count() == 159
        assert watched.page.locator("#find").is_hidden()
        watched.page.click("text=Instructions in mails")
        assert watched.page.locator("#answers .instance").count() == 3


def test_nothing_that_a_test_says_runs_or_leaves(browser: Browser, tmp_path: Path) -> None:
    root = workspace(tmp_path / "w")
    for number, text in enumerate(TEXTS):
        folder = write_test(
            root / "repository" / f"c{number % 5}" / f"t{number}",
            description=text,
            author=text[:100],
            skip=text,
            tags=[{"name": "a", "value": text}],
            prompt=[{"content": text.replace("{", "{{").replace("}", "}}")}],
            instances=[{"args": {"x": text}, "response": text, "run_info": {"model": text}}],
        )
        (folder / "README.md").write_text(f"# {text}\n\n{text}\n", encoding="utf-8")
    out = tmp_path / "site"
    lve("site", "build", root, "-o", out, "--title", TEXTS[1])
    with watched_page(browser, out.as_uri()) as watched:
        tab = watched.page
        pages = sorted(out.rglob("*.html"))
        assert len(pages) > len(TEXTS) - 5
        for file in pages:
            tab.goto(file.as_uri())
            for details in tab.locator("summary").all():
                details.click()
            assert tab.evaluate("window.pwned") is None
            assert tab.inner_text("footer").startswith("Written by")
            assert tab.evaluate("document.querySelectorAll('main').length") == 1
        tab.goto(f"{out.as_uri()}/index.html")
        tab.fill("input[type=search]", "<script>")
        assert len(shown(watched)) > 3
        tab.fill("input[type=search]", "")
        assert tab.evaluate(CHOICES_WITHOUT_TESTS) == []
        assert watched.events == []
