"""What a page holds, read as the browser reads it."""

from __future__ import annotations

import base64
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.hostile_session import ATTACKS, make_hostile_session
from extensions.reports.page.page_files import CHUNK, page_parts, write_pages
from extensions.reports.report_sessions import make_session
from support.results import make_result

from lve.extensions.reports.page import chunks as chunks_module
from lve.extensions.reports.page.live_page import LivePage
from lve.sessions.session_tests import SessionTest
from lve.verdicts.recorded_session import RecordedSession


def column(chunks: list[Any], name: str) -> list[Any]:
    return [value for chunk in chunks for value in chunk[name]]


def test_every_result_is_in_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks_module, "COLUMN_ROWS", 50)
    monkeypatch.setattr(chunks_module, "DETAIL_ROWS", 40)
    folder = make_session(tmp_path / "state")
    summary, index, details = page_parts(write_pages(tmp_path / "page.html", folder))
    with RecordedSession.of(folder) as session:
        results = sorted(session.results(), key=lambda o: (o.test, o.source, o.line, o.repeat))
    assert summary["rows"] == len(results) == sum(chunk["count"] for chunk in index)
    assert len(index) == 5
    assert [chunk["first"] for chunk in index] == [0, 50, 100, 150, 200]
    tests = [summary["tests"][n]["path"] for n in column(index, "test")]
    models = [summary["models"][n]["name"] for n in column(index, "model")]
    verdicts = column(index, "verdict")
    assert tests == [one.test for one in results]
    assert models == [one.model for one in results]
    assert verdicts == [one.verdict[0] for one in results]
    assert [chunk["first"] for chunk in details] == [0, 40, 80, 120, 160, 200, 240]
    answers = [
        chunk["texts"][row["transcripts"][0]["messages"][-1]["text"]] if row["transcripts"] else ""
        for chunk in details
        for row in chunk["rows"]
    ]
    assert answers == ["".join(map(str, one.responses)) for one in results]


def test_the_same_session_gives_the_same_bytes(tmp_path: Path) -> None:
    folder = make_session(tmp_path / "state", tests=2)
    first = write_pages(tmp_path / "a.html", folder).read_bytes()
    assert write_pages(tmp_path / "b.html", folder).read_bytes() == first


def test_hostile_texts_stay_within_their_elements(tmp_path: Path) -> None:
    file = write_pages(tmp_path / "page.html", make_hostile_session(tmp_path / "state"))
    text = file.read_text(encoding="utf-8")
    chunks = CHUNK.findall(text)
    _, _, details = page_parts(file)
    assert text.count("<script") == 2 + len(chunks)
    assert text.count("</script>") == text.count("<script")
    texts = {text for chunk in details for text in chunk["texts"]}
    assert set(ATTACKS) <= texts


def test_sessions_stand_side_by_side(tmp_path: Path) -> None:
    folders = [make_session(tmp_path / "state", tests=2, models=1, seed=n) for n in (1, 2)]
    summary, index, _ = page_parts(write_pages(tmp_path / "page.html", *folders))
    assert [one["id"] for one in summary["sessions"]] == [one.id for one in folders]
    assert set(column(index, "session")) == {0, 1}
    assert len(summary["cells"]) == 4


def test_what_a_test_expects_is_known(tmp_path: Path) -> None:
    from lve.extensions.reports.page.chunks import AS_EXPECTED, Chunks
    from lve.spec.spec import Expectation

    with Chunks() as chunks:
        weakness = SessionTest("a", "m", expect=Expectation("fail"))
        chunks.add(0, make_result(test="a", verdict="failed"), weakness)
        chunks.add(0, make_result(test="a", verdict="passed"), weakness)
        [(_, packed), _] = chunks.written()
    flags = json.loads(gzip.decompress(base64.b64decode(packed)))["flags"]
    assert [bool(flag & AS_EXPECTED) for flag in flags] == [True, False]


def test_only_a_page_that_is_kept_is_compressed_well(tmp_path: Path) -> None:
    folder = make_session(tmp_path / "state", tests=1, models=1)
    kept = write_pages(tmp_path / "page.html", folder).read_bytes()
    live = io.BytesIO()
    LivePage([folder], lambda _: None).write(live, {})
    for page, quick in ((kept, 0), (live.getvalue(), 4)):
        chunks = CHUNK.findall(page.decode())
        assert chunks
        # The ninth byte of gzip says whether the fastest level was used.
        assert {base64.b64decode(chunk[-1])[8] for chunk in chunks} == {quick}
