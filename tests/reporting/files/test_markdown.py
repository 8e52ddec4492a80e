"""`.md`: how GitHub shows it, and how long it is."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reporting.reports import MIXED
from support.examples import examples
from support.recorded import recorded, session_folder
from support.results import any_text, make_result, make_transcript, results, tally_of

from lve.escape import one_line
from lve.reporting.files.markdown import MARK, MAX_BYTES, _mark, markdown
from lve.reporting.files.markdown_text import code, code_cell, fenced, html_code
from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation
from lve.verdicts.recorded_session import RecordedSession

cmarkgfm = pytest.importorskip("cmarkgfm", reason="GitHub's own renderer")
TEXTS = json.loads((Path(__file__).parents[2] / "cases" / "reports" / "texts.json").read_text())
OURS = {
    "table", "thead", "tbody", "tr", "th", "td", "code", "details", "summary", "h3", "p", "pre",
    "strong", "ul", "li", "em",
}  # fmt: skip


class Page(HTMLParser):
    """What a page has: elements, and texts by whether they are in code."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.outside: list[str] = []
        """Texts that are not in code: GitHub looks for mentions there."""
        self.inside: list[str] = []
        html = cmarkgfm.github_flavored_markdown_to_html(
            text, options=cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE
        )
        self.feed(html)
        self.close()
        assert not self.open, "every element ends where it began"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        (self.inside if {"code", "pre"} & set(self.open) else self.outside).append(data)


def summary(
    state: Path, given_results: list[InstanceResult], *tests: SessionTest, **more: Any
) -> str:
    with recorded(state, given_results, tests or None, **more) as session:
        return markdown([session])


def check(text: str) -> Page:
    """Check that a summary has nothing but what lve writes; return it as a page."""
    assert len(text.encode("utf-8")) <= MAX_BYTES
    page = Page(text)
    assert page.elements <= OURS, page.elements - OURS
    assert page.attributes <= {"align", "lang"}
    for said in page.outside:
        assert not set("@#<>[]") & set(said), said
    return page


def everywhere(text: str) -> tuple[list[InstanceResult], list[SessionTest]]:
    made = make_result(
        test=text, model=text, source=text, verdict="failed", reason=text, responses=(text,),
        transcripts=(make_transcript(text, text),), error_kind=text,
    )  # fmt: skip
    tests = [
        SessionTest(text, text, description=text, document=text),
        SessionTest(f"s{text}", skipped=text),
        SessionTest(f"i{text}", problems=(text,)),
    ]
    return [made], tests


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_texts_stay_texts(tmp_path: Path, text: str) -> None:
    made, tests = everywhere(text)
    check(summary(tmp_path, made, *tests))


@given(any_text | st.text("`<>|*_[]()!@#&\n\\ a.", max_size=30), st.lists(results, max_size=2))
@settings(max_examples=examples(25))
def test_any_text_stays_text(text: str, given_results: list[InstanceResult]) -> None:
    made, tests = everywhere(text)
    tests += [SessionTest(one.test, one.model) for one in given_results]
    with TemporaryDirectory() as folder:
        check(summary(Path(folder), made + given_results, *tests))


@given(st.text("`<>|*_[]()!@#&\\ a.-w:/", max_size=30))
@example("www.a.b a@b.cd http://a.b")
@example("\\|")
@example("a\\")
def test_code_shows_what_it_was_given(text: str) -> None:
    page = Page(
        f"x {code(text)} y\n\n| {code_cell(text)} | z |\n|---|---|\n\n"
        f"<details><summary>u {html_code(text)} v</summary>\n\n</details>\n"
    )
    wanted = one_line(text)
    assert {one.replace("¦", "|") for one in page.inside} == {wanted} - {""}
    assert "a" not in page.elements
    said = "".join(page.outside).replace("(empty)", "").split()
    assert said == ["x", "y", "z", "u", "v"]


@given(st.text("`~<>|\n\\ a.-", max_size=40))
def test_a_fence_shows_what_it_was_given(text: str) -> None:
    page = Page(f"{fenced(text)}\nend\n")
    assert "".join(page.inside) == f"{text}\n"


