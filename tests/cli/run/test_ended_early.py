"""Runs that end before all rows have run: what counts, gates and exit codes say, and resuming."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.command_line import lve
from support.folders import write_test
from support.run_command import at, document
from support.server import ModelServer, model_server

BASELINE = "lve.baseline.json"
ANSWERS = {"p": "Hello", "f": "rude", "e": "boom"}
CHECKER = {
    "checker_name": "LambdaChecker",
    "func": "lambda r: 1 // (r != 'boom') and r == 'Hello'",
}


def write(root: Path, rows: str, expect: object) -> None:
    """Write a test with one row per letter: p passes, f fails, e is an error of the checker."""
    write_test(
        root / "t",
        instances=[
            {"args": {"n": str(n)}, "response": ANSWERS[kind]} for n, kind in enumerate(rows)
        ],
        prompt=[{"content": "Say hello, {n}."}],
        prompt_parameters=["n"],
        expect=expect,
        checker_args=CHECKER,
        default_model_args={"temperature": 0},
    )


def run(*words: str) -> tuple[int, str, str]:
    """Run one row at a time; return exit code, the test's verdict and reason."""
    result = lve("run", *words, "-j", "1", "--max-tests", "1", "--json", code=None)
    (test,) = document(result)["tests"]
    return result.exit_code, test["verdict"], test["reason"]


class Case(NamedTuple):
    """A run that is stopped, and what it says."""

    rows: str
    expect: object
    stop: Sequence[str]
    code: int
    verdict: str
    reason: str
    whole: tuple[int, str]
    """Exit code and verdict once it is resumed, as of a run that never stopped."""


FIVE = ("--max-requests", "5")
CASES = [
    # Undecided: the rows that are left may pass or fail.
    Case("pppppppppp", {"at_least": 0.9}, FIVE, 6, "inconclusive", "5 of 5", (0, "passed")),
    Case("ffffffffff", {"at_least": 0.9}, FIVE, 6, "failed", "0 of 5", (1, "failed")),
    Case("pppppfffff", {"at_least": 0.9}, FIVE, 6, "inconclusive", "5 of 5", (1, "failed")),
    # Enough have passed whatever the rest says; but not all was looked at, so it isn't green.
    Case("pppppfffff", {"at_least": 5}, FIVE, 6, "inconclusive", "5 of 5", (0, "passed")),
    # More have passed than may.
    Case("pppppfffff", {"at_most": 3}, FIVE, 6, "failed", "5 of 5", (1, "failed")),
    Case("pppppfffff", {"at_most": 0.5}, FIVE, 6, "inconclusive", "5 of 5", (0, "passed")),
    # A pass rate that is counted.
    Case("pppppfffff", {"pass_rate": 0.5}, FIVE, 6, "inconclusive", "5 of 5", (0, "passed")),
    # Errors that are allowed, and one too many.
    Case(
        "eppppppppp",
        {"at_least": 1.0, "max_errors": 1},
        FIVE,
        6,
        "inconclusive",
        "4 of 4 passed (100%), 1 error left out (1 may be)",
        (0, "passed"),
    ),
    Case("eepppppppp", {"at_least": 1.0, "max_errors": 1}, FIVE, 6, "error", "", (3, "error")),
    # --fail-fast: of a count only the whole test fails, and an allowed error is no failure.
    Case(
        "efpppppppp",
        {"at_least": 0.5, "max_errors": 1},
        ("--fail-fast",),
        0,
        "passed",
        "8 of 9",
        (0, "passed"),
    ),
    Case(
        "eepppppppp",
        {"at_least": 0.5, "max_errors": 1},
        ("--fail-fast",),
        3,
        "error",
        "2 of 2 ended in an error; unfinished: 2 done",
        (3, "passed"),
    ),
    # Some rows were chosen: fewer than must pass.
    Case("pppppppppp", {"at_least": 8}, ("--limit", "5"), 4, "inconclusive", "too few", (0, "")),
    Case("ffffffffff", {"at_least": 8}, ("--limit", "5"), 4, "inconclusive", "too few", (1, "")),
    Case("pppppfffff", {"at_most": 3}, ("--limit", "5"), 1, "failed", "5 of 5", (1, "failed")),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.expect}-{case.rows}")
def test_a_count_of_some_rows(root: Path, case: Case) -> None:
    write(root, case.rows, case.expect)
    code, verdict, reason = run("t", "-m", "replay", *case.stop)
    assert (code, verdict) == (case.code, case.verdict)
    assert case.reason in reason
    if "--limit" in case.stop:
        assert run("t", "-m", "replay")[0] == case.whole[0]
        return
    if case.code != 0:
        assert "unfinished: " in reason
        scored = json.loads(lve("score", "last", "--json", code=case.code).stdout)["tests"][0]
        assert (scored["verdict"], scored["reason"]) == (verdict, reason)
        resumed = run("--resume", "--max-requests", "99", "--fail-fast", "99")
        assert resumed[:2] == case.whole
        whole = run("t", "-m", "replay")
        assert resumed == whole


