"""Concurrency and the record of a session."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.pytest_runs import against, sessions, verdicts
from support.server import model_server

Write = Callable[..., Path]
MANY = [("Paris", True)] * 24


def test_all_items_run_at_once(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", MANY)
    write_test("b", MANY, prompt=[{"role": "user", "content": "Which city leads {country}?"}])
    with model_server("Paris", hold_until=48) as server:
        result = pytester.runpytest(*against(server.url))
    result.assert_outcomes(passed=48)
    assert server.stats()["max_in_flight"] == 48


def test_more_connections_than_the_default(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Paris", True)] * 100)
    with model_server("Paris", hold_until=90) as server:
        pytester.runpytest(*against(server.url, "--lve-max-connections=90"))
    assert server.stats()["max_in_flight"] == 90


def test_as_many_connections_as_the_settings_say(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True)] * 100)
    (pytester.path / "lve.yaml").write_text("models: {openai/m: {max_connections: 90}}")
    with model_server("Paris", hold_until=90) as server:
        pytester.runpytest(*against(server.url))
    assert server.stats()["max_in_flight"] == 90


def test_requests_are_sent_in_the_order_of_the_items(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    for name in ("a", "b"):
        write_test(name, MANY[:3])
    with model_server("Paris") as server:
        pytester.runpytest(*against(server.url, "--lve-max-connections=1"))
    asked = [request.prompt for request in server.requests]
    assert asked[:3] == [f"What is the capital of France {n}?" for n in (1, 2, 3)]


@pytest.mark.parametrize("argument", ["-x", "--maxfail=1"])
def test_the_first_failure_stops_sending(
    pytester: pytest.Pytester, write_test: Write, argument: str
) -> None:
    write_test("a", [("Paris", True)] * 200)
    with model_server("Lyon", latency_s=0.02) as server:
        result = pytester.runpytest(*against(server.url, "--lve-max-connections=2", argument))
    result.assert_outcomes(failed=1)
    assert len(server.requests) < 100
    assert [one["status"] for one in sessions(pytester)] == ["interrupted"]


def test_deselected_items_send_nothing(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", MANY)
    with model_server("Paris") as server:
        pytester.runpytest(*against(server.url, "-k", "instances.jsonl[3]"))
    assert len(server.requests) == 1


def test_a_reached_budget_is_an_error_of_the_rest(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", MANY, default_model_args={"max_tokens": 10})
    price = "models: {openai/m: {price: {input: 1000.0, output: 1000.0}}}"
    (pytester.path / "lve.yaml").write_text(price)
    with model_server("Paris") as server:
        result = pytester.runpytest(*against(server.url, "--lve-budget=0.3"))
    outcomes = result.parseoutcomes()
    assert 0 < outcomes["passed"] < 24
    assert outcomes["passed"] + outcomes["errors"] == 24
    assert [one["status"] for one in sessions(pytester)] == ["budget"]


def test_a_session_is_recorded_as_by_lve_run(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Paris", True), ("Lyon", False)])
    result = pytester.runpytest("repository", "--lve-replay")
    [info] = sessions(pytester)
    assert info["status"] == "complete"
    assert info["models"] == ["replay"]
    assert info["paths"] == [str(pytester.path / "repository/a/test.json")]
    assert set(info["tests"]) == {"repository/a"}
    assert info["summary"]["tests"]["failed"] == 1
    assert info["summary"]["instances"]["passed"] == 1
    assert [line[3:] for line in verdicts(pytester, info["session"])] == [
        (1, 0, "passed"),
        (2, 0, "failed"),
    ]
    result.stdout.fnmatch_lines([f"lve: session .lve/runs/{info['session']}"])


@pytest.mark.parametrize("more", [(), ("-n2",)])
def test_failed_attempts_count_when_the_session_is_resumed_with_a_budget(
    pytester: pytest.Pytester, write_test: Write, more: tuple[str, ...]
) -> None:
    write_test("a", MANY[:4])
    with model_server("Paris", faults=["500"] * 3, retry_after="0") as server:
        result = pytester.runpytest(*against(server.url, *more))
    result.assert_outcomes(passed=4)
    [info] = sessions(pytester)
    assert info["spent"]["requests"] == 7
    assert info["spent_unrecorded"]["requests"] == 3


def test_a_session_folder_of_ones_own(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    pytester.runpytest("repository", "--lve-session-dir=state").assert_outcomes(passed=1)
    assert len(sessions(pytester, "state")) == 1
    assert not (pytester.path / ".lve").exists()


@pytest.mark.parametrize("more", [(), ("-n2",)])
def test_a_session_folder_that_cannot_be_written_is_one_sentence(
    pytester: pytest.Pytester, write_test: Write, more: tuple[str, ...]
) -> None:
    write_test("a", MANY[:2])
    (pytester.path / "state").write_text("a file")
    result = pytester.runpytest("repository", "--lve-session-dir=state", *more)
    result.assert_outcomes()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "*state*can't be written: Not a directory.*--lve-session-dir) ?session_unwritable?"
    result.stderr.fnmatch_lines([told])
    assert (result.stdout.str() + result.stderr.str()).count("can't be written") == 1


def test_looking_needs_no_place_for_a_session(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", MANY[:2])
    (pytester.path / "state").write_text("a file")
    for look in ("--collect-only", "--setup-plan"):
        result = pytester.runpytest("repository", "--lve-session-dir=state", look)
        assert result.ret == pytest.ExitCode.OK, look


LOSE_THE_RECORD = """
import pathlib, pytest

