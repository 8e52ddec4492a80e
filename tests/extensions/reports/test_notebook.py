"""What a notebook shows of runs and sessions."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.recorded import recorded
from support.results import make_result

from lve.pipeline.result import RunResult

HOSTILE = ("<script>alert(1)</script>", "\x1b[2J", "\u202eevil", "&amp;", "x" * 5000, "'\"><img>")


class Tags(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_run_and_a_session_show_their_tests(tmp_path: Path) -> None:
    results = [make_result(line=1), make_result(line=2, verdict="failed", reason="no Paris")]
    with recorded(tmp_path, results) as session:
        page = Tags(session._repr_html_())
        run = RunResult(session.summary, "complete", session.folder)
        assert run._repr_html_() == session._repr_html_()
    assert "1 test: 1 failed" in page.text
    assert "1/2" in page.text
    assert "50% (1% to 99%)" in page.text
    assert "instances/x.jsonl:2 (name=Ann): no Paris" in page.text
    assert f"lve show {session.id}" in page.text
    assert "lve show" not in RunResult(session.summary, "complete")._repr_html_()


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_models_and_tests_are_no_markup(tmp_path: Path, text: str) -> None:
    result = make_result(test=text, model=text, verdict="failed", reason=text)
    with recorded(tmp_path, [result]) as session:
        html = session._repr_html_()
    assert Tags(html).tags <= {
        *("div", "p", "b", "br", "code", "span"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert len(html) < 5000


def test_many_tests_are_counted(tmp_path: Path) -> None:
    results = [make_result(test=f"t{n}") for n in range(70)]
    with recorded(tmp_path, results) as session:
        assert "and 20 more" in session._repr_html_()