class Gated(NamedTuple):
    """A run that is compared with a baseline in which all ten rows passed."""

    rows: str
    words: Sequence[str]
    code: int
    gate: str
    """Verdict of the gate in the run's report."""
    compared: int
    """Exit code of `lve compare --gate` afterwards."""


GATED = [
    Gated("pppppppppp", (), 0, "passed", 0),
    Gated("pppppppppf", (), 1, "regressed", 1),
    # The rows that did not run are said, and aren't green.
    Gated("pppppppppf", FIVE, 6, "undecided", 4),
    Gated("pppppppppf", (*FIVE, "--gate", "any"), 6, "undecided", 4),
    Gated("pppppppppf", (*FIVE, "--max-broken", "9"), 6, "undecided", 4),
    Gated("pppppppppf", (*FIVE, "--limit", "8"), 6, "undecided", 4),
    Gated("pppppppppf", (*FIVE, "--limit", "5"), 0, "passed", 0),
    Gated("fppppppppp", FIVE, 6, "regressed", 1),
    Gated("fppppppppp", ("--fail-fast",), 1, "regressed", 1),
    Gated("eppppppppp", ("--fail-fast",), 3, "unjudged", 3),
    Gated("pppppppppf", ("--limit", "8"), 0, "passed", 0),
    Gated("pppppppppf", (*FIVE, "--allow-missing"), 6, "passed", 4),
]


@pytest.fixture
def baseline(root: Path) -> None:
    write(root, "p" * 10, "pass")
    assert run("t", "-m", "replay")[0] == 0
    lve("compare", "--save")


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("case", GATED, ids=str)
def test_a_gate_after_some_rows(root: Path, case: Gated) -> None:
    # Failures are no failures of the test, so that the exit code is that of the gate.
    expect: Any = "pass" if "--fail-fast" in case.words else {"at_least": 0}
    write(root, case.rows, expect)
    against = ("--baseline", BASELINE)
    ran = lve(
        "run", "t", "-m", "replay", "-j", "1", "--json", *against, *case.words, code=case.code
    )
    found = document(ran)["summary"]["baseline"]["comparison"]
    assert found["gate"]["verdict"] == case.gate
    compared = lve("compare", "--gate", BASELINE, "last", code=case.compared)
    if case.compared == 4:
        assert "not everything has run (budget); 5 results of before were not compared" in (
            compared.stdout
        )
    has_stopped = case.code in (1, 3, 6) and bool(case.words)
    assert (" gone, not chosen (limit) or not run (" in compared.stdout) == (
        has_stopped and "--limit" in case.words
    )
    assert (" gone, not run (" in compared.stdout) == (has_stopped and "--limit" not in case.words)


def test_a_stopped_run_is_not_green_although_no_row_of_before_is_missing(root: Path) -> None:
    """The rows that did not run are new ones."""
    write(root, "p" * 5, "pass")
    run("t", "-m", "replay")
    lve("compare", "--save")
    write(root, "pppppfffff", {"at_least": 0})
    run("t", "-m", "replay", *FIVE)
    compared = lve("compare", "--gate", BASELINE, "last", code=4)
    assert "can't tell (not everything has run (budget))" in compared.stdout


@pytest.mark.usefixtures("baseline")
def test_what_is_printed_goes_on_with_the_same_gate(root: Path) -> None:
    """A resumed run without `--baseline` was green, where a whole one is a regression."""
    write(root, "pppppppppf", {"at_least": 0})
    words = ["--baseline", BASELINE, "--allow-missing"]
    stopped = lve("run", "t", "-m", "replay", "-j", "1", *words, *FIVE, code=6)
    (line,) = (one for one in stopped.stdout.splitlines() if one.startswith("go on with"))
    resumed = line.partition(": lve ")[2].partition(" --max-requests")[0].split()
    assert resumed[-3:] == words
    lve(*resumed, "--max-requests", "99", code=1)


def test_a_baseline_of_some_rows_says_so(root: Path) -> None:
    write(root, "p" * 10, "pass")
    run("t", "-m", "replay", *FIVE)
    saved = lve("compare", "--save")
    assert "not everything has run in session" in saved.stderr
    assert "(budget): the baseline has only the results" in saved.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(
    ("expect", "verdict", "whole"),
    [
        ({"at_least": 5}, "inconclusive", (0, "passed")),
        ({"at_least": 0.9}, "inconclusive", (1, "failed")),
        ({"at_most": 3}, "failed", (1, "failed")),
    ],
)
def test_ctrl_c(root: Path, expect: object, verdict: str, whole: tuple[int, str]) -> None:
    write(root, "p" * 20, expect)
    with model_server(["Hello"] * 10 + ["rude"] * 30, latency_s=0.03) as server:
        interrupter = threading.Thread(target=_interrupt_after, args=(server, 7))
        interrupter.start()
        code, found, reason = run("t", *at(server))
        interrupter.join()
        assert (code, found) == (130, verdict)
        assert "unfinished: " in reason
        server.behaviour.latency_s = 0
        assert run("--resume", *at(server)[2:])[:2] == whole


def _interrupt_after(server: ModelServer, requests: int) -> None:
    ends = time.monotonic() + 20
    while len(server.requests) < requests and time.monotonic() < ends:
        time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGINT)