@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish():
    for file in pathlib.Path(".lve/runs").glob("*/session.json"):
        file.unlink(missing_ok=True)
"""


@pytest.mark.parametrize("more", [(), ("-n1",)])
def test_a_record_that_cannot_be_written_at_the_end_fails_the_run(
    pytester: pytest.Pytester, write_test: Write, more: tuple[str, ...]
) -> None:
    write_test("a", MANY[:4])
    pytester.makeconftest(LOSE_THE_RECORD)
    result = pytester.runpytest("repository", *more)
    result.assert_outcomes(passed=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.stdout.str().count("session.json can't be read") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows doesn't allow")
@pytest.mark.parametrize("more", [(), ("-n1",)])
def test_names_of_folders_do_nothing_to_the_terminal(
    pytester: pytest.Pytester, write_test: Write, more: tuple[str, ...]
) -> None:
    write_test("a\x1b[31m", MANY[:4])
    (pytester.path / "lve.yaml").write_text("caps: {rows: 3}")
    result = pytester.runpytest(
        "repository", "--lve-session-dir=state\x1b[32m", "-q", "--color=no", *more
    )
    result.assert_outcomes(passed=3)
    last = "\n".join(line for line in result.outlines if line.startswith("lve: "))
    assert "lve: repository/a\\x1b[31m: ends after row 3" in last
    assert "lve: session state\\x1b[32m" in last
    assert "\x1b" not in last


def test_what_looks_wrong_in_a_test_is_said_once(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", MANY[:3], param_values={})
    result = pytester.runpytest("repository")
    result.assert_outcomes(passed=3)
    assert result.stdout.str().count("is not used any more") == 1


@pytest.mark.parametrize("more", [(), ("-n2",)])
def test_rows_beyond_the_settings_cap_are_said_to_be_left_out(
    pytester: pytest.Pytester, write_test: Write, more: tuple[str, ...]
) -> None:
    write_test("a", MANY)
    write_test("b", MANY[:3])
    (pytester.path / "lve.yaml").write_text("caps: {rows: 3}")
    result = pytester.runpytest("repository", *more)
    result.assert_outcomes(passed=6)
    told = [line for line in result.outlines if "the settings' caps" in line]
    assert told == [
        "lve: repository/a: ends after row 3 and has more: the settings' caps allow no more "
        "rows [cap]"
    ]


@pytest.mark.parametrize("more", [(), ("-n1",)])
def test_a_prompt_that_changed_is_said(
    pytester: pytest.Pytester, write_test: Write, more: tuple[str, ...]
) -> None:
    prompt = {"name": "p", "instruction": "A", "input_keys": ["country"], "output_key": "capital"}
    folder = write_test(
        "a", prompt=None, prompt_parameters=None, prompt_object=prompt, model="dummy/dummy"
    )
    pytester.runpytest("repository")
    (first,) = sessions(pytester)
    assert not pytester.runpytest("repository").stdout.str().count("the prompt changed")
    document = json.loads((folder / "test.json").read_text())
    document["prompt_object"]["instruction"] = "B"
    (folder / "test.json").write_text(json.dumps(document))
    result = pytester.runpytest("repository", *more)
    last = sorted(session["session"] for session in sessions(pytester))[1]
    assert last != first["session"]
    result.stdout.fnmatch_lines([f"lve: repository/a: the prompt changed since session {last} (*"])


def test_the_cache_is_used_unless_told_otherwise(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", MANY)
    with model_server("Paris") as server:
        pytester.runpytest(*against(server.url))
        pytester.runpytest(*against(server.url))
        assert len(server.requests) == 24
        pytester.runpytest(*against(server.url, "--lve-no-cache"))
    assert len(server.requests) == 48


def test_a_session_that_pytest_ends_early_is_not_complete(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True), ("Rome", True), ("Paris", True)])
    pytester.makeconftest("def pytest_runtest_setup(item): pass")
    pytester.runpytest("repository", "--lve-replay", "-x").assert_outcomes(passed=1, failed=1)
    assert [one["status"] for one in sessions(pytester)] == ["interrupted"]
    pytester.runpytest("repository", "--lve-replay").assert_outcomes(passed=2, failed=1)
    assert [one["status"] for one in sessions(pytester)] == ["interrupted", "complete"]
