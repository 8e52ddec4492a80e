"""The scores over all rows on the page, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from extensions.scorers.scored import OVERLAP, write_scored
from support.browser import chromium, opened
from support.command_line import call

TITLE = "Scores over all judged rows"
BROKEN = OVERLAP.replace("share =", "assert len(hits) < 2, '<b>too many</b>'\n        share =")
"""A scorer that fails where it gets all rows."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def reported(root: Path) -> Path:
    """Run the tests in a thread of its own, because the browser has this one's event loop."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(call, "run", "t", "--trust").result()
        pool.submit(call, "report", "last", "-o", "page.html").result()
    return root / "page.html"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_scores_and_why_there_are_none_are_shown(
    browser: Any, root: Path, width: int, height: int
) -> None:
    write_scored(root / "t" / "whole")
    write_scored(root / "t" / "broken", BROKEN)
    report = reported(root)
    with opened(browser, report, viewport={"width": width, "height": height}) as page:
        region = page.get_by_role("region", name=TITLE, exact=True)
        region.locator("tbody th").first.wait_for()
        rows = [row.locator("td").all_inner_texts() for row in region.locator("tbody tr").all()]
        assert rows == [["overlap", "50", "–", "2"], ["columns", "2", "–", "2"]]
        assert region.locator("tbody th").first.inner_text() == "t/whole, dummy/dummy"
        [told] = region.locator("p", has_text="Not scored together").all_inner_texts()
        assert told.startswith("Not scored together: t/broken, dummy/dummy: ")
        assert "<b>too many</b>" in told


def test_tests_without_such_scores_have_no_panel(browser: Any, root: Path) -> None:
    write_scored(root / "t", opencompass_score="AccEvaluator", scorer=None)
    report = reported(root)
    with opened(browser, report) as page:
        page.locator(".panels").wait_for()
        assert page.get_by_role("region", name=TITLE, exact=True).count() == 0
