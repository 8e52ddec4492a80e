"""What a run leaves when it can't begin, or can't end in order."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import write_sums, write_test
from support.openai_answers import sum_or_echo
from support.server import model_server

from lve.errors import SessionError, UsageError
from lve.pipeline.engine import Engine
from lve.pipeline.outcome import result_of
from lve.pipeline.result import RunResult
from lve.sessions.journal.journal import Journal
from lve.sessions.session_file import session_ids
from lve.sessions.session_folder import SessionFolder


def last(root: Path) -> SessionFolder:
    return SessionFolder.find(root / ".lve")


@pytest.mark.parametrize(
    ("args", "expected"),
    [(["-p", "nope=1"], "has no parameter 'nope'"), (["-p", "a=x"], "must be int, not 'x'")],
)
def test_a_mistaken_parameter_begins_no_session(root: Path, args: list[str], expected: str) -> None:
    write_test(root / "s", skip="never")
    write_sums(root / "t", 3, prompt_parameters_validator=["int", "int"])
    with pytest.raises(UsageError, match=expected):
        call("run", ".", "--model", "replay", *args)
    assert session_ids(root / ".lve") == []


def test_a_session_says_what_it_tests_with_which_models(root: Path) -> None:
    write_sums(root / "a", 1)
    write_sums(root / "b" / "c", 1, model="replay")
    lve("run", "a", "b", "-m", "dummy/dummy", "-m", "replay", code=3)
    info = last(root).info()
    assert info["models"] == ["dummy/dummy", "replay"]
    assert info["paths"] == [str(root / "a"), str(root / "b")]
    assert list(info["tests"]) == ["a", "b/c"]


def test_an_interrupted_session_is_the_last_one_after_a_mistake(root: Path) -> None:
    write_sums(root / "t", 5)
    with model_server() as server:
        at = ["--model", "openai/test", "--base-url", server.url, "--max-requests", "2"]
        lve("run", "t", *at, code=6)
        assert lve("run", "t", "-p", "nope=1", code=2).exception is not None
        lve("run", "--resume", *at[:4], "--max-requests", "9")
        assert len(server.requests) == 5


def test_a_run_of_nothing_does_not_become_the_last_one(root: Path) -> None:
    write_sums(
        root / "t",
        3,
        model="replay",
        checker_args={"checker_name": "RegexChecker", "pattern": "[0-4]", "match_safe": False},
    )
    lve("run", "t", code=1)
    failed = last(root).id
    lve("run", "t", "--index", "999", code=5)
    assert len(session_ids(root / ".lve")) == 2
    assert last(root).id == failed
    lve("run", "--last-failed", code=1)


def test_a_session_that_cannot_be_counted_ends_as_failed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sums(root / "t", 3)
    lve("run", "t", "--model", "replay")

    def unreadable(*_: Any, **__: Any) -> Any:
        raise SessionError("results.jsonl can't be read")

    with monkeypatch.context() as patch:
        patch.setattr(SessionFolder, "results", unreadable)
        with pytest.raises(SessionError, match="can't be read"):
            call("run", "--resume")
    assert last(root).info()["status"] == "failed"
    last(root).open_journal().close()  # nobody holds it


@pytest.mark.parametrize(("what", "end"), [(Engine, "close"), (Journal, "finish")])
def test_how_a_session_ended_is_written_whatever_cannot_be_closed(
    root: Path, monkeypatch: pytest.MonkeyPatch, what: type, end: str
) -> None:
    write_sums(root / "t", 3)
    finish: Callable[[Any], Any] = getattr(what, end)

    def broken(self: Any) -> Any:
        if what is Journal:
            finish(self)
        raise SessionError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(what, end, broken)
        with pytest.raises(SessionError, match="the disk is full"):
            call("run", "t", "--model", "replay")
    info = json.loads((last(root).path / "session.json").read_text())
    assert info["status"] == "failed"
    assert info["spent"]["requests"] == 3
    assert info["summary"]["instances"]["passed"] == 3


def test_a_raised_budget_holds_for_what_is_resumed_after_it(root: Path) -> None:
    write_sums(root / "t", 30)
    with model_server(lambda _: 400) as server:
        at = ["--base-url", server.url]
        lve("run", "t", "--model", "openai/test", *at, "--max-requests", "4", code=6)
        lve("run", "--resume", *at, "--max-requests", "100000", code=3)
        server.behaviour.answer = sum_or_echo
        lve("run", "--retry-errors", *at)
    assert last(root).info()["options"]["max_requests"] == 100000


def test_a_finished_session_whose_retry_is_stopped_stays_finished(root: Path) -> None:
    write_sums(root / "t", 30)
    with model_server(lambda _: 400) as server:
        at = ["--base-url", server.url]
        lve("run", "t", "--model", "openai/test", *at, code=3)
        server.behaviour.answer = sum_or_echo
        stopped = lve("run", "--retry-errors", *at, "--max-requests", "40", code=6)
        assert f"lve run --retry-errors {last(root).id}" in stopped.stdout
        info = last(root).info()
        assert (info["status"], info["unfinished"]) == ("complete", [])
        assert info["summary"]["instances"]["total"] == 30
        lve("run", "--retry-errors", *at, "--max-requests", "99")


def test_a_model_without_a_price_is_named_where_others_have_one(root: Path) -> None:
    (root / "lve.yaml").write_text("models: {openai/a: {price: {input: 1, output: 1}}}")
    write_sums(root / "t", 3)
    with model_server() as server:
        at = ["--base-url", server.url, "--model", "openai/a"]
        assert "(no price)" not in call("run", "t", *at)[1]
        _, out, _ = call("run", "t", *at, "--model", "openai/b", "--refresh")
        assert " without openai/b (no price) · " in out
        assert " without openai/b (no price) · " in call("show", "last")[1]
        assert " without openai/b (no price) · " in call("score", "last")[1]
        _, out, _ = call("run", "t", *at, "--model", "openai/b", "--refresh", "--json")
        assert json.loads(out)["summary"]["unpriced_models"] == ["openai/b"]
        _, out, _ = call("run", "t", *at[:2], "--model", "openai/b", "--refresh")
        assert "price" not in out


def test_a_renamed_argument_is_counted_as_the_server_counts(root: Path) -> None:
    write_sums(root / "t", 3)
    said = {"max_tokens": "Use 'max_completion_tokens' instead."}
    with model_server(refuse=said) as server:
        at = ["--base-url", server.url, "--model", "openai/a", "--model-arg", "max_tokens=9"]
        _, out, _ = call("run", "t", *at, "-j", "1", "--json")
        assert json.loads(out)["summary"]["requests"] == len(server.requests) == 4


@pytest.mark.parametrize("most", [0, 2, 1000])
def test_tests_that_wait_packed_run_like_others(
    root: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.spec.many.MANY", most)
    for number in range(4):
        write_sums(root / f"t{number}", 2, model="dummy/dummy")
    write_sums(root / "unusable", 1, model="nosuch/model")
    write_test(root / "skipped", skip="never")
    ended = lve("run", ".", "--json", code=2)
    document = json.loads(ended.stdout)
    runs = [(test["path"], test["model"], test["rows"]) for test in document["tests"]]
    assert runs == [(f"t{number}", "dummy/dummy", 2) for number in range(4)]
    assert [test["path"] for test in document["summary"]["invalid"]] == ["unusable"]
    assert [test["path"] for test in document["summary"]["skipped"]] == ["skipped"]
    assert sorted(last(root).info()["tests"]) == ["skipped", "t0", "t1", "t2", "t3"]


def test_a_test_that_has_run_leaves_little_in_memory(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.spec.many.MANY", 0)
    taken: list[int] = []

    def note_size(*args: Any, **fields: Any) -> RunResult:
        gc.collect()
        taken.append(tracemalloc.get_traced_memory()[0])
        return result_of(*args, **fields)

    monkeypatch.setattr("lve.pipeline.run.result_of", note_size)
    for count in (30, 10, 60):  # the first one loads what is loaded once
        for number in range(count):
            write_sums(root / f"{count}" / f"t{number}", 1, model="dummy/dummy", author="a" * 5000)
        tracemalloc.start()
        lve("run", f"{count}", "-q", code=3)
        tracemalloc.stop()
    per_test = (taken[2] - taken[1]) / 50
    assert 0 < per_test < 2600


@pytest.mark.parametrize("more", [[], ["--max-requests", "3"], ["--fail-fast"], ["--limit", "1"]])
def test_many_tests_give_what_few_give(
    root: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    never = {"checker_name": "RegexChecker", "pattern": "[a-z]", "match_safe": True}
    for number in range(6):
        write_sums(
            root / "tests" / f"t{number}", 2, **({"checker_args": never} if number == 3 else {})
        )
    write_test(root / "tests" / "skipped", skip="never")
    write_test(root / "tests" / "wrong", prompt_file="none.prompt")
    write_sums(root / "tests" / "often", 1, expect={"pass_rate": ">=0.5", "max_repeats": 9})
    with model_server() as server:
        at = ["--model", "openai/test", "--base-url", server.url, "-j", "1", "--no-cache"]
        documents = []
        for most in (5000, 2):
            monkeypatch.setattr("lve.spec.many.MANY", most)
            done = lve(
                "run", "tests", "--json", *at, *more, code=6 if "--max-requests" in more else 2
            )
            documents.append(json.loads(done.stdout))
    few, many = map(_without_times, documents)
    assert many == few
    assert len(few["tests"]) >= 6


def _without_times(value: Any) -> Any:
    """Return a report without what differs between any two runs."""
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    if not isinstance(value, dict):
        return value
    varies = ("session", "started", "ended", "seconds", "id", "latency_s", "run_info", "folder")
    return {name: _without_times(item) for name, item in value.items() if name not in varies}
