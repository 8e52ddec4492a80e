"""The parameters of rows as columns of the page's table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.page.page_files import write_pages
from support.browser import chromium, opened
from support.recorded import session_folder
from support.results import make_result

from lve.sessions.session_tests import SessionTest

HOSTILE = "<b onclick=document.title='x'>"
ROWS: tuple[dict[str, object], ...] = (
    {"topic": "billing", "level": 10, "tone": "kind", "__proto__": "p", "a,b": "=1+1"},
    {"topic": "refunds", "level": 9, "tone": "kind", "__proto__": "p", "a,b": "\x1b[2J"},
    {"topic": HOSTILE, "level": 100, "tone": "kind", "__proto__": "p", "a,b": "\u202ex"},
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def page_of(state: Path, tests: Mapping[str, Sequence[Mapping[str, object]]]) -> Path:
    results = [
        make_result(test=test, model="m", line=line, args={**row, "temperature": 1})
        for test, rows in tests.items()
        for line, row in enumerate(rows, 1)
    ]
    about = [SessionTest(test, "m", parameters=tuple(rows[0])) for test, rows in tests.items()]
    return write_pages(state / "page.html", session_folder(state / "state", results, about))


def heads(page: Any) -> list[str]:
    page.wait_for_selector(".table .tbody .row")
    return [str(text) for text in page.locator(".thead .cell").all_inner_texts()]


def column(page: Any, name: str) -> list[str]:
    place = heads(page).index(name)
    rows = page.locator(".tbody .row").all()
    return [row.locator(".cell").nth(place).inner_text() for row in rows]


def test_the_most_telling_ones_are_shown(browser: Any, tmp_path: Path) -> None:
    file = page_of(tmp_path, {"t": ROWS})
    with opened(browser, file, "#/cases") as page:
        page.wait_for_selector("text=billing")
        shown = heads(page)
        assert shown[3:6] == ["topic", "level", "a,b"]  # the others are the same in all rows
        assert "Input" not in shown
        assert column(page, "topic") == ["billing", "refunds", HOSTILE]
        assert column(page, "a,b")[1:] == ["[ESC][2J", "[RLO]x"]
        assert page.query_selector(".table b") is None


def test_each_can_be_chosen_and_sorted_by(browser: Any, tmp_path: Path) -> None:
    with opened(browser, page_of(tmp_path, {"t": ROWS}), "#/cases") as page:
        page.wait_for_selector("text=billing")
        page.click("text=Columns")
        page.get_by_label("__proto__").check()
        page.get_by_label("topic").uncheck()
        assert column(page, "__proto__") == ["p", "p", "p"]
        assert "topic" not in heads(page)
        page.click("text=Columns")
        page.locator(".thead").get_by_role("link", name="level").click()
        page.wait_for_selector("[aria-sort=ascending]")
        assert column(page, "level") == ["9", "10", "100"]
        page.locator(".thead").get_by_role("link", name="level").click()
        page.wait_for_selector("[aria-sort=descending]")
        assert column(page, "level") == ["100", "10", "9"]
        address = page.url
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector("text=100")
        assert column(page, "level") == ["100", "10", "9"]


def test_texts_are_sorted_as_texts(browser: Any, tmp_path: Path) -> None:
    with opened(browser, page_of(tmp_path, {"t": ROWS}), "#/cases?sort=-p0") as page:
        page.wait_for_selector("text=billing")
        assert column(page, "topic") == ["refunds", "billing", HOSTILE]


def test_tests_with_other_parameters_share_the_column_of_inputs(
    browser: Any, tmp_path: Path
) -> None:
    tests = {
        name: [{name: "one", "same": "s"}, {name: "two", "same": "s"}] for name in ("x", "y", "z")
    }
    with opened(browser, page_of(tmp_path, tests), "#/cases") as page:
        page.wait_for_selector("text=x: one · same: s")
        page.evaluate("() => { location.hash = '#/cases?test=y' }")
        page.wait_for_selector(".thead .cell.parameter")
        assert column(page, "y") == ["one", "two"]
