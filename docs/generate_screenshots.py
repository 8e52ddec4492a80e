"""Writes the screenshots in docs/images: every view of a report's page.

After a change of the page, run `.venv/bin/python docs/generate_screenshots.py` and look at them. It
needs Chromium and playwright, which `make test` installs.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests"))

from extensions.reports.page.page_files import write_pages  # noqa: E402
from extensions.reports.report_sessions import make_session  # noqa: E402

WIDE, PHONE = {"width": 1200, "height": 780}, {"width": 390, "height": 780}
TALL = {"width": 1200, "height": 1500}
SHOTS = {
    "report-overview": ("one", "", ".matrix", TALL, "light"),
    "report-cases": (
        "one",
        "#/cases?search=code+word&verdict=failed",
        ".tbody mark",
        WIDE,
        "light",
    ),
    "report-case": ("one", "#/cases?search=obsidian&verdict=failed", ".tbody mark", WIDE, "light"),
    "report-compare": ("two", "#/compare/0?flip=0", ".flip[open] del", TALL, "light"),
    "report-dark": ("one", "#/cases", ".tbody .answer", WIDE, "dark"),
    "report-phone": ("one", "", ".matrix", PHONE, "light"),
}
"""Screenshot -> page, address, selector to wait for, size, theme."""


def main() -> None:
    """Write all screenshots."""
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        pages = made_pages(Path(folder))
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu"]
        program = shutil.which("chromium") or shutil.which("chromium-headless-shell")
        browser = driver.chromium.launch(executable_path=program, args=arguments)
        for name, (page, address, awaited, size, theme) in SHOTS.items():
            tab = browser.new_page(viewport=size, color_scheme=theme)
            tab.goto(f"{pages[page].as_uri()}{address}")
            tab.wait_for_selector(awaited)
            if name == "report-case":
                tab.keyboard.press("Enter")
                tab.wait_for_selector(".message")
            tab.wait_for_timeout(500)  # for the charts
            tab.screenshot(path=IMAGES / f"{name}.png")
            tab.close()
        browser.close()


def made_pages(folder: Path) -> dict[str, Path]:
    state = folder / "state"
    before, now = (
        make_session(state, tests=24, models=1, seed=seed, shift=shift)
        for seed, shift in ((2, 0.2), (3, -0.1))
    )
    return {
        "one": write_pages(folder / "one.html", make_session(state)),
        "two": write_pages(folder / "two.html", before, now),
    }


if __name__ == "__main__":
    main()
