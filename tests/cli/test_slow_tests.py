"""One test that takes too long to read or check: it is invalid, and the others go on, whatever the
command."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import write_test

from lve import api
from lve.errors import LveError
from lve.limits import effort as effort_limit

SAYS = "takes more than 10 s of processor time, and no test may take so long"
DOORS = {
    "check": (2, "2 tests: 1 with problems"),
    "list": (2, "tests/good"),
    "show": (2, "tests/good"),
    "render": (2, "Say hello."),
    "run --dry-run": (2, "tests/good"),
    "run --no-cache": (2, "tests/good"),
    "check --replay": (2, "1 "),
}
"""Verb -> its exit code, and what it says of the good test."""


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which each look at it takes 0.4 s: 25 of them are all that a test may have."""
    looks = count()
    monkeypatch.setattr(effort_limit, "thread_time", lambda: 0.4 * next(looks))


@pytest.fixture
def folder(root: Path) -> Path:
    """A test that is fine and one with 90 wrong messages, in `tests`."""
    write_test(root / "tests" / "bad", prompt=[{"rol": 1}] * 90)
    write_test(root / "tests" / "good")
    return root


@pytest.mark.usefixtures("slow_clock", "folder")
@pytest.mark.parametrize("door", DOORS)
def test_the_others_go_on(door: str) -> None:
    code, good = DOORS[door]
    verb, *options = door.split()
    exit_code, *said = call(verb, "tests", *options)
    output = "".join(said)
    assert SAYS in output, output
    assert "[slow_test]" in output
    assert good in output
    assert exit_code == code


@pytest.mark.usefixtures("slow_clock")
def test_in_python_it_is_an_error(folder: Path) -> None:
    with pytest.raises(LveError, match=SAYS):
        api.load(folder / "tests" / "bad")


@pytest.mark.usefixtures("slow_clock")
def test_in_pytest_too(folder: Path, pytester: pytest.Pytester) -> None:
    options = ("--lve-model", "dummy/dummy", "--continue-on-collection-errors")
    result = pytester.runpytest_inprocess(str(folder / "tests"), *options)
    result.stdout.fnmatch_lines([f"validating its document {SAYS}*"])
    result.assert_outcomes(passed=1, errors=1)
