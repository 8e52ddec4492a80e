"""`tests.jsonl`: the tests of a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.results import any_text

from lve.documents.validation.schema import load_schema
from lve.errors import SessionError
from lve.secrets.redaction import lasting_redactor
from lve.sessions import session_tests
from lve.sessions.session_tests import SessionTest, append_tests, read_tests
from lve.spec.spec import Expectation

SCHEMA = jsonschema.Draft202012Validator(load_schema("session_test"))
ERRORS: dict[str, Any] = {
    "tpr": 0.9,
    "good": 40.0,
    "tnr": 0.8,
    "bad": 30.0,
    "served": ["judge-1"],
    "is_required": True,
}
RATE = Expectation("rate", "<", 0.25, 0.9, 30, "population", "topic", has_alike_repeats=True)
EXPECTED = st.builds(
    Expectation,
    kind=st.sampled_from(["pass", "fail", "rate"]),
    comparison=st.sampled_from([">=", ">", "<=", "<"]),
    threshold=st.floats(0, 1),
    confidence=st.floats(0.01, 0.99),
    max_repeats=st.integers(1, 10**6),
    claim=st.sampled_from(["these", "population", "results"]),
    cluster=st.none() | st.text(max_size=5),
    has_alike_repeats=st.booleans(),
    number=st.none() | st.integers(0, 10**6),
    max_errors=st.integers(0, 10**6),
)
TESTS = st.builds(
    SessionTest,
    test=any_text,
    model=st.none() | any_text,
    document=st.none() | any_text,
    description=any_text,
    author=st.none() | any_text,
    category=any_text,
    tags=st.lists(st.tuples(any_text, any_text), max_size=2).map(tuple),
    parameters=st.lists(any_text, max_size=2).map(tuple),
    expect=EXPECTED,
    is_sequential=st.booleans(),
    has_failures_only=st.booleans(),
    column=st.none() | any_text,
    metric=any_text,
    errors=st.none() | st.just(ERRORS),
    not_recorded=st.integers(0, 10**9),
    repeats_not_recorded=st.integers(0, 10**9),
    left=st.none() | st.integers(0, 10**9),
    overall=st.none() | any_text | st.dictionaries(any_text, st.floats(-1e6, 1e6), max_size=3),
    skipped=st.none() | any_text,
    is_unavailable=st.booleans(),
    problems=st.lists(any_text, max_size=2).map(tuple),
)


@given(TESTS)
def test_a_test_comes_back_as_it_was_written(test: SessionTest) -> None:
    written = json.loads(json.dumps(test.to_json()))
    SCHEMA.validate(written)
    assert SessionTest.from_json(written) == test


def test_what_is_usual_takes_no_room() -> None:
    assert SessionTest("a", "m").to_json() == {"version": 1, "test": "a", "model": "m"}


def test_of_several_lines_the_last_counts_and_models_are_reported_apart(tmp_path: Path) -> None:
    append_tests(tmp_path, [SessionTest("a", "m"), SessionTest("a", "n")])
    append_tests(tmp_path, [SessionTest("a", "m", expect=RATE), SessionTest("b")])
    found = read_tests(tmp_path)
    assert found["a", "m"].expect == RATE
    assert found["a", "n"].expect == Expectation()
    assert ("b", None) in found


def test_a_test_that_runs_after_all_is_not_refused_any_more(tmp_path: Path) -> None:
    taken, refused = SessionTest("a", "m"), SessionTest("a", skipped="no sqlglot")
    append_tests(tmp_path, [taken])
    append_tests(tmp_path, [refused])
    assert ("a", None) in read_tests(tmp_path)
    append_tests(tmp_path, [taken])
    assert [*read_tests(tmp_path)] == [("a", "m")]


def test_a_line_that_a_process_was_killed_in_costs_no_other(tmp_path: Path) -> None:
    append_tests(tmp_path, [SessionTest("a", "m")])
    with (tmp_path / "tests.jsonl").open("ab") as file:
        file.write(b'{"version":1,"test":"b')
    append_tests(tmp_path, [SessionTest("c", "m")])
    warned: list[str] = []
    assert [test for test, _ in read_tests(tmp_path, warn=warned.append)] == ["a", "c"]
    assert "1 damaged line is left out" in warned[0]


@pytest.mark.parametrize(
    "line",
    [
        b"\x00\x00\x00",
        b"[1]",
        b'{"version": 1}',
        b'{"version": 2, "test": "a"}',
        b'{"version": 1, "test": "a", "expect": {"threshold": 7}}',
        b'{"version": 1, "test": "a", "tags": [["only a name"]]}',
        b'{"version": 1, "test": "a", "errors": {"tpr": 1}}',
        b'{"version": 1, "test": "a", "command": "rm"}',
        b'{"version": 1, "test": "a", "description": NaN}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_line_is_left_out_with_a_warning(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "tests.jsonl").write_bytes(line + b'\n{"version":1,"test":"good"}\n')
    warned: list[str] = []
    assert [test for test, _ in read_tests(tmp_path, warn=warned.append)] == ["good"]
    assert len(warned) == 1


def test_reading_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_tests(tmp_path, [SessionTest(f"t{n}", "m") for n in range(50)])
    monkeypatch.setattr(session_tests, "MAX_LINES", 10)
    assert len(read_tests(tmp_path)) == 10


def test_a_secret_in_a_test_is_not_written(tmp_path: Path) -> None:
    test = SessionTest("a", "m", description="the key is sk-very-secret-1234")
    lasting_redactor(["sk-very-secret-1234"])
    append_tests(tmp_path, [test])
    assert b"very-secret" not in (tmp_path / "tests.jsonl").read_bytes()


def test_nothing_to_say_makes_no_file(tmp_path: Path) -> None:
    append_tests(tmp_path, [])
    assert read_tests(tmp_path) == {}
    assert not list(tmp_path.iterdir())


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("precious")
    (tmp_path / "tests.jsonl").symlink_to(tmp_path / "other")
    with pytest.raises(SessionError, match="can't be written"):
        append_tests(tmp_path, [SessionTest("a")])
    with pytest.raises(SessionError, match="can't be read"):
        read_tests(tmp_path)
    assert (tmp_path / "other").read_text() == "precious"
