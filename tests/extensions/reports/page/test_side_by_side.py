"""Inputs beside answers: a line per row, with the answers of all models or variants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.page.page_files import write_pages
from support.browser import chromium, opened
from support.recorded import session_folder
from support.results import make_result, make_transcript

from lve.sessions.session_tests import SessionTest

PHONE = {"width": 360, "height": 640}
HOSTILE = "<img src=x onerror=document.title='x'>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def page_of(state: Path, pairs: list[tuple[str, str]], variants: bool = False) -> Path:
    """Write a page of tests and models, each with two rows. With `variants`, what stands after `@`
    is one."""
    results = [
        make_result(
            test=test,
            model=model,
            variant=test.partition("@")[2] if variants else None,
            line=line,
            args={"name": name, "temperature": 1},
            verdict="passed" if line == 1 else "failed",
            transcripts=(make_transcript(f"{test} {model} says {name}"),),
        )
        for test, model in pairs
        for line, name in enumerate(("Chloé", HOSTILE), 1)
    ]
    tests = [SessionTest(test, model, parameters=("name",)) for test, model in pairs]
    return write_pages(state / "page.html", session_folder(state / "state", results, tests))


def cells(page: Any) -> list[list[str]]:
    page.wait_for_selector(".side tbody tr")
    rows = page.query_selector_all(".side tr")
    return [[cell.inner_text() for cell in row.query_selector_all("th, td")] for row in rows]


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}])
def test_a_line_has_the_answers_of_all_models(
    browser: Any, tmp_path: Path, options: dict[str, Any]
) -> None:
    file = page_of(tmp_path, [("t", "m1"), ("t", "m2")])
    with opened(browser, file, **options) as page:
        page.evaluate("() => { location.hash = '#/cases' }")
        page.get_by_role("button", name="Side by side").click()
        head, first, second = cells(page)
        assert head == ["Row", "Input", "m1", "m2"]
        assert first[1] == "name Chloé"
        assert "t m1 says Chloé" in first[2]
        assert "t m2 says Chloé" in first[3]
        assert second[1] == f"name {HOSTILE}"
        assert page.query_selector(".side img") is None
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Side by side").click()
        column = "input" if options else "parameter"
        page.wait_for_selector(f".table .row .cell.{column} >> text=Chloé")


def test_variants_of_a_prompt_are_columns(browser: Any, tmp_path: Path) -> None:
    file = page_of(tmp_path, [("t@a", "m"), ("t@b", "m"), ("x@y", "m")], variants=True)
    with opened(browser, file) as page:
        page.evaluate("() => { location.hash = '#/cases?columns=side' }")
        head, *rows = cells(page)
    assert head == ["Row", "Input", "m · a", "m · b", "m"]
    assert len(rows) == 4
    assert "t@a m says Chloé" in rows[0][2]
    assert "t@b m says Chloé" in rows[0][3]


def test_folders_with_an_at_sign_are_no_variants(browser: Any, tmp_path: Path) -> None:
    file = page_of(tmp_path, [("t@a", "m"), ("t@b", "m")])
    with opened(browser, file) as page:
        assert page.locator(".matrix tbody tr").count() == 2
        page.evaluate("() => { location.hash = '#/cases?columns=side' }")
        head, *rows = cells(page)
    assert head == ["Row", "Input", "m"]
    assert len(rows) == 4


def test_variants_are_columns_of_the_overview(browser: Any, tmp_path: Path) -> None:
    file = page_of(tmp_path, [("t@a", "m"), ("t@b", "m"), ("x", "m")], variants=True)
    with opened(browser, file) as page:
        heads = page.locator(".matrix thead th").all_inner_texts()
        assert [head.split() for head in heads] == [
            ["Test"],
            ["m", "a"],
            ["m", "b"],
            ["m", "(one", "prompt)"],
        ]
        lines = page.locator(".matrix tbody tr")
        assert lines.count() == 2
        line = page.locator(".matrix tbody tr", has=page.get_by_role("link", name="t", exact=True))
        assert line.locator("td .cell-link").count() == 2
        line.locator("th a").click()
        page.wait_for_selector(".table .row .cell.test")
        assert page.locator(".tbody .row").count() == 4
        assert page.locator("select[aria-label='All tests']").input_value() == "t"


def test_many_variants_keep_their_rows(browser: Any, tmp_path: Path) -> None:
    pairs = [(f"t@v{number}", "m") for number in range(13)]
    with opened(browser, page_of(tmp_path, pairs, variants=True)) as page:
        assert page.locator(".matrix tbody tr").count() == 13


def test_rows_of_the_document_are_rows_and_no_lines(browser: Any, tmp_path: Path) -> None:
    results = [make_result(source=source, line=3) for source in ("test.yaml", "rows.csv")]
    tests = [SessionTest("repository/a", "openai/m")]
    file = write_pages(tmp_path / "page.html", session_folder(tmp_path / "state", results, tests))
    for number, (short, whole) in enumerate(
        (("· rows:3", "rows.csv:3"), ("· row 3", "test.yaml row 3"))
    ):
        with opened(browser, file, f"#/case/{number}") as page:
            page.wait_for_selector(".message")
            shown = page.evaluate("document.body.textContent")
        assert (short in shown, whole in shown) == (True, True), shown
