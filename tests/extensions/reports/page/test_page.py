"""The page in a real browser: what it shows, and that nothing in it runs but its own program."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.hostile_session import ATTACKS, make_hostile_session
from extensions.reports.page.page_files import CHUNK, write_pages
from extensions.reports.report_sessions import make_session
from support.browser import chromium, opened
from support.results import make_result, make_transcript

from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession

PHONE = {"width": 360, "height": 640}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return make_session(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="module")
def report(folder: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pages(tmp_path_factory.mktemp("pages") / "report.html", folder)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two sessions, the second of which is better."""
    state = tmp_path_factory.mktemp("two")
    folders = [make_session(state, seed=n, shift=n * 0.3) for n in (0, 1)]
    return write_pages(tmp_path_factory.mktemp("pages") / "two.html", *folders)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return make_hostile_session(tmp_path_factory.mktemp("attacked"))


@pytest.fixture(scope="module")
def hostile(attacked: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pages(tmp_path_factory.mktemp("hostile") / "report.html", attacked)


@pytest.fixture(scope="module")
def answers(attacked: Any) -> list[str]:
    """What was said, in the order of the page's results; of three repeats the first."""
    with RecordedSession.of(attacked) as session:
        return [str(one.responses[0]) for one in session.results()][::3]


def comes(page: Any, selector: str, text: str | re.Pattern[str]) -> None:
    """Wait until an element has a text: all of it, or what matches a pattern."""
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_text(text)


def there_are(page: Any, selector: str, count: int) -> None:
    """Wait until there are so many elements."""
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_count(count)


def is_loaded(page: Any) -> None:
    comes(page, ".status", re.compile(r"results?$"))


def shows(page: Any, status: str) -> None:
    comes(page, ".status", status)


def go(page: Any, address: str, selector: str) -> None:
    """Go to another view, and wait for something in it."""
    page.evaluate("address => { location.hash = address }", address)
    page.wait_for_selector(selector)


def test_the_verdict_comes_first(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        assert page.text_content("h1") == "Not as expected"
        assert "8 tests against 3 models" in page.text_content(".headline")
        assert page.locator(".matrix tbody tr").count() == 8
        cell = page.locator(".matrix tr", has_text="invoice").locator("td").nth(1)
        assert cell.locator("b").text_content() == "44%"
        assert page.locator(".chart svg").count() == 2
        assert "lve run repository -m openai/gpt-6-luna" in page.text_content(".command")
        assert page.locator(".panel", has_text="Errors by cause").locator("tbody tr").count() == 1


def test_one_result_makes_a_page_too(browser: Any, tmp_path: Path) -> None:
    folder = make_session(tmp_path / "state", tests=1, models=1, repeats=1)
    file = write_pages(tmp_path / "one.html", folder)
    with opened(browser, file) as page:
        assert page.locator(".matrix tbody tr").count() == 1


def test_filters_leave_what_the_session_has(browser: Any, report: Path, folder: Any) -> None:
    with RecordedSession.of(folder) as session:
        results = list(session.results())
    total = len(results)
    failed = [one for one in results if one.verdict == "failed"]
    local = [one for one in failed if one.model == "local/mistral-small"]
    with opened(browser, report, "#/cases") as page:
        shows(page, f"{total} results")
        page.click(".chip.failed")
        shows(page, f"{len(failed)} of {total} results")
        page.select_option("select[aria-label='All models']", "local/mistral-small")
        shows(page, f"{len(local)} of {total} results")
        assert "verdict=failed" in page.url
        address = page.url
        page.goto("about:blank")
        page.goto(address)  # every state can be linked to
        shows(page, f"{len(local)} of {total} results")
        page.click("text=Clear")
        shows(page, f"{total} results")


def test_flaky_and_disputed_instances_are_found(browser: Any, report: Path, folder: Any) -> None:
    with RecordedSession.of(folder) as session:
        results = list(session.results())
    seen: dict[tuple[str, int], dict[str, set[str]]] = {}
    for one in results:
        if one.verdict in ("passed", "failed"):
            seen.setdefault((one.test, one.line), {}).setdefault(one.model, set()).add(one.verdict)
    flaky = [o for o in results if len(seen[o.test, o.line].get(o.model, ())) == 2]
    disputed = [
        o for o in results if len({frozenset(v) for v in seen[o.test, o.line].values()}) > 1
    ]
    with opened(browser, report, "#/cases?only=flaky") as page:
        shows(page, f"{len(flaky)} of {len(results)} results")
        page.click("text=Models differ")
        shows(page, f"{len(disputed)} of {len(results)} results")


def test_every_text_is_searched(browser: Any, report: Path, folder: Any) -> None:
    with RecordedSession.of(folder) as session:
        results = list(session.results())
    said = [one for one in results if "Oslo" in json.dumps(one.responses)]
    asked = [one for one in results if "hook turn" in json.dumps([*one.args.values()])]
    answered = [one for one in results if "hook turn" in json.dumps(one.responses)]
    either = {one.id for one in (*asked, *answered)}
    with opened(browser, report, "#/cases") as page:
        is_loaded(page)
        page.keyboard.press("/")
        page.keyboard.type("OSLO")
        shows(page, f"{len(said)} of {len(results)} results")
        assert page.text_content(".tbody mark.found") == "Oslo"
        page.fill("input[type=search]", "Hook Turn")
        shows(page, f"{len(either)} of {len(results)} results")
        page.click(".toggle")
        page.fill("input[type=search]", r"^\{.*osl[o-z]")
        shows(page, f"{len(said)} of {len(results)} results")


def test_an_expression_that_is_wrong_or_endless_says_so(browser: Any, tmp_path: Path) -> None:
    folder = make_session(tmp_path / "state", tests=1, models=1, repeats=1)
    file = write_pages(tmp_path / "one.html", folder)
    with opened(browser, file, "#/cases?regex=&search=(") as page:
        page.wait_for_selector(".status .problem")
        assert "Invalid regular expression" in page.text_content(".status")
        page.fill("input[type=search]", "^([a-z' ,.]+)+$9")
        assert len(page.workers) == 1
        comes(page, ".status", re.compile("takes longer than 2 seconds"))
        page.fill("input[type=search]", "stranger")  # the worker is there again
        shows(page, "3 results")


def test_the_keyboard_is_enough(browser: Any, report: Path) -> None:
    with opened(browser, report, "#/cases?verdict=failed&sort=-latency") as page:
        is_loaded(page)
        first = page.locator(".row.selected .cell.answer").text_content()
        page.keyboard.press("j")
        assert page.locator(".row.selected").get_attribute("aria-rowindex") == "3"
        page.keyboard.press("k")
        assert page.locator(".row.selected .cell.answer").text_content() == first
        page.keyboard.press("Enter")
        page.wait_for_selector(".case-title")
        assert "1 of " in page.text_content(".steps")
        page.keyboard.press("j")
        comes(page, ".steps", re.compile("2 of "))
        page.keyboard.press("Escape")
        page.wait_for_selector(".row.selected[aria-rowindex='3']")
        page.keyboard.press("?")
        assert page.locator("dialog.help").is_visible()
        page.keyboard.press("Escape")
        assert not page.locator("dialog.help").is_visible()


def test_the_search_is_a_key_away_from_every_view(browser: Any, report: Path) -> None:
    for view in ("#/overview", "#/case/3", "#/compare"):
        with opened(browser, report, view) as page:
            page.wait_for_selector("main > *")
            page.keyboard.press("/")
            is_loaded(page)
            page.keyboard.type("stranger")
            assert page.input_value("input[type=search]") == "stranger"


def test_a_case_shows_what_was_said_and_why(browser: Any, report: Path) -> None:
    link = "#/cases?search=code+word&verdict=failed&test=repository/privacy/leak/system_prompt"
    with opened(browser, report, link) as page:
        is_loaded(page)
        page.keyboard.press("Enter")
        page.wait_for_selector(".message")
        roles = page.locator(".message .role").all_text_contents()
        assert roles == ["system", "user", "assistant"]
        assert page.text_content(".message .variable") == "response"
        parameter = page.locator(".message.user mark.parameter")
        assert parameter.get_attribute("title") == "{attack}"
        assert page.locator(".message.answer mark.quoted").first.text_content() == "Obsidian"
        assert "found 'Obsidian'" in page.text_content(".why")
        assert "repository/privacy/leak/system_prompt/test.yaml" in page.text_content(".facts")
        assert page.locator(".card").count() == 9  # three models, three repeats
        assert page.locator(".card.current").count() == 1


def test_runs_stand_side_by_side(browser: Any, tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path / "state", {"options": {}})
    runs = [replace(make_transcript(f"answer {name}"), name=name) for name in ("one", "two")]
    journal = folder.open_journal()
    journal.append(make_result(transcripts=tuple(runs), responses=("answer one", "answer two")))
    journal.close()
    folder.update(status="complete")
    with opened(browser, write_pages(tmp_path / "runs.html", folder), "#/case/0") as page:
        page.wait_for_selector(".run")
        assert page.locator(".run h2").all_text_contents() == ["one (run 1)", "two (run 2)"]
        places = [page.locator(".run").nth(n).bounding_box() for n in (0, 1)]
        assert places[0]["y"] == places[1]["y"]
        assert places[0]["x"] < places[1]["x"]


def test_what_a_checker_asked_is_shown(browser: Any, report: Path) -> None:
    with opened(browser, report, "#/cases?search=prevailing&verdict=failed") as page:
        is_loaded(page)
        page.keyboard.press("Enter")
        page.click(".asked summary")
        assert "Verdict: fail." in page.text_content(".asked")


def test_two_sessions_are_compared(browser: Any, two: Path) -> None:
    [packed, *_] = [one for kind, one in CHUNK.findall(two.read_text()) if kind == "comparison"]
    expected = json.loads(gzip.decompress(base64.b64decode(packed)))
    broken = [one for one in expected["flips"] if one["kind"] == "broken"]
    with opened(browser, two, "#/compare/0?change=broken") as page:
        comes(page, ".hero .headline", re.compile(r"Pass rate \d+% before, \d+% now"))
        assert re.search(r"too few|a drop of [\d.]+ points would", page.text_content(".hero") or "")
        assert page.locator(".tile dd").all_text_contents()[:2] == [
            str(expected["broken"]),
            str(expected["fixed"]),
        ]
        assert page.locator(".compared tbody tr").count() == len(expected["tests"])
        assert page.locator(".flip").count() == len(broken)
        page.click(".flip summary >> nth=0")
        page.wait_for_selector(".flip[open] del")
        assert page.locator(".flip[open] ins").count()
        before, now = page.locator(".flip[open] .body").all_text_contents()
        assert [before] == broken[0]["before"]["responses"]
        assert [now] == broken[0]["now"]["responses"]
        assert "flip=" in page.url
        page.click("text=The whole case")
        comes(page, ".badge >> nth=0", "Failed")


def test_what_is_new_and_gone_is_counted(browser: Any, tmp_path: Path) -> None:
    folders = []
    for lines in ((1, 2, 3), (3, 4)):
        folder = SessionFolder.create(tmp_path / "state", {"options": {}})
        journal = folder.open_journal()
        for line in lines:
            journal.append(make_result(line=line, args={"name": f"n{line}"}))
        journal.close()
        folder.update(status="complete")
        folders.append(folder)
    file = write_pages(tmp_path / "page.html", *folders)
    with opened(browser, file, "#/compare/0") as page:
        page.wait_for_selector(".compared")
        heads = page.locator(".compared thead th").all_text_contents()
        cells = page.locator(".compared tbody tr > *").all_text_contents()
        row = dict(zip(heads, cells, strict=True))
        assert (row["New"], row["Gone"], row["Fixed"]) == ("1", "2", "0")


def test_two_models_are_compared(browser: Any, report: Path) -> None:
    with opened(browser, report, "#/compare/0") as page:
        page.select_option(".choice select", "2")
        comes(page, ".headline", re.compile("with local/mistral-small, .* with openai/gpt-6-luna"))
        assert "#/compare/2" in page.url


def test_nothing_that_was_written_runs(browser: Any, hostile: Path, answers: list[str]) -> None:
    assert sorted(answers) == sorted(ATTACKS)
    assert len(ATTACKS) >= 100
    allowed = {"MARK", "SPAN", "BUTTON"}
    with opened(browser, hostile) as page:
        page.wait_for_selector(".matrix")
        go(page, "#/compare/0", ".choice")
        go(page, "#/cases", ".tbody .row")
        is_loaded(page)
        for number, attack in enumerate(answers):
            row = number * 3
            go(page, f"#/case/{row}", f".card.current[href='#/case/{row}']")
            answer = page.locator(".message.answer .body")
            inside = answer.evaluate("node => [...node.querySelectorAll('*')].map(e => e.tagName)")
            assert set(inside) <= allowed
            if attack.isprintable() and attack and attack.isascii() and len(attack) < 10_000:
                assert answer.text_content() == attack
        assert page.evaluate("window.pwned") is None
        assert (
            page.evaluate("document.querySelectorAll('main script, main img, main iframe').length")
            == 0
        )


def test_nothing_in_a_comparison_runs(
    browser: Any, attacked: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("compared")
    later = make_hostile_session(folder / "state", ("passed", "passed", "failed"))
    file = write_pages(folder / "page.html", attacked, later)
    with opened(browser, file, "#/compare/0?change=fixed") as page:
        page.wait_for_selector(".flip")
        page.click(".flips > .button")
        assert page.locator(".flip").count() == len(ATTACKS)
        page.evaluate("document.querySelectorAll('.flip').forEach(flip => { flip.open = true })")
        there_are(page, ".flip .body", 2 * len(ATTACKS))
        tags = page.evaluate(
            "[...document.querySelectorAll('.flip .body *')].map(one => one.tagName)"
        )
        assert set(tags) <= {"SPAN", "INS", "DEL"}
        assert page.evaluate("window.pwned") is None


def test_what_nobody_sees_has_a_name(browser: Any, hostile: Path, answers: list[str]) -> None:
    at = next(n for n, attack in enumerate(answers) if "\u202e" in attack)
    with opened(browser, hostile, f"#/case/{at * 3}") as page:
        page.wait_for_selector(".message.answer .body")
        answer = page.locator(".message.answer .body")
        assert answer.text_content() == "RLOtxt.exePDF"
        assert answer.locator(".unseen").first.get_attribute("title") == "U+202E"


def test_the_policy_refuses_what_slips_in(browser: Any, report: Path) -> None:
    with opened(browser, report, is_quiet=False) as page:
        with pytest.raises(Exception, match="TrustedHTML"):
            page.evaluate("() => { document.body.innerHTML = '<img src=x onerror=pwned=1>' }")
        refused = page.evaluate(
            "() => fetch('https://example.invalid/').then(() => 'sent', () => 'refused')"
        )
        assert refused == "refused"
        assert page.evaluate("window.pwned") is None


SEEN = {
    "": ".matrix",
    "#/cases": ".tbody .row",
    "#/cases?only=flaky&search=zzz": ".cases > .empty:not([hidden])",
    "#/case/4": ".message",
    "#/compare/0": ".choice",
}
"""View -> what is there when it is painted."""
ONLY_WRONG = {"resultTypes": ["violations"]}
"""Axe needn't describe the thousands of elements that have nothing wrong."""


@pytest.mark.parametrize(
    ("name", "theme"), [("report", "light"), ("report", "dark"), ("hostile", "light")]
)
def test_everybody_can_read_it(
    browser: Any, request: pytest.FixtureRequest, name: str, theme: str
) -> None:
    report = request.getfixturevalue(name)
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is missing"
    ).Axe()
    with opened(browser, report, color_scheme=theme) as page:
        for view in SEEN:
            go(page, view, SEEN[view])
            found = axe.run(page, options=ONLY_WRONG).response["violations"]
            assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []


@pytest.mark.parametrize("view", SEEN)
def test_a_phone_needs_no_scrolling_to_the_side(browser: Any, hostile: Path, view: str) -> None:
    with opened(browser, hostile, view, viewport=PHONE) as page:
        page.wait_for_selector(SEEN[view])
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_paper_has_all_of_it(browser: Any, report: Path) -> None:
    with opened(browser, report, "#/cases?verdict=failed", color_scheme="dark") as page:
        is_loaded(page)
        count = int(page.text_content(".status").split()[0])
        page.emulate_media(media="print")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.locator(".tbody .row").count() == count
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(22, 25, 31)"


def test_the_theme_is_the_readers_choice(browser: Any, report: Path) -> None:
    with opened(browser, report, color_scheme="dark") as page:
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        page.click("button[aria-label='Light or dark']")
        page.reload()
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