def test_it_says_what_a_reviewer_wants_to_know(tmp_path: Path) -> None:
    text = summary(tmp_path, MIXED)
    page = check(text)
    assert text.startswith(MARK)
    shown = "".join([*page.outside, *page.inside])
    assert "❌ 3 tests: 1 passed, 1 failed, 1 with errors" in shown
    assert "6 results (5 rows, up to 2 repeats): 4 passed, 1 failed, 1 error" in shown
    assert "❌ 50% (1/2, 95 % interval 1% to 99%)" in text
    assert "$0.2500" in shown
    assert "expected 42, found 41" in shown
    assert "[user]\nhi" in shown
    assert "timeout 1" in text.replace("`", "")
    assert text.index("| `b` |") < text.index("| `a` |"), "the worst first"
    assert "lve show 2" in shown


def test_what_passed_as_expected_is_not_shown_as_a_failure(tmp_path: Path) -> None:
    made = [make_result(test="a", model="m", verdict="failed", reason="as expected")]
    text = summary(tmp_path, made, SessionTest("a", "m", expect=Expectation("fail")))
    assert "✅ 1 test: 1 passed" in text
    assert "<details>" not in text


def test_a_pass_rate_that_holds_shows_no_failures(tmp_path: Path) -> None:
    made = [
        make_result(test="a", model="m", line=n, verdict="failed" if n == 1 else "passed")
        for n in range(1, 31)
    ]
    rate = Expectation("rate", ">=", 0.5)
    text = summary(tmp_path, made, SessionTest("a", "m", expect=rate))
    assert "✅ 97% (29/30" in text
    assert "<details>" not in text


def test_only_the_first_failures_of_a_test_are_shown(tmp_path: Path) -> None:
    made = [make_result(line=n, verdict="failed", reason=f"no {n}") for n in range(1, 10)]
    text = summary(tmp_path, made)
    assert "no 3" in text
    assert "no 4" not in text
    assert "and 6 more" in text


def test_a_large_session_keeps_to_the_limit_and_says_what_is_missing(tmp_path: Path) -> None:
    long = "`word` " * 1000
    made = [
        make_result(
            test=f"category/test_{n}", model=f"m{n % 3}", verdict="failed", reason=long,
            transcripts=(make_transcript(long, long),), responses=(long,),
        )
        for n in range(600)
    ]  # fmt: skip
    text = summary(tmp_path, made)
    check(text)
    assert len(text.encode()) > MAX_BYTES / 2
    assert "more tests" in text
    assert "don't fit here" in text


def test_more_models_than_a_table_takes_are_no_table(tmp_path: Path) -> None:
    text = summary(tmp_path, [make_result(model=f"m{n}" * 10) for n in range(2000)])
    check(text)
    assert "A table of 2,000 models doesn't fit" in text


def test_several_sessions_are_one_summary(tmp_path: Path) -> None:
    with recorded(tmp_path, MIXED) as one, recorded(tmp_path, MIXED[:1]) as two:
        text = markdown([one, two])
    check(text)
    assert one.id in text
    assert two.id in text


def test_a_key_that_is_known_now_is_taken_out(tmp_path: Path) -> None:
    secret = "sk-very-secret-1234"
    test = SessionTest("a", "m", skipped=f"the key is {secret}")
    folder = session_folder(tmp_path, [], [test])
    lasting_redactor([secret])
    with RecordedSession.of(folder) as session:
        assert "very-secret" not in markdown([session])


def test_a_failure_names_its_row_as_the_terminal_does(tmp_path: Path) -> None:
    result = make_result(verdict="failed", args={"name": "Chloé", "temperature": 1}, line=3)
    assert f"`{result.source}:3 (name=Chloé)` failed" in summary(tmp_path, [result])


@pytest.mark.parametrize(
    ("counts", "advisory", "mark"),
    [
        ("2p", 0, "✅"),
        ("1p 1f", 0, "❌"),
        ("1p 1e", 0, "⚠️"),
        ("2p", 1, "💬"),
        ("1p 1f", 1, "💬"),
        ("1p 1e", 1, "⚠️"),  # nobody judged that
    ],
)
def test_advice_has_a_mark_of_its_own(counts: str, advisory: int, mark: str) -> None:
    tally = tally_of(counts, Expectation())
    tally.calibration.advisory = advisory
    tally.calibration.has_binding_failure = False
    assert _mark(tally) == mark
