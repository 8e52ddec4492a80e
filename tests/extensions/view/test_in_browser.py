"""The page of `lve view` in a real browser, while a real run goes on."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from extensions.reports.report_sessions import make_session
from extensions.view.viewing import Client, view_server
from support.browser import Watched, chromium, watched_page
from support.folders import write_sums
from support.forked import python
from support.results import make_result, make_transcript
from support.run_command import at
from support.server import ModelServer, model_server

from lve.sessions.session_file import session_ids
from lve.sessions.session_folder import SessionFolder

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SUMS = 24


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def home(client: Client) -> str:
    return client.server.guard.home


def says(watched: Watched, text: str) -> None:
    """Wait until the bar of the page says something."""
    watched.page.locator(".live", has_text=text).wait_for(timeout=30_000)


def rows(watched: Watched) -> int:
    """Return how many results the page has; -1 while it is replaced by a newer one."""
    from playwright.sync_api import Error

    try:
        found: int = watched.page.evaluate(ROWS)
    except Error:
        return -1
    return found


def has_rows(watched: Watched, least: int) -> None:
    """Wait until the page has so many results. (The page's policy lets playwright wait only for
    elements.)"""
    ends = time.monotonic() + 30
    while rows(watched) < least:
        assert time.monotonic() < ends
        watched.page.wait_for_timeout(50)


@contextmanager
def model(**behaviour: Any) -> Iterator[ModelServer]:
    """Run a model's server, begun in another thread: playwright has the event loop of this one."""
    with ThreadPoolExecutor(1) as pool, ExitStack() as stack:
        server = pool.submit(stack.enter_context, model_server(**behaviour)).result()
        try:
            yield server
        finally:
            pool.submit(stack.close).result()


