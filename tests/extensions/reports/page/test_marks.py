"""What a reason quotes is marked in the answer of a failed case, and of no passed one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.page.page_files import write_pages
from support.browser import chromium, opened
from support.recorded import session_folder
from support.results import make_result, make_transcript

REASON = "found 'Lyon'"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.mark.parametrize(("verdict", "marked"), [("failed", {"Lyon"}), ("passed", set())])
def test_only_what_is_wrong_is_marked(
    browser: Any, tmp_path: Path, verdict: Any, marked: set[str]
) -> None:
    answer = make_transcript("Lyon")
    result = make_result(verdict=verdict, reason=REASON, transcripts=(answer,))
    file = write_pages(tmp_path / "page.html", session_folder(tmp_path / "state", [result]))
    with opened(browser, file, "#/case/0") as page:
        page.wait_for_selector(".message.answer")
        assert REASON in page.inner_text("main")
        marks = {mark.inner_text() for mark in page.query_selector_all("mark.quoted")}
    assert marks == marked
