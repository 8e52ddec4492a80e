"""The page of a session that grows: it reads and compresses only what is new, and gives the same
numbers as a report of everything."""

from __future__ import annotations

import base64
import gzip
import io
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.page.page_files import CHUNK, SUMMARY, page_parts, write_pages
from extensions.reports.report_sessions import make_session
from support.results import make_result, make_transcript

from lve.errors import SessionError, UsageError
from lve.extensions.reports.page import growing_session, journal_lines
from lve.extensions.reports.page.journal_lines import ReadJournal
from lve.extensions.reports.page.live_page import LivePage
from lve.sessions.instance_result import result_id
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest, append_tests
from lve.spec.spec import Expectation

LIVE = '<script type="application/json" id="live">'
PLACE = ("session", "test", "model", "source", "line", "repeat")


class Shown:
    """A written page."""

    def __init__(self, page: LivePage) -> None:
        file = io.BytesIO()
        page.write(file, {"author": "ana"})
        text = file.getvalue().decode()
        self.page = page
        self.summary = json.loads(SUMMARY.findall(text)[0])
        self.live = json.loads(text.split(LIVE)[1].split("</script>")[0])
        chunks = [(kind, value_of(packed)) for kind, packed in CHUNK.findall(text)]
        assert {kind for kind, _ in chunks} <= {"index"}
        self.index = [value for _, value in chunks]

    def column(self, name: str) -> list[Any]:
        return [value for chunk in self.index for value in chunk[name]]

    def texts(self, first: int, amount: int) -> Any:
        return value_of(self.page.texts(self.live["number"], first, amount))


