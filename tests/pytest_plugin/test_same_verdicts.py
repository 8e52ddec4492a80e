"""A pass rate has one verdict, whichever door a test is run through: `lve run` or pytest, plain,
with pytest-xdist, some tests only, or those that failed last."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve as command_line
from support.server import ModelServer, model_server

import lve
from lve.checkers.resolve import checkers_sum

Write = Callable[..., Path]


def recorded(passed: int, failed: int) -> list[tuple[str, bool]]:
    return [("Paris", True)] * passed + [("Lyon", False)] * failed


@dataclass(frozen=True)
class Case:
    """A test with a pass rate, what a model answers, and what comes out."""

    expect: str
    exit_code: int
    """Of `lve run`."""
    outcomes: dict[str, int]
    """Of pytest."""
    answers: list[tuple[str, bool]] = field(default_factory=lambda: [("Paris", True)])
    says: Iterable[str] | None = None
    """What the model says, one request after the other; None: what is recorded."""
    keys: dict[str, Any] = field(default_factory=dict)
    """Of the test document."""
    options: dict[str, int] = field(default_factory=dict)
    settings: str = ""


WARM = {"default_model_args": {"temperature": 1}}
ONE_OF_TEN = ["Paris", *["Lyon"] * 9]
CASES = {
    "recorded_too_few": Case(">=0.8", 1, {"failed": 1}, recorded(8, 12)),
    "recorded_enough": Case(">=0.5", 0, {"passed": 1}, recorded(19, 1)),
    "recorded_unclear": Case(">=0.9", 4, {"failed": 1}, recorded(9, 1)),
    "repeats_of_the_test": Case(
        ">=0.5", 1, {"failed": 1}, says=ONE_OF_TEN, keys={"repeats": 10, **WARM}
    ),
    "repeats_of_the_user": Case(
        ">=0.5", 1, {"failed": 1}, says=ONE_OF_TEN, keys=WARM, options={"repeats": 10}
    ),
    "repeats_of_the_settings": Case(
        ">=0.5", 1, {"failed": 1}, says=["Lyon"], keys=WARM, settings="caps: {repeats: 10}\n"
    ),
    "decided_in_spite_of_an_error": Case(
        ">=0.5", 3, {"passed": 1, "errors": 1}, [*recorded(19, 0), ("", True)]
    ),
    "undecided_because_of_errors": Case(">=0.5", 3, {"errors": 1}, [("", True)] * 3),
}


def write(case: Case, pytester: pytest.Pytester, write_test: Write) -> None:
    """Write the test and the settings of a case."""
    folder = write_test("a", case.answers, expect={"pass_rate": case.expect}, **case.keys)
    without_empty_responses(folder)
    (pytester.path / "lve.yaml").write_text(case.settings, encoding="utf-8")


def without_empty_responses(folder: Path) -> None:
    """Make an error of every answer that is empty: it is one to another prompt."""
    file = folder / "instances" / "instances.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    stale = {"response": "Paris", "sent": "sha256:0"}
    kept = [line if line["response"] else {**line, **stale} for line in lines]
    file.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


def asked(case: Case, server: ModelServer | None) -> dict[str, Any]:
    """Return the options of a run, as Python has them."""
    if server is None:
        return {"model": "replay", **case.options}
    own = {"model": "openai/m", "base_url": server.url, "max_connections": 1, "use_cache": False}
    return own | case.options


@contextmanager
def served(case: Case) -> Iterator[ModelServer | None]:
    if case.says is None:
        yield None
    else:
        with model_server([*case.says]) as server:
            yield server


def flags(options: dict[str, Any]) -> list[str]:
    """Return the same options as pytest has them."""
    words = {name.replace("_", "-"): value for name, value in options.items()}
    no_cache = [] if words.pop("use-cache", True) else ["--lve-no-cache"]
    return [*no_cache, *(f"--lve-{word}={value}" for word, value in words.items())]


@pytest.mark.parametrize("name", CASES)
def test_pytest_says_what_lve_run_says(
    pytester: pytest.Pytester, write_test: Write, name: str
) -> None:
    case = CASES[name]
    write(case, pytester, write_test)
    with served(case) as server:
        result = lve.run("repository", **asked(case, server))
    assert result.exit_code() == case.exit_code
    with served(case) as server:
        pytests = pytester.runpytest("repository", "-Wdefault", *flags(asked(case, server)))
    pytests.assert_outcomes(**case.outcomes)
    assert bool(pytests.ret) == bool(case.exit_code)


@pytest.mark.parametrize("words", [["-n2"], ["-k", "rate"], ["--last-failed"]])
def test_the_verdict_is_that_of_all_instances_however_pytest_runs(
    pytester: pytest.Pytester, write_test: Write, words: list[str]
) -> None:
    write(CASES["recorded_too_few"], pytester, write_test)
    write_test("b", recorded(1, 0))
    plain = pytester.runpytest("repository", "--lve-replay")
    plain.assert_outcomes(failed=1, passed=1)
    result = pytester.runpytest("repository", "--lve-replay", *words)
    assert result.ret == plain.ret
    result.stdout.fnmatch_lines(["FAILED *a/test.json::pass-rate - *pass rate 8/20 = 0.4*"])


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["plain", "xdist"])
def test_a_secret_in_an_answer_changes_no_verdict(
    pytester: pytest.Pytester,
    write_test: Write,
    monkeypatch: pytest.MonkeyPatch,
    workers: tuple[str, ...],
) -> None:
    """The answer is judged whole; the one that is shown and kept lacks it."""
    monkeypatch.setenv("SORT_KEY", "relevance")
    checker = {"checker_name": "LambdaChecker", "func": "lambda r: r == 'relevance'"}
    write_test("a", [("relevance", True), ("relevance first", False)], checker_args=checker)
    result = pytester.runpytest("repository", "--lve-replay", *workers)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*[[]redacted[]] first*"])
    assert "relevance" not in result.stdout.str()
    assert "2 rows: 1 passed, 1 failed" in command_line("score", "last", code=1).stdout


def test_a_redacted_recording_keeps_its_verdict(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    folder = write_test("a", [("<EMAIL>", False), ("<EMAIL>", False)])
    file = folder / "instances" / "instances.jsonl"
    first, second = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    first["run_info"] = {"redacted": {"judged_by": checkers_sum(lve.load(folder))}}
    second["run_info"] = {"redacted": {"judged_by": "of other checkers"}}
    file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", encoding="utf-8")
    result = pytester.runpytest("repository", "--lve-replay")
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*RegexChecker: *can't be judged again, and its checkers have changed*"]
    )
