"""A real browser for tests of pages: Debian's Chromium, driven by playwright.

`chromium-headless-shell` is the same engine without the windows around it: a page takes a third of
the processor time that it takes `chromium`. Either will do.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser; skip the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright isn't installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("Chromium isn't installed (Debian: apt-get install chromium-headless-shell)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=[*OPTIONS])
        try:
            yield browser
        finally:
            browser.close()


@dataclass(slots=True)
class Watched:
    """A page, and what it did that no page should do."""

    page: Page
    events: list[str] = field(default_factory=list)
    """Dialogs, messages in the console, errors, requests that leave the page's own place."""


@contextmanager
def watched_page(browser: Browser, home: str, **options: Any) -> Iterator[Watched]:
    """Yield a page in a context of its own.

    Args:
        browser: which opens it.
        home: how the addresses begin that it may load.
        options: of playwright's context.
    """
    context = browser.new_context(**options)
    watched = Watched(context.new_page())
    page, events = watched.page, watched.events

    def refuse(dialog: Any) -> None:
        events.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def look(request: Any) -> None:
        if not request.url.startswith((home, "data:", "blob:")):
            events.append(f"request: {request.url}")

    page.on("dialog", refuse)
    page.on("console", lambda message: events.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: events.append(f"error: {error}"))
    page.on("request", look)
    try:
        yield watched
    finally:
        context.close()


@contextmanager
def opened(
    browser: Browser, file: Path, hash: str = "", *, is_quiet: bool = True, **options: Any
) -> Iterator[Page]:
    """Open a file of one page, which must do nothing that no page should do.

    Args:
        browser: which opens it.
        file: HTML; it may load nothing else.
        hash: of the address, with `#`.
        is_quiet: whether what it does anyway fails the test.
        options: of playwright's context.
    """
    with watched_page(browser, file.as_uri(), **options) as watched:
        watched.page.set_default_timeout(15_000)
        watched.page.goto(f"{file.as_uri()}{hash}")
        yield watched.page
        assert not is_quiet or watched.events == []
