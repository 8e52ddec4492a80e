"""A pass rate that its test can never show is refused before anything is sent, at every door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import write_sums, write_test
from support.run_command import Run, at
from support.server import ModelServer

import lve
from lve.results.session import SessionFolder

TOO_FEW = {"pass_rate": ">=0.9", "max_repeats": 10}
WRONG = "can't be met with 1 instance and at most 10 repeats: even if all 10 runs pass"


@pytest.fixture
def test(root: Path) -> Path:
    return write_test(root / "t", expect=TOO_FEW, default_model_args={"temperature": 1})


def test_lve_check_names_the_line_and_what_would_do(test: Path) -> None:
    code, out, _ = call("check", test)
    line = out.splitlines()[0]
    assert code == 2
    assert "test.json:" in line
    assert f"$.expect: {WRONG}" in line
    assert "`max_repeats: 43`, or 5 instances would do" in line


def test_what_is_suggested_is_enough(root: Path) -> None:
    write_test(root / "repeats", expect={"pass_rate": ">=0.9", "max_repeats": 43})
    write_sums(root / "instances", 5, expect=TOO_FEW)
    assert call("check", root)[0] == 0


@pytest.mark.usefixtures("test")
def test_nothing_is_sent_for_it(run: Run, server: ModelServer) -> None:
    for words in ([], ["--dry-run"]):
        result = run("t", *at(server), *words)
        assert result.exit_code == 2
        assert WRONG in result.stdout + result.stderr
    assert server.requests == []


@pytest.mark.usefixtures("test")
def test_python_gets_it_as_an_invalid_test() -> None:
    result = lve.run("t")
    assert WRONG in str(result.invalid[0].problems[0])
    assert (result.exit_code(), result.passed) == (2, False)


def test_the_others_run(test: Path, run: Run) -> None:
    write_test(test.parent / "u")
    assert "2 tests: 1 passed, 1 invalid" in run(".").stdout


@pytest.mark.parametrize(
    "words", [["--limit", "1"], ["--repeats", "2"], ["--index", "0"], ["--model", "replay"]]
)
def test_a_run_that_is_smaller_or_a_replay_is_not_refused(
    test: Path, run: Run, words: list[str]
) -> None:
    (test / "instances").mkdir()
    line = {"args": {}, "response": "Hello", "passed": True, "run_info": {}}
    (test / "instances" / "main.jsonl").write_text(json.dumps(line) + "\n")
    assert run("t", *words).exit_code == 4


def test_no_number_of_runs_shows_a_rate_of_1(root: Path) -> None:
    write_sums(root / "t", 20, expect={"pass_rate": ">=1"})
    assert "no number of runs can; use `expect: pass`" in call("check", root)[1]


def test_a_fixed_number_of_repeats_is_what_counts(root: Path) -> None:
    write_test(root / "t", expect={"pass_rate": ">=0.9"}, repeats=3)
    assert "1 instance and at most 3 repeats" in call("check", root)[1]
    assert "`repeats: 29`" in call("check", root)[1]


def test_a_refused_test_leaves_no_result(test: Path, run: Run) -> None:
    run("t")
    assert list(SessionFolder.find(test.parent / ".lve").results()) == []


def test_alike_repeats_count_once_everywhere(root: Path, run: Run, server: ModelServer) -> None:
    """A test at temperature 0 isn't repeated, and its repeats decide nothing."""
    cold = {"default_model_args": {"temperature": 0}}
    write_test(root / "one", expect={"pass_rate": ">=0.5"}, **cold)
    code, out, _ = call("check", root / "one")
    assert code == 2
    assert "set `default_model_args: {temperature: 1}`" in out
    write_sums(root / "ten", 10, expect={"pass_rate": ">=0.5", "max_repeats": 30}, **cold)
    result = run("ten", *at(server))
    assert result.exit_code == 0
    assert "counts every instance once" in result.stderr
    assert len(server.requests) == 10


SETTINGS_AT_0 = "models: {openai/test: {provider: openai, args: {temperature: 0}}}"
SETTINGS_AT_1 = "models: {openai/test: {provider: openai, args: {temperature: 1}}}"


@pytest.mark.parametrize(
    ("settings", "words", "counts"),
    [
        ("", [], False),
        (SETTINGS_AT_0, [], False),
        ("", ["--model-arg", "seed=7", "--temperature", "1"], False),
        (SETTINGS_AT_1, ["--temperature", "0"], False),
        (SETTINGS_AT_1, [], True),
        ("", ["--temperature", "1"], True),
        ("", ["--model-arg", "temperature=null"], True),
        ("", ["--model", "openai/gpt-5.6-sol"], True),
    ],
)
def test_what_is_sent_says_whether_repeats_count(
    root: Path, run: Run, server: ModelServer, settings: str, words: list[str], counts: bool
) -> None:
    """Temperature 0, a seed: wherever they come from, and not where the model refuses them."""
    (root / "lve.yaml").write_text(settings)
    write_sums(root / "t", 2, expect={"pass_rate": ">=0.7", "max_repeats": 30})
    given = at(server)[2:] if "--model" in words else at(server)
    ran = run("t", *given, *words, "--no-cache")
    assert (ran.exit_code, len(server.requests)) == ((0, 14) if counts else (2, 0)), ran.stdout
    assert ("hardly differ (temperature 0" in ran.stderr + ran.stdout) != counts


@pytest.mark.parametrize("temperature", ["0", "1"])
def test_score_and_resume_know_what_was_sent(
    root: Path, run: Run, server: ModelServer, temperature: str
) -> None:
    write_sums(root / "t", 6, expect={"pass_rate": ">=0.5", "max_repeats": 30}, repeats=4)
    words = ["--temperature", temperature, "--no-cache", "--json"]
    assert run("t", *at(server), *words, "--max-requests", "20").exit_code == 6
    ended = json.loads(run("--resume", "--max-requests", "99", *at(server)[2:], "--json").stdout)
    scored = json.loads(call("score", "last", "--json")[1])
    reasons = [document["tests"][0]["reason"] for document in (ended, scored)]
    assert reasons[0] == reasons[1]
    assert ("each instance counted once" in reasons[0]) == (temperature == "0")


def test_check_warns_where_only_the_model_decides_whether_repeats_count(root: Path) -> None:
    """A test that names no model may be run at any temperature."""
    write_test(root / "t", expect=TOO_FEW | {"max_repeats": 50}, model=None)
    code, out, _ = call("check", root)
    assert code == 0
    assert "warning" in out
    assert "hardly differ (temperature 0" in out
    (root / "lve.yaml").write_text("model: openai/gpt-4o")
    assert call("check", root)[0] == 2
    (root / "lve.yaml").write_text("model: openai/gpt-5.6-sol")
    code, out, _ = call("check", root)
    assert (code, "hardly differ (temperature 0, or" in out) == (0, False)
