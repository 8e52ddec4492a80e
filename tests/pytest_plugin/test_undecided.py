"""What `lve run` calls inconclusive (exit code 4) is red in pytest, too."""

from __future__ import annotations

from typing import Any

import pytest
from support.folders import write_test
from support.pytest_runs import run_apart

PROMPT: dict[str, Any] = {
    "prompt": [{"content": "Say {word}."}],
    "prompt_parameters": ["word"],
    "check": {"contains": "o"},
    "checker_args": None,
    "model": "replay",
}
HELLO = {"args": {"word": "hello"}, "response": "Hello", "passed": True}


@pytest.fixture
def root(pytester: pytest.Pytester) -> pytest.Pytester:
    """Has a test with one row, and one without."""
    write_test(
        pytester.path / "repository" / "a",
        instances=[HELLO, {**HELLO, "args": {"word": "yo"}}],
        **PROMPT,
    )
    return pytester


def _write_empty(pytester: pytest.Pytester, **document: Any) -> None:
    write_test(pytester.path / "repository" / "b", instances=[], **PROMPT, **document)


def test_a_test_without_rows_fails(root: pytest.Pytester) -> None:
    """It was green, with a line at the end."""
    _write_empty(root)
    result = root.runpytest("repository")
    result.assert_outcomes(passed=2, failed=1)
    text = str(result.stdout)
    assert "FAILED repository/b/test.json::no-rows - inconclusive: no row was run" in text
    assert "its prompt has parameters; add instances/NAME.jsonl" in text
    assert "Traceback" not in text


def test_an_expected_failure_needs_a_row_that_fails(root: pytest.Pytester) -> None:
    _write_empty(root, expect="fail")
    root.runpytest("repository").assert_outcomes(passed=2, failed=1)


def test_a_skipped_test_needs_no_rows(root: pytest.Pytester) -> None:
    _write_empty(root, skip="not yet")
    root.runpytest("repository").assert_outcomes(passed=2, skipped=1)


def test_a_test_without_the_rows_that_are_asked_for_fails(root: pytest.Pytester) -> None:
    write_test(root.path / "repository" / "b", instances=[HELLO], **PROMPT)
    result = root.runpytest("repository", "--lve-rows=2")
    result.assert_outcomes(passed=1, failed=1)
    assert "none of its rows is among those of" in str(result.stdout)


def test_it_is_a_warning_if_that_is_allowed(root: pytest.Pytester) -> None:
    _write_empty(root)
    result = run_apart(root, "repository", "--lve-allow-inconclusive")
    result.assert_outcomes(passed=3, warnings=1)
    result.stdout.fnmatch_lines(["*InconclusiveWarning: repository/b/*: inconclusive: no row *"])
    refused = root.runpytest("repository", "--lve-allow-inconclusive", "-W", "error")
    refused.assert_outcomes(passed=2, failed=1)
    assert "Traceback" not in str(refused.stdout)


def test_only_what_failed_before_may_leave_nothing_of_a_test(root: pytest.Pytester) -> None:
    _write_empty(root)
    write_test(root.path / "repository" / "c", instances=[{**HELLO, "response": "x"}], **PROMPT)
    root.runpytest("repository")
    root.runpytest("repository", "--lve-failed-in=last").assert_outcomes(failed=1)


def test_workers_of_xdist_say_the_same(root: pytest.Pytester) -> None:
    _write_empty(root)
    run_apart(root, "repository", "-n", "2").assert_outcomes(passed=2, failed=1)