def run_lve(*arguments: str | Path) -> str:
    """Run lve in a process of its own, because playwright has the event loop of this one."""
    command = [*python(), "-m", "lve", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_results_arrive_while_a_run_goes_on(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lve.yaml").touch()
    write_sums(tmp_path / "t", SUMS)
    monkeypatch.chdir(tmp_path)
    with model(latency_s=0.25) as server:
        command = [*python(), "-m", "lve", "run", "t", *at(server), "-j", "1", "-q"]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not session_ids(tmp_path / ".lve"):
            assert run.poll() is None
        folder = SessionFolder.find(tmp_path / ".lve")
        with view_server([folder]) as client, watched_page(browser, home(client)) as watched:
            watched.page.goto(home(client))
            says(watched, "running")
            seen = rows(watched)
            assert seen < SUMS
            has_rows(watched, seen + 1)
            says(watched, "complete")
            has_rows(watched, SUMS)
            assert f"{SUMS} results" in watched.page.inner_text(".live")
            assert watched.events == []
        assert run.wait(20) == 0


ROWS = "JSON.parse(document.getElementById('summary')?.textContent ?? '{\"rows\": -1}').rows"


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return make_session(tmp_path, tests=2, models=2, repeats=1)


def labels(folder: SessionFolder) -> list[dict[str, Any]]:
    text = (folder.path / "labels.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_an_answer_is_labelled_and_the_label_stays(browser: Browser, folder: SessionFolder) -> None:
    with view_server([folder], "ana") as client, watched_page(browser, home(client)) as watched:
        page = watched.page
        page.goto(f"{home(client)}#/case/1")
        page.fill(".label input", "</script> \u202e why")
        page.click(".label .wrong")
        page.wait_for_selector(".label .wrong[aria-pressed=true]")
        (label,) = labels(folder)
        assert (label["label"], label["author"]) == ("wrong", "ana")
        assert label["comment"] == "</script> \u202e why"
        page.reload()
        page.wait_for_selector(".label .wrong[aria-pressed=true]")
        page.click(".label .right")
        page.wait_for_selector(".label .right[aria-pressed=true]")
        assert [one["label"] for one in labels(folder)] == ["right"]
        page.click(".label .right")
        page.wait_for_selector(".label .right[aria-pressed=false]")
        assert labels(folder) == []
        assert watched.events == []


def test_calibrate_reads_what_was_labelled(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lve.yaml").touch()
    write_sums(tmp_path / "t", 3)
    monkeypatch.chdir(tmp_path)
    with model() as server:
        run_lve("run", "t", *at(server))
    folder = SessionFolder.find(tmp_path / ".lve")
    with view_server([folder], "ana") as client, watched_page(browser, home(client)) as watched:
        for number, word in enumerate(("right", "wrong", "right")):
            watched.page.goto(f"{home(client)}#/case/{number}")
            watched.page.click(f".label .{word}")
            watched.page.wait_for_selector(f".label .{word}[aria-pressed=true]")
    found = run_lve("calibrate", "t", folder.path / "labels.jsonl")
    assert "3 labels of 3 answers to 3 rows by 1 author" in found
    assert "accuracy   2/3" in found


def test_two_viewers_see_each_others_labels(browser: Browser, folder: SessionFolder) -> None:
    with view_server([folder], "ana") as one, view_server([folder], "ben") as other:
        assert len(session_rows(one)) > 1
        place = session_rows(one)[0]
        assert one.label(**place, label="wrong", comment="<b>no</b>").status == 200
        assert other.label(**place, label="right").status == 200
        with watched_page(browser, home(other)) as watched:
            watched.page.goto(f"{home(other)}#/case/0")
            watched.page.wait_for_selector(".label .right[aria-pressed=true]")
            assert "ana: wrong (<b>no</b>)" in watched.page.inner_text(".label")
            assert watched.events == []


def session_rows(client: Client) -> list[dict[str, Any]]:
    """Return the places of the results in the order of their numbers on the page."""
    viewed: Any = client.server.viewed
    (folder,) = viewed._folders.values()
    return [
        {"session": folder.id, "test": one.test, "model": one.model, "source": one.source}
        | {"line": one.line, "repeat": one.repeat}
        for one in folder.results()
    ]


MANY = 5_100
"""More results than a page asks the texts of as it begins."""


def test_texts_of_many_results_come_when_they_are_seen(browser: Browser, tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path, {"options": {}, "tests": {"repository/a": {}}})
    journal = folder.open_journal()
    for line in range(MANY, 0, -1):
        verdict = "passed" if line % 1000 else "failed"
        said = make_transcript(f"answer number {line}.")
        journal.append(make_result(line=line, verdict=verdict, transcripts=(said,), cached=True))
    journal.close()
    folder.end("complete")
    asked: list[str] = []
    with view_server([folder]) as client, watched_page(browser, home(client)) as watched:
        page = watched.page
        page.on("request", lambda request: asked.append(request.url.removeprefix(home(client))))

        def texts() -> int:
            return sum(one.startswith("texts/") for one in asked)

        page.goto(f"{home(client)}#/cases")
        page.locator(".tbody .row", has_text="answer number 1.").wait_for()
        assert 1 <= texts() <= 3  # the rows that are seen, of MANY / 64 blocks
        page.click(".chip.failed")
        page.locator(".tbody .row", has_text="answer number 5000.").wait_for()
        assert page.locator(".tbody .row").count() == MANY // 1000
        assert texts() <= 3 + MANY // 1000
        page.goto(f"{home(client)}#/case/{MANY - 1234}")
        page.locator(".case-main", has_text="answer number 1234.").wait_for()
        page.goto(f"{home(client)}#/cases?search=number+77")
        page.locator(".status", has_text=f"11 of {MANY:,}").wait_for()
        page.locator(".tbody .row", has_text="answer number 77.").wait_for()
        page.goto(f"{home(client)}#/cases?sort=-p0")
        page.locator(".tbody .row").first.wait_for()
        assert watched.events == []


def test_long_texts_come_in_several_parts(browser: Browser, tmp_path: Path) -> None:
    folder = SessionFolder.create(tmp_path, {"options": {}, "tests": {"repository/a": {}}})
    with closing(folder.open_journal()) as journal:
        for line in range(1, 10):
            said = make_transcript(f"answer number {line}. {str(line) * 200_000}")
            journal.append(make_result(line=line, transcripts=(said,)))
    folder.end("complete")
    asked: list[str] = []
    with view_server([folder]) as client, watched_page(browser, home(client)) as watched:
        page = watched.page
        page.on("request", lambda request: asked.append(request.url.removeprefix(home(client))))
        page.goto(f"{home(client)}#/cases?search=999999")
        page.locator(".status", has_text="1 of 9").wait_for()
        page.goto(f"{home(client)}#/case/4")
        page.locator(".case-main", has_text="answer number 5.").wait_for()
        assert sum(address.startswith("texts/") for address in asked) > 2
        assert watched.events == []


def test_texts_that_come_after_more_results_did_can_be_searched(
    browser: Browser, tmp_path: Path
) -> None:
    folder = SessionFolder.create(tmp_path, {"options": {}, "tests": {"repository/a": {}}})
    journal = folder.open_journal()

    def append(lines: range) -> None:
        for line in lines:
            said = make_transcript(f"answer number {line}.")
            journal.append(make_result(line=line, transcripts=(said,)))

    append(range(1, 71))
    with view_server([folder]) as client, watched_page(browser, home(client)) as watched:
        page = watched.page

        def more(route: Any) -> None:
            append(range(71, 80))
            assert client.ask("state").json["sessions"][0]["results"] == 79
            route.continue_()

        before = client.ask("state").json
        page.route("**/state", lambda route: route.fulfill(json=before))  # so it isn't loaded again
        page.route("**/texts/**", more, times=1)
        page.goto(f"{home(client)}#/cases?search=number+7")
        page.locator(".status", has_text="2 of 70").wait_for()
        page.locator(".tbody .row", has_text="answer number 70.").wait_for()
        assert watched.events == []
    journal.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(browser: Browser, folder: SessionFolder, scheme: str) -> None:
    reason = "axe is missing"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=reason).Axe()
    size = {"width": 360, "height": 640}
    with (
        view_server([folder]) as client,
        watched_page(browser, home(client), color_scheme=scheme, viewport=size) as watched,
    ):
        page = watched.page
        page.goto(f"{home(client)}#/case/0")
        page.click(".label .wrong")
        page.wait_for_selector(".label .wrong[aria-pressed=true]")
        page.wait_for_selector(".live b")
        found = axe.run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_a_page_whose_server_ended_says_so_and_stays(
    browser: Browser, folder: SessionFolder
) -> None:
    with view_server([folder]) as client, watched_page(browser, home(client)) as watched:
        watched.page.goto(home(client))
        watched.page.wait_for_selector(".live b")
        client.server.shutdown()
        client.server.server_close()
        says(watched, "has ended")
        assert watched.page.locator("h1").count() == 1


def test_a_session_that_is_away_is_said_and_shown_again_when_it_is_back(
    browser: Browser, folder: SessionFolder
) -> None:
    away = folder.path.with_name("away")
    with view_server([folder]) as client, watched_page(browser, home(client)) as watched:
        watched.page.goto(home(client))
        says(watched, "complete")
        folder.path.rename(away)
        says(watched, "nothing new can be shown")
        says(watched, "session.json can't be read")
        assert watched.page.locator("h1").count() == 1
        away.rename(folder.path)
        says(watched, "complete")


def test_another_site_reads_nothing_and_changes_nothing(
    browser: Browser, folder: SessionFolder
) -> None:
    with view_server([folder]) as client, view_server([folder]) as evil:
        with watched_page(browser, "http://") as watched:
            watched.page.goto(home(evil))  # another port is another site
            for address, options in (
                (f"{home(client)}state", "{}"),
                (f"{home(client)}state", "{mode: 'no-cors'}"),
                (f"{home(client)}labels", "{method: 'POST', body: '{}'}"),
            ):
                script = f"fetch('{address}', {options}).then(r => r.text()).catch(() => '')"
                assert watched.page.evaluate(script) == ""
        assert not (folder.path / "labels.jsonl").exists()


def test_a_page_from_a_file_asks_nobody(browser: Browser, folder: SessionFolder) -> None:
    session_dir = folder.path.parents[1]
    file = session_dir / "report.html"
    run_lve("report", "-o", file, "--session-dir", session_dir)
    with watched_page(browser, file.as_uri()) as watched:
        watched.page.goto(f"{file.as_uri()}#/case/0")
        watched.page.wait_for_selector(".case-main .message, .case-body")
        assert watched.page.locator(".live").count() == 0
        assert watched.page.locator(".label").count() == 0
        assert watched.events == []