def value_of(packed: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def add(folder: SessionFolder, **changes: Any) -> None:
    write(folder.results_file, **changes)


def write(path: Path, **changes: Any) -> None:
    from lve.sessions.journal.journal import Journal

    journal = Journal(path)
    journal.append(make_result(**changes))
    journal.close()


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return SessionFolder.create(tmp_path, {"options": {}, "tests": {"repository/a": {}}})


@pytest.fixture
def page(folder: SessionFolder) -> LivePage:
    return LivePage([folder], lambda _: None)


def test_it_has_the_numbers_of_a_report(tmp_path: Path) -> None:
    folders = [make_session(tmp_path / name, tests=4, models=2) for name in ("a", "b")]
    shown = Shown(LivePage(folders, lambda _: None))
    summary, index, details = page_parts(write_pages(tmp_path / "page.html", *folders))
    for name in ("tests", "models", "cells", "counts", "rows", "verdict", "risks", "comparisons"):
        assert shown.summary[name] == summary[name], name
    columns = [name for name in index[0] if name not in ("first", "count")]

    def rows(chunks: list[Any], sources: list[str]) -> list[Any]:
        each = {name: [v for chunk in chunks for v in chunk[name]] for name in columns}
        each["source"] = [sources[number] for number in each["source"]]
        each["kind"] = [bool(number) for number in each["kind"]]
        return sorted(zip(*each.values(), strict=True), key=str)

    assert rows(shown.index, shown.summary["sources"]) == rows(index, summary["sources"])
    whole = [row for chunk in details for row in resolved(chunk)]
    asked = shown.texts(0, 1000)
    assert asked["first"] == 0
    assert sorted(map(str, resolved(asked))) == sorted(map(str, whole))


def resolved(chunk: Any) -> list[Any]:
    texts = chunk["texts"]
    return [
        (
            texts[row["reason"]],
            texts[row["parameters"]],
            [[texts[m["text"]] for m in t["messages"] if "text" in m] for t in row["transcripts"]],
        )
        for row in chunk["rows"]
    ]


def test_what_was_read_is_not_read_again(
    folder: SessionFolder, page: LivePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []
    counted_results = growing_session.counted_results

    def noted(lines: list[bytes]) -> Any:
        read.extend(lines)
        return counted_results(lines)

    monkeypatch.setattr(growing_session, "counted_results", noted)
    for line in (1, 2):
        add(folder, line=line)
    assert Shown(page).column("line") == [1, 2]
    assert len(read) == 2
    add(folder, line=3, verdict="failed", reason="no")
    shown = Shown(page)
    assert (shown.column("line"), shown.summary["counts"]["failed"], len(read)) == ([1, 2, 3], 1, 3)


@pytest.mark.parametrize(
    ("module", "limit", "value"),
    [
        (growing_session, "BATCH", 2),
        (growing_session, "BATCH_BYTES", 1),
        (journal_lines, "BLOCK_BYTES", 1),  # each line is a long one
        (journal_lines, "BLOCK_BYTES", 1000),
    ],
)
def test_results_are_read_in_batches(
    folder: SessionFolder,
    page: LivePage,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    limit: str,
    value: int,
) -> None:
    monkeypatch.setattr(module, limit, value)
    for line in range(1, 6):
        add(folder, line=line, reason=f"reason {line}")
    with folder.results_file.open("a", encoding="utf-8") as file:
        file.write("\n[]\n")
    add(folder, line=6, reason="reason 6")
    shown = Shown(page)
    assert shown.column("line") == [1, 2, 3, 4, 5, 6]
    assert [reason for reason, *_ in resolved(shown.texts(0, 9))] == [
        f"reason {line}" for line in range(1, 7)
    ]


def test_what_was_read_before_an_error_counts_once(
    folder: SessionFolder, page: LivePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in (1, 2, 3):
        add(folder, line=line)
    lines = ReadJournal.new_lines

    def broken(journal: ReadJournal) -> Iterator[Any]:
        yield from lines(journal)
        raise OSError(5, "the disk is broken")

    monkeypatch.setattr(ReadJournal, "new_lines", broken)
    with pytest.raises(SessionError, match="the disk is broken"):
        Shown(page)
    monkeypatch.undo()
    assert Shown(page).column("line") == [1, 2, 3]


@pytest.mark.parametrize("good", range(2))
def test_results_that_were_read_with_one_that_cannot_be_shown_are_not_lost(
    folder: SessionFolder, page: LivePage, monkeypatch: pytest.MonkeyPatch, good: int
) -> None:
    looks = count()

    def broken(_: object) -> None:
        if next(looks) >= good:  # at the beginning, or for a result of a new test
            raise SessionError("the disk is broken")

    add(folder, line=1)
    assert Shown(page).column("line") == [1]
    for line in (2, 3, 4):
        add(folder, line=line, test="repository/b")
    monkeypatch.setattr(growing_session.GrowingSession, "_read_tests", broken)
    for _ in range(3):
        with pytest.raises(SessionError, match="the disk is broken"):
            Shown(page)
    monkeypatch.undo()
    shown = Shown(page)
    assert (shown.column("line"), shown.summary["counts"]["passed"]) == ([1, 2, 3, 4], 4)


def test_an_earlier_page_still_gets_its_texts(folder: SessionFolder, page: LivePage) -> None:
    for line in (9, 8):
        add(folder, line=line, transcripts=(make_transcript(f"answer {line}"),))
    earlier = Shown(page)
    add(folder, line=1, transcripts=(make_transcript("answer 1"),))
    assert Shown(page).live["number"] == earlier.live["number"]
    chunk = earlier.texts(1, 1)
    assert chunk["first"] == 1
    assert [row[2] for row in resolved(chunk)] == [[["hi", "answer 8"]]]
    for number, first in ((earlier.live["number"] + 1, 0), (earlier.live["number"], 3)):
        with pytest.raises(UsageError, match="load the page again"):
            page.texts(number, first, 1)


def test_a_line_is_counted_when_it_is_whole(folder: SessionFolder, page: LivePage) -> None:
    add(folder, line=1)
    line = folder.results_file.read_bytes().replace(b'"line":1', b'"line":2')
    with folder.results_file.open("ab") as file:
        file.write(line[:40])
        file.flush()
        assert Shown(page).column("line") == [1]
        file.write(line[40:])
    assert Shown(page).column("line") == [1, 2]


def test_a_result_that_is_run_again_replaces_the_earlier_one(
    folder: SessionFolder, page: LivePage
) -> None:
    add(folder, verdict="error", error_kind="timeout", reason="late")
    earlier = Shown(page)
    add(folder)
    add(folder, line=2)
    shown = Shown(page)
    assert (shown.column("line"), shown.summary["counts"]["error"]) == ([1, 2], 0)
    with pytest.raises(UsageError, match="load the page again"):
        earlier.texts(0, 1)
    again = LivePage([folder], lambda _: None)
    assert Shown(again).column("line") == [1, 2]
    add(folder, line=3)
    assert Shown(again).column("line") == [1, 2, 3]


def test_results_that_are_replaced_are_looked_for_where_there_may_be_some(
    folder: SessionFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    look = growing_session.superseded
    monkeypatch.setattr(
        growing_session, "superseded", lambda lines: (looks.append(1), look(lines))[1]
    )
    begins = monkeypatch_begins(monkeypatch)
    add(folder, verdict="error", error_kind="timeout", reason="late")
    assert LivePage([folder], lambda _: None).state()[0]["counts"] == {"error": 1}
    assert (looks, begins) == ([], [False])
    folder.end("complete")
    folder.begin_again({})
    add(folder)
    assert LivePage([folder], lambda _: None).state()[0]["counts"] == {"passed": 1}
    assert (looks, begins) == ([1], [False, False]), "it is read once"


def monkeypatch_begins(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which is added whether a page that is begun knows of replaced results."""
    begins: list[bool] = []
    begin = LivePage._begin

    def noted(page: LivePage, *, has_repeats: bool) -> None:
        begins.append(has_repeats)
        begin(page, has_repeats=has_repeats)

    monkeypatch.setattr(LivePage, "_begin", noted)
    return begins


def test_a_resumed_session_has_unfinished_tests_again(
    folder: SessionFolder, page: LivePage
) -> None:
    append_tests(folder.path, [SessionTest("repository/a", "openai/m")])
    add(folder)
    folder.end("complete")
    assert Shown(page).summary["cells"][0]["verdict"] == "passed"
    folder.begin_again({})
    assert Shown(page).summary["cells"][0]["verdict"] == "inconclusive"


def test_what_processes_merge_is_counted_once(folder: SessionFolder, page: LivePage) -> None:
    part = folder.path / "results-gw0.jsonl"
    write(part, line=1, transcripts=(make_transcript("of a process"),))
    earlier = Shown(page)
    assert earlier.column("line") == [1]
    with folder.results_file.open("ab") as file:
        file.write(part.read_bytes())
    part.unlink()
    add(folder, line=2)
    shown = Shown(page)
    assert shown.column("line") == [1, 2]
    assert resolved(earlier.texts(0, 1))[0][2] == [["hi", "of a process"]]


def test_a_journal_that_is_replaced_is_read_from_its_beginning(
    folder: SessionFolder, page: LivePage, tmp_path: Path
) -> None:
    add(folder, line=1)
    add(folder, line=2)
    assert Shown(page).column("line") == [1, 2]
    other = tmp_path / "other"
    write(other, line=7)
    other.replace(folder.results_file)
    assert Shown(page).column("line") == [7]
    folder.results_file.write_bytes(b"")
    assert Shown(page).column("line") == []


def test_a_result_that_is_gone_is_an_error_and_hides_no_other(
    folder: SessionFolder, page: LivePage
) -> None:
    add(folder, line=1)
    add(folder, line=2)
    shown = Shown(page)
    first = folder.results_file.read_bytes().splitlines(True)[0]
    folder.results_file.write_bytes(first + b"x" * 2000)
    rows = shown.texts(0, 2)["rows"]
    assert len(rows) == 2
    assert "can't be read any more" in json.dumps(shown.texts(0, 2))
    assert rows[0] != rows[1]


def test_tests_are_described_as_they_start(folder: SessionFolder, page: LivePage) -> None:
    wanted = Expectation("fail")
    append_tests(folder.path, [SessionTest("repository/a", "openai/m", expect=wanted)])
    add(folder, verdict="failed")
    first = Shown(page)
    assert [test["expect"] for test in first.summary["tests"]] == ["all failed"]
    assert first.column("flags") == [8]
    append_tests(folder.path, [SessionTest("repository/b", "openai/m", expect=wanted)])
    add(folder, test="repository/b", verdict="failed")
    shown = Shown(page)
    assert [test["expect"] for test in shown.summary["tests"]] == ["all failed"] * 2
    assert shown.column("flags") == [8, 8]
    append_tests(folder.path, [SessionTest("repository/b", "openai/m", expect=Expectation())])
    assert Shown(page).column("flags") == [8, 0]
    gaps = SessionTest("repository/a", "openai/m", not_recorded=2)
    append_tests(folder.path, [gaps, SessionTest("repository/c", skipped="why not")])
    shown = Shown(page)
    assert shown.summary["skipped"] == [{"path": "repository/c", "reason": "why not"}]
    assert shown.column("flags") == [8, 0]


def test_damaged_lines_are_left_out_and_named(folder: SessionFolder) -> None:
    warned: list[str] = []
    page = LivePage([folder], warned.append)
    add(folder, line=1)
    Shown(page)
    with folder.results_file.open("ab") as file:
        file.write(b"{}\n")
    add(folder, line=2)
    assert Shown(page).column("line") == [1, 2]
    assert any("results.jsonl:2" in warning and "1 damaged line" in warning for warning in warned)


def test_comparisons_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    folder = make_session(tmp_path, tests=3, models=2)
    shown = Shown(LivePage([folder], lambda _: None))
    number = shown.live["number"]
    [heading] = shown.summary["comparisons"]
    _, _, _ = page_parts(file := write_pages(tmp_path / "page.html", folder))
    [kept] = [value_of(text) for kind, text in CHUNK.findall(file.read_text()) if "com" in kind]
    assert heading["of_models"] is True
    assert value_of(shown.page.comparison(number, 0)) == kept
    with pytest.raises(UsageError, match="load the page again"):
        shown.page.comparison(number, 1)


def test_why_sessions_cannot_be_compared_is_said(tmp_path: Path) -> None:
    folders = []
    for name in ("one", "other"):
        info: Any = {"options": {}, "models": [f"openai/{name}"], "tests": {}}
        folders.append(SessionFolder.create(tmp_path / name, info))
        add(folders[-1], model=f"openai/{name}", test=f"repository/{name}")
    shown = Shown(LivePage(folders, lambda _: None))
    with pytest.raises(UsageError, match="in common"):
        shown.page.comparison(shown.live["number"], 0)


def test_secrets_that_are_known_now_are_not_shown(
    folder: SessionFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
    add(folder, verdict="error", error_kind="x", reason=f"key {secret}")
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    shown = Shown(LivePage([folder], lambda _: None))
    assert secret not in json.dumps(shown.summary)
    assert secret not in json.dumps(shown.texts(0, 1))


def add_all(folder: SessionFolder, *results: dict[str, Any]) -> None:
    for changes in results:
        add(folder, **changes)


class Progress:
    """What the bar of the page says of a session."""

    def __init__(self, folder: SessionFolder) -> None:
        self.page = LivePage([folder], lambda _: None)

    def state(self) -> dict[str, Any]:
        [state] = self.page.state()
        return state


def test_results_are_counted_as_they_come(folder: SessionFolder) -> None:
    progress = Progress(folder)
    assert (progress.state()["results"], progress.state()["cost"]) == (0, None)
    add_all(folder, {"line": 1, "cost": 0.5}, {"line": 2, "verdict": "failed", "cost": 0.25})
    first = progress.state()
    assert (first["results"], first["counts"], first["cost"]) == (
        2,
        {"failed": 1, "passed": 1},
        0.75,
    )
    assert first["status"] == "running"
    add_all(folder, {"line": 3})
    assert progress.state()["results"] == 3
    assert progress.state()["version"] == progress.state()["version"] != first["version"]


def test_a_result_that_ran_again_counts_once_and_cost_what_both_took(folder: SessionFolder) -> None:
    progress = Progress(folder)
    add_all(folder, {"verdict": "error", "error_kind": "timeout", "cost": 0.1})
    assert progress.state()["counts"] == {"error": 1}
    add_all(folder, {"verdict": "passed", "cost": 0.1})
    state = progress.state()
    assert (state["results"], state["counts"], state["cost"]) == (1, {"passed": 1}, 0.2)


def test_journals_that_become_one_count_once(folder: SessionFolder) -> None:
    add_all(folder, {"line": 1, "cost": 0.5}, {"line": 2, "cost": 0.25})
    whole = folder.results_file.read_bytes()
    first, second = whole.splitlines(keepends=True)
    parts = [folder.path / f"results-gw{number}.jsonl" for number in (0, 1)]
    folder.results_file.rename(parts[0])
    parts[0].write_bytes(first)
    parts[0].with_name(parts[1].name).write_bytes(second)
    progress = Progress(folder)
    assert (progress.state()["results"], progress.state()["cost"]) == (2, 0.75)
    for part in parts:
        part.unlink()
    folder.results_file.write_bytes(whole)
    assert (progress.state()["results"], progress.state()["cost"]) == (2, 0.75)


def test_a_journal_that_was_replaced_is_read_again(folder: SessionFolder) -> None:
    add_all(folder, {"line": 1, "cost": 0.5}, {"line": 2, "cost": 0.25})
    progress = Progress(folder)
    assert progress.state()["cost"] == 0.75
    folder.results_file.write_bytes(folder.results_file.read_bytes().splitlines(True)[1])
    assert progress.state()["cost"] == 0.25


def test_a_line_that_is_being_written_waits_until_it_is_whole(folder: SessionFolder) -> None:
    add_all(folder, {"line": 1}, {"line": 2})
    content = folder.results_file.read_bytes()
    progress = Progress(folder)
    folder.results_file.write_bytes(content[:-20])
    assert progress.state()["results"] == 1
    folder.results_file.write_bytes(content)
    assert progress.state()["results"] == 2


def test_lines_that_are_no_results_are_passed_over(folder: SessionFolder) -> None:
    add_all(folder, {"line": 1})
    with folder.results_file.open("ab") as file:
        file.write(b"{}\n\xff\xfe\n[[[[\n" + b'{"version":1}\n')
    add_all(folder, {"line": 2})
    assert Progress(folder).state()["results"] == 2


def test_only_results_that_are_there_can_be_labelled(folder: SessionFolder) -> None:
    page = LivePage([folder], lambda _: None)
    place = ("repository/a", "openai/m", "instances/x.jsonl", 1)
    assert not page.has(0, result_id(*place, 0))
    add(folder, line=1)
    assert page.has(0, result_id(*place, 0))
    assert not page.has(0, result_id(*place, 1))


def test_a_session_that_nobody_runs_is_found_out(
    folder: SessionFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_all(folder, {"line": 1})
    progress = Progress(folder)
    assert progress.state()["status"] == "running"
    monkeypatch.setattr(growing_session, "QUIET_S", -1.0)
    assert progress.state()["status"] == "killed"
    folder.end("complete")
    assert progress.state()["status"] == "complete"


def test_a_damaged_session_is_one_sentence(folder: SessionFolder) -> None:
    (folder.path / "session.json").write_text("[]")
    with pytest.raises(SessionError, match=r"session\.json"):
        Progress(folder).state()


@pytest.mark.parametrize(
    "forged",
    [
        ('"verdict":"passed"', '"verdict":[]'),
        ('"verdict":"passed"', '"verdict":"odd"'),
        ('"line":1', '"line":1.5'),
        ('"cost":0.5', '"cost":-0.5'),
        ('"cost":0.5', '"cost":"0.5"'),
        ('"model":"openai/m"', '"model":7'),
    ],
)
def test_a_forged_line_counts_for_nothing(folder: SessionFolder, forged: tuple[str, str]) -> None:
    add_all(folder, {"line": 1, "cost": 0.5})
    text = folder.results_file.read_text()
    assert forged[0] in text
    folder.results_file.write_text(text.replace(*forged, 1))
    state = Progress(folder).state()
    assert (state["results"], state["cost"]) == (0, None)
