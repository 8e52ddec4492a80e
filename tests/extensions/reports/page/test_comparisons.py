"""What a page compares."""

from __future__ import annotations

import base64
import gzip
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from extensions.reports.report_sessions import make_session

from lve.comparison.compare import compare
from lve.comparison.session_side import SessionSide
from lve.extensions.reports.page import comparisons
from lve.extensions.reports.page.comparisons import (
    MAX_COMPARISONS,
    PageComparison,
    page_comparisons,
)
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession


def compared(*folders: SessionFolder) -> list[PageComparison]:
    with ExitStack() as stack:
        return page_comparisons([stack.enter_context(RecordedSession.of(one)) for one in folders])


def unpacked(found: PageComparison) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(found.text)))


def test_sessions_are_compared_one_after_the_other(tmp_path: Path) -> None:
    folders = [make_session(tmp_path / "state", tests=2, models=2, seed=n) for n in (1, 2, 3)]
    found = compared(*folders)
    ids = [one.id for one in folders]
    assert [(one.before, one.now) for one in found] == [(ids[0], ids[1]), (ids[1], ids[2])]
    one = unpacked(found[0])
    sides = [SessionSide(folder, warn=lambda _: None) for folder in folders[:2]]
    expected = compare(*sides)
    assert (one["broken"], one["fixed"]) == (expected.broken, expected.fixed)
    assert [test["difference"]["p"] for test in one["tests"]] == [
        test.difference.p.p for test in expected.tests if test.difference
    ]


def test_the_models_of_one_session_are_compared(tmp_path: Path) -> None:
    found = compared(make_session(tmp_path / "state", tests=1, models=3))
    assert [one.models for one in found] == [
        ("anthropic/claude-opus-5", "local/mistral-small"),
        ("anthropic/claude-opus-5", "openai/gpt-6-luna"),
        ("local/mistral-small", "openai/gpt-6-luna"),
    ]
    assert {flip["causes"][0]["name"] for flip in unpacked(found[0])["flips"]} == {"model"}


def test_there_are_so_many_comparisons_only(tmp_path: Path) -> None:
    assert (
        len(compared(make_session(tmp_path / "state", tests=1, models=6, repeats=1)))
        == MAX_COMPARISONS
    )


def test_one_model_is_compared_with_nothing(tmp_path: Path) -> None:
    assert compared(make_session(tmp_path / "state", tests=1, models=1)) == []


def test_what_has_nothing_in_common_says_so(tmp_path: Path) -> None:
    empty = SessionFolder.create(tmp_path / "state", {"options": {}})
    empty.update(status="complete")
    [found] = compared(make_session(tmp_path / "state", tests=1, models=1), empty)
    assert found.text == ""
    assert found.heading()["problem"]


def test_no_more_results_are_read_again_than_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparisons, "MOST_FLIPS", 9)
    reads: list[int] = []
    read = SessionSide.result
    monkeypatch.setattr(
        SessionSide, "result", lambda side, where: reads.append(where) or read(side, where)
    )
    whole = [unpacked(one) for one in compared(make_session(tmp_path / "state", models=3))]
    assert [len(one["flips"]) for one in whole] == [3, 3, 3]
    assert all(one["broken"] + one["fixed"] > 3 for one in whole)
    assert len(reads) == 36  # both answers, to find the cause and to write them
