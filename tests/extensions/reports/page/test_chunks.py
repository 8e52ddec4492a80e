"""The columns and the whole results in a page's chunks: each field of a result, in its column."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
from support.results import make_result

from lve.extensions.reports.page import chunks as module
from lve.extensions.reports.page.chunks import Chunks
from lve.messages import Usage
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation

PASS = SessionTest("a", "m")
FAIL = SessionTest("a", "m", expect=Expectation("fail"))


def written(*results: tuple[int, Any, SessionTest]) -> list[tuple[str, Any]]:
    """Return the kind and the content of each chunk."""
    with Chunks() as chunks:
        for session, result, test in results:
            chunks.add(session, result, test)
        return [
            (kind, json.loads(gzip.decompress(base64.b64decode(text))))
            for kind, text in chunks.written()
        ]


def test_each_field_has_its_column() -> None:
    first = make_result(test="a", model="m", source="s", line=7, repeat=2, latency_s=1.5)
    second = make_result(
        test="b", model="n", source="t", line=2**40, repeat=2**40, latency_s=0.002,
        usage=Usage(5, 6), cost=0.5, score=0.75, verdict="error", error_kind="timeout",
        recorded="failed", cached=True, advisory=True, judged_by="redacted text",
    )  # fmt: skip
    third = make_result(test="a", model="n", source="s", verdict="failed", error_kind=None)
    (kind, index), (other, details) = written((0, first, PASS), (3, second, PASS), (3, third, FAIL))
    assert (kind, other) == ("index", "details")
    assert index == {
        "first": 0, "count": 3, "verdict": "pef", "recorded": "-f-",
        "session": [0, 3, 3], "test": [0, 1, 0], "model": [0, 1, 1], "source": [0, 1, 0],
        "line": [7, 2**31 - 1, 1], "repeat": [2, 2**31 - 1, 0], "flags": [8, 7, 8],
        "kind": [0, 1, 0], "score": [None, 0.75, None], "latency_ms": [1500, 2, 250],
        "tokens_in": [3, 5, 3], "tokens_out": [4, 6, 4], "cost": [None, 0.5, None],
    }  # fmt: skip
    assert (details["first"], len(details["rows"])) == (0, 3)


@pytest.mark.parametrize(("limit", "kind"), [("COLUMN_ROWS", "index"), ("DETAIL_ROWS", "details")])
def test_a_chunk_ends_after_so_many_rows(
    monkeypatch: pytest.MonkeyPatch, limit: str, kind: str
) -> None:
    monkeypatch.setattr(module, limit, 2)
    parts = [part for name, part in written(*[(0, make_result(), PASS)] * 5) if name == kind]
    assert [part["first"] for part in parts] == [0, 2, 4]
    sizes = [part.get("count", len(part.get("rows", ()))) for part in parts]
    assert sizes == [2, 2, 1]


def test_a_chunk_of_results_ends_after_so_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DETAIL_CHARACTERS", 1)
    results = [(0, make_result(responses=(text,)), PASS) for text in ("one", "two")]
    parts = [part for kind, part in written(*results) if kind == "details"]
    assert [part["first"] for part in parts] == [0, 1]


def test_nothing_is_no_chunk() -> None:
    assert written() == []
