"""pytest-xdist: one session on several processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.packages import needs
from support.pytest_runs import against, sessions, verdicts
from support.server import Received, model_server

import lve

Write = Callable[..., Path]
MANY = [("Paris", True)] * 24


def answer(request: Received) -> str:
    return "Lyon" if request.prompt.endswith(("3?", "7?")) else "Paris"


@pytest.fixture
def mixed(write_test: Write) -> None:
    """Passes, failures, errors, known weaknesses, skips, and repeats."""
    write_test("a", MANY)
    write_test("b", MANY[:9], expect="fail")
    write_test("c", MANY[:4], skip="not now")
    expect = {"pass_rate": ">=0.5", "max_repeats": 8}
    write_test("d", MANY[:4], expect=expect, default_model_args={"temperature": 1})
    write_test("e", MANY[:2], model="no-such-model")


def outcomes_of(result: pytest.RunResult) -> list[str]:
    """Return `PASSED repository/...` and the like, sorted."""
    words = ("PASSED", "FAILED", "ERROR ", "XFAIL ", "SKIPPE", "XPASS ")
    return sorted(line for line in result.outlines if line.startswith(words))


@pytest.mark.usefixtures("mixed")
def test_xdist_gives_the_same_verdicts_and_asks_nothing_twice(pytester: pytest.Pytester) -> None:
    with model_server(answer, latency_s=0.01) as server:
        serial = pytester.runpytest(*against(server.url, "-rA", "--lve-no-cache"))
        asked = sorted(request.prompt for request in server.requests)
        for distribution in ("load", "worksteal"):
            server.requests.clear()
            options = ["-rA", "--lve-no-cache", "-n2", "--dist", distribution]
            spread = pytester.runpytest(*against(server.url, *options))
            assert sorted(request.prompt for request in server.requests) == asked
            _check_same(pytester, spread, serial)


def _check_same(
    pytester: pytest.Pytester, spread: pytest.RunResult, serial: pytest.RunResult
) -> None:
    """The latest session says what the first one says."""
    assert outcomes_of(spread) == outcomes_of(serial)
    assert spread.ret == serial.ret
    first, *_, second = sessions(pytester)
    assert verdicts(pytester, first["session"]) == verdicts(pytester, second["session"])
    for same in ("status", "tests", "models", "paths", "options"):
        if same == "options":
            first[same].pop("max_connections", None)
            second[same].pop("max_connections", None)
            first[same].pop("max_tests", None)
            second[same].pop("max_tests", None)
        assert first[same] == second[same], same
    for same in ("tests", "instances", "error_kinds", "usage"):
        assert first["summary"][same] == second["summary"][same], same
    assert sorted(file.name for file in session_files(pytester, second["session"])) == [
        "results.jsonl",
        "session.json",
        "tests.jsonl",
    ]
    spread.stdout.fnmatch_lines([f"lve: session .lve/runs/{second['session']}"])


def session_files(pytester: pytest.Pytester, session: str) -> list[Path]:
    return list((pytester.path / ".lve" / "runs" / session).iterdir())


def test_an_xdist_worker_looks_ahead(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Paris", True)] * 80)
    with model_server("Paris", hold_until=9) as server:
        result = pytester.runpytest(*against(server.url, "-n1"))
    result.assert_outcomes(passed=80)
    assert server.stats()["max_in_flight"] >= 9


def test_xdist_workers_share_connections_and_budget(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True)] * 40, default_model_args={"max_tokens": 10})
    price = "models: {openai/m: {price: {input: 1000.0, output: 1000.0}}}"
    (pytester.path / "lve.yaml").write_text(price)
    with model_server("Paris", latency_s=0.02) as server:
        options = ["-n2", "--lve-max-connections=4", "--lve-budget=0.5"]
        result = pytester.runpytest(*against(server.url, *options))
    assert server.stats()["max_in_flight"] <= 4
    assert result.parseoutcomes()["errors"] > 0
    [info] = sessions(pytester)
    assert info["status"] == "budget"
    assert info["summary"]["cost"] <= 0.5


def test_xdist_workers_share_what_the_settings_allow(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True)] * 40)
    (pytester.path / "lve.yaml").write_text("models: {openai/m: {max_connections: 4}}")
    with model_server("Paris", latency_s=0.02) as server:
        pytester.runpytest(*against(server.url, "-n2")).assert_outcomes(passed=40)
    assert server.stats()["max_in_flight"] <= 4
    [info] = sessions(pytester)
    assert "max_connections" not in info["options"]


def test_the_first_failure_interrupts_the_session_of_all_workers(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Lyon", True)] * 80)
    result = pytester.runpytest("repository", "-n2", "-x")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    [info] = sessions(pytester)
    assert info["summary"]["instances"]["failed"] < 80
    assert info["status"] == "interrupted"


def test_xdist_records_nothing_where_there_are_no_tests_of_models(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile("def test_it(): pass")
    pytester.runpytest("-n1").assert_outcomes(passed=1)
    assert not (pytester.path / ".lve").exists()


def test_a_crashed_worker_costs_its_item_only(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", MANY)
    pytester.makeconftest(
        "import os\n"
        "def pytest_runtest_teardown(item):\n"
        "    if item.name == 'instances.jsonl[5]': os._exit(1)\n"
    )
    result = pytester.runpytest("repository", "-n1")
    assert result.parseoutcomes()["failed"] == 1
    [info] = sessions(pytester)
    assert info["status"] == "interrupted"
    lines = (pytester.path / ".lve/runs" / info["session"] / "results.jsonl").read_text()
    assert len({json.loads(line)["line"] for line in lines.splitlines()}) == 24


def test_repeats_that_end_by_evidence_end_alike(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    """A session of `-n 2` decides as `lve run`, after as many repeats."""
    expect = {"pass_rate": ">=0.5", "max_repeats": 60}
    write_test("a", MANY[:4], expect=expect, default_model_args={"temperature": 1})
    with model_server(answer) as server:
        run = lve.run("repository", model="openai/m", base_url=server.url, use_cache=False)
        asked = len(server.requests)
        server.requests.clear()
        pytester.runpytest(*against(server.url, "--lve-no-cache", "-n2"))
        assert len(server.requests) == asked
    (tally,) = run.summary.tallies.values()
    (latest,) = sessions(pytester)[-1:]
    assert tally.is_sequential
    assert 4 < asked < 240
    assert latest["summary"]["tests"] == run.summary.to_json()["tests"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--lve-failed-in=2020", "ERROR: --lve-failed-in: there is no session in *"),
        ("--lve-seed=3", "ERROR: --lve-seed draws another sample*--lve-sample N*"),
        ("--lve-repeats=many", "ERROR: --lve-repeats must be a whole number*'many' [[]usage]"),
        ("--lve-baseline=é.json", "ERROR: --lve-baseline: there is no baseline *é.json*"),
        ("--lve-output=a.zzz", "ERROR: --lve-output: no report has the suffix '.zzz'*"),
        pytest.param(
            "--reruns=2",
            "ERROR: reruns make a test of a model look better than it is*",
            marks=needs("pytest_rerunfailures"),
        ),
    ],
)
def test_what_is_refused_is_one_sentence_with_workers_too(
    pytester: pytest.Pytester, write_test: Write, option: str, message: str
) -> None:
    """Only a worker collects tests, and what ends a worker is no news to pytest-xdist."""
    write_test("a", MANY)
    plugins = ["-p", "rerunfailures"] if "reruns" in option else []
    workers = "-n2" if "repeats" in option else "-n1"  # two say it once, whatever it is
    command = ["repository", option, *plugins]
    results = [pytester.runpytest(*command, *more) for more in ([], [workers])]
    said = [[line for line in one.errlines if line] for one in results]
    assert said[0] == said[1]
    for result in results:
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([message])
        assert "INTERNALERROR" not in result.stdout.str()
    assert len(said[0]) == 1
    assert not (pytester.path / ".lve" / "runs").exists()
