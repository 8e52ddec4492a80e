"""A model without a key: the tests that need it are invalid, the others run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import write_test

import lve as package
from lve.errors import LveError, MissingKeyError

SAYS = "needs a key. Three ways:\n  OPENAI_API_KEY=KEY in the environment,\n"


@pytest.fixture
def tests(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tests, of which one needs a key that isn't there."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    write_test(root / "tests" / "free", model="dummy/dummy")
    write_test(root / "tests" / "paid", model="openai/gpt-6-luna")
    return root


def test_the_other_tests_run(tests: Path) -> None:
    result = lve("run", "tests", "--json", code=2)
    report = json.loads(result.stdout)
    assert [test["path"] for test in report["tests"]] == ["tests/free"]
    assert json.dumps(SAYS)[1:-1] in json.dumps(report["summary"]["invalid"])
    assert result.output.count("needs a key") == 1
    assert "tests/paid" in result.output


def test_a_default_model_without_a_key_stops_only_its_tests(tests: Path) -> None:
    (tests / "lve.yaml").write_text("model: openai/gpt-6-luna\n")
    write_test(tests / "tests" / "unnamed", model=None)
    result = lve("run", "tests", code=2)
    assert "tests/unnamed" in result.output
    assert "1 test: 1 passed" in result.stdout or "1 passed" in result.stdout


def test_nothing_runs_if_all_need_it_or_it_is_asked_for(tests: Path) -> None:
    for words in (("tests/paid",), ("tests", "--strict-models"), ("tests", "-m", "openai/x")):
        result = lve("run", *words, code=2)
        assert isinstance(result.exception, MissingKeyError), words
        assert not (tests / ".lve").exists()


def test_python_says_which_tests_did_not_run(tests: Path) -> None:
    result = package.run("tests")
    assert [test.path for test in result.invalid] == ["tests/paid"]
    assert result.exit_code() == 2
    with pytest.raises(MissingKeyError, match=SAYS):
        package.run("tests", strict_models=True)


def test_without_any_model_the_ways_to_one_are_named(tests: Path) -> None:
    write_test(tests / "tests" / "free", model=None)
    message = str(lve("run", "tests/free", code=2).exception)
    for way in ("--model openai/NAME", "--base-url", "--model replay", "`model:` in lve.yaml"):
        assert way in message


@pytest.mark.parametrize("named", ["openai/gpt-6-luna", None])
def test_the_ways_are_short_lines(tests: Path, named: str | None) -> None:
    write_test(tests / "tests" / "free", model=named)
    error = lve("run", "tests/free", code=2).exception
    assert isinstance(error, LveError)
    lines = f"lve: {error.message_with_code}".splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) <= 80
    assert [line.startswith("  ") for line in lines] == [False, True, True, True]
