"""A pass rate that its test can never show is refused before anything is sent, at every door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import write_sums, write_test
from support.run_command import Run, at
from support.server import ModelServer

import lve
from lve.sessions.session_folder import SessionFolder

COUNTED = "(counted, because repeats would be alike)"
TOO_FEW = {"pass_rate": ">=0.9", "max_repeats": 10}
WRONG = "can't be met with 1 row and at most 10 repeats: even if all 10 runs pass"


@pytest.fixture
def test(root: Path) -> Path:
    return write_test(root / "t", expect=TOO_FEW, default_model_args={"temperature": 1})


def test_lve_check_names_the_line_and_what_would_do(test: Path) -> None:
    code, out, _ = call("check", test)
    line = out.splitlines()[0]
    assert code == 2
    assert "test.json:" in line
    assert f"$.expect: {WRONG}" in line
    assert "`max_repeats: 43`, or 5 rows would do" in line


def test_what_is_suggested_is_enough(root: Path) -> None:
    write_test(root / "repeats", expect={"pass_rate": ">=0.9", "max_repeats": 43})
    write_sums(root / "instances", 5, expect=TOO_FEW)
    assert call("check", root)[0] == 0


@pytest.mark.usefixtures("test")
def test_nothing_is_sent_for_it(run: Run, server: ModelServer) -> None:
    for words in ([], ["--dry-run"]):
        result = run("t", *at(server), *words, code=2)
        assert WRONG in result.stdout + result.stderr
    assert server.requests == []


@pytest.mark.usefixtures("test")
def test_python_gets_it_as_an_invalid_test() -> None:
    result = lve.run("t")
    assert WRONG in str(result.invalid[0].problems[0])
    assert (result.exit_code(), result.passed) == (2, False)


def test_the_others_run(test: Path, run: Run) -> None:
    write_test(test.parent / "u")
    assert "2 tests: 1 passed, 1 invalid" in run(".", code=2).stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--limit", "1"], 4),
        (["--repeats", "2"], 4),
        (["--index", "0"], 4),
        (["--model", "replay"], 2),
    ],
)
def test_a_run_that_is_smaller_is_not_refused_and_a_replay_is(
    test: Path, run: Run, words: list[str], code: int
) -> None:
    (test / "instances").mkdir()
    line = {"args": {}, "response": "Hello", "passed": True, "run_info": {}}
    (test / "instances" / "main.jsonl").write_text(json.dumps(line) + "\n")
    run("t", *words, code=code)


def test_no_number_of_runs_shows_a_rate_of_1(root: Path) -> None:
    write_sums(root / "t", 20, expect={"pass_rate": ">=1"})
    assert "no number of runs can; use `expect: pass`" in call("check", root)[1]


def test_a_fixed_number_of_repeats_is_what_counts(root: Path) -> None:
    write_test(root / "t", expect={"pass_rate": ">=0.9"}, repeats=3)
    assert "1 row and at most 3 repeats" in call("check", root)[1]
    assert "`repeats: 29`" in call("check", root)[1]


def test_a_refused_test_leaves_no_result(test: Path, run: Run) -> None:
    run("t", code=2)
    assert list(SessionFolder.find(test.parent / ".lve").results()) == []


def test_a_test_at_temperature_0_is_not_repeated(root: Path, run: Run, server: ModelServer) -> None:
    cold = {"default_model_args": {"temperature": 0}}
    write_sums(root / "ten", 10, expect={"pass_rate": ">=0.5", "max_repeats": 30}, **cold)
    result = run("ten", *at(server))
    assert "so the results are counted, without confidence" in result.stderr
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
    assert len(server.requests) == (14 if counts else 2), ran.stdout
    assert (COUNTED in ran.stdout) != counts
    dry = run("t", *given, *words, "--dry-run").stdout
    assert ("counts this run's results: repeats would be alike" in dry) != counts


@pytest.mark.parametrize("temperature", ["0", "1"])
def test_score_and_resume_know_what_was_sent(
    root: Path, run: Run, server: ModelServer, temperature: str
) -> None:
    write_sums(root / "t", 6, expect={"pass_rate": ">=0.5", "max_repeats": 30}, repeats=4)
    words = ["--temperature", temperature, "--no-cache", "--json"]
    run("t", *at(server), *words, "--max-requests", "20", code=6)
    ended = json.loads(run("--resume", "--max-requests", "99", *at(server)[2:], "--json").stdout)
    scored = json.loads(call("score", "last", "--json")[1])
    reasons = [document["tests"][0]["reason"] for document in (ended, scored)]
    assert reasons[0] == reasons[1]
    assert (COUNTED in reasons[0]) == (temperature == "0")


@pytest.mark.parametrize(
    ("settings", "code", "words"),
    [
        ("", 0, ">=0.9 counts this run's results: repeats would be alike (temperature 0, or a"),
        ("model: openai/gpt-4o", 0, ">=0.9 counts this run's results"),
        ("model: openai/gpt-5.6-sol", 2, WRONG),
    ],
)
def test_check_knows_what_the_model_will_get(
    root: Path, settings: str, code: int, words: str
) -> None:
    write_test(root / "t", expect=TOO_FEW, model=None)
    (root / "lve.yaml").write_text(settings)
    found, out, _ = call("check", root)
    assert found == code
    assert words in out


@pytest.mark.parametrize(
    ("model", "code", "words"),
    [
        (None, 0, COUNTED),
        ("openai/gpt-4o", 0, COUNTED),
        ("openai/gpt-5.6-sol", 4, "pass rate 44/60 = 0.733"),
    ],
)
def test_a_replay_counts_as_the_test_s_model_does(
    root: Path, run: Run, model: str | None, code: int, words: str
) -> None:
    """44 of 60 rows are right at temperature 0, which not every model gets."""
    rows = [{"args": {"n": str(n)}, "response": "Hello" if n < 44 else ""} for n in range(60)]
    prompt = [{"content": "Say hello, {n}."}]
    expect = {"pass_rate": 0.7}
    write_test(
        root / "t",
        model=model,
        instances=rows,
        prompt=prompt,
        prompt_parameters=["n"],
        expect=expect,
    )
    ran = run("t", "--model", "replay", "-o", "report.xml", code=code)
    assert words in ran.stdout
    scored = call("score", "last")
    assert (scored[0], words in scored[1]) == (code, True)
    assert words in (root / "report.xml").read_text()


def test_errors_that_are_allowed_are_none_in_reports(root: Path, run: Run) -> None:
    rows = [{"args": {"n": str(n)}, "response": "Hello"} for n in range(4)]
    crash = {"checker_name": "LambdaChecker", "func": "lambda r, n: 1 // int(n) < 2"}
    prompt = [{"content": "Say hello, {n}."}]
    for most, code in ((1, 0), (0, 3)):
        expect = {"at_least": 1.0, "max_errors": most}
        write_test(
            root / "t",
            instances=rows,
            prompt=prompt,
            prompt_parameters=["n"],
            expect=expect,
            checker_args=crash,
        )
        run("t", "--model", "replay", "-o", f"{most}.xml", code=code)
        assert ("<error" in (root / f"{most}.xml").read_text()) == (most == 0)
        python = lve.run("t", model="replay")
        assert (python.exit_code(), python.passed) == (code, code == 0)


NEVER: list[tuple[dict[str, Any], str]] = [
    ({"expect": {"at_least": 4}}, "can't be met: 4 must pass, and there are 3 results"),
    ({"expect": {"at_least": 7}, "repeats": 2}, "can't be met: 7 must pass, and there are 6"),
    ({"expect": {"pass_rate": ">1"}}, "can't be met: no share is more than 100%"),
    ({"expect": {"pass_rate": "<0"}}, "can't be met: no share is less than 0% (use `expect: fa"),
    ({"expect": {"pass_rate": ">=0.9", "claim": "population"}}, "can't be met with 3 rows"),
    (
        {"expect": TOO_FEW | {"max_repeats": 3}, "default_model_args": {"temperature": 1}},
        "can't be met with 3 rows and at most 3 repeats",
    ),
]


@pytest.mark.parametrize("model", ["openai/gpt-4o", None])
@pytest.mark.parametrize(("document", "message"), NEVER)
def test_what_can_not_be_met_is_an_error_at_every_door(
    root: Path, run: Run, document: dict[str, Any], message: str, model: str | None
) -> None:
    """Also where no model is named, and under replay."""
    rows = [{"args": {"n": n}, "response": "Hello"} for n in "123"]
    prompt = [{"content": "Say hello, {n}."}]
    write_test(
        root / "t", model=model, instances=rows, prompt=prompt, prompt_parameters=["n"], **document
    )
    for words, wanted in (
        (["check", "t"], 2),
        (["check", "t", "--contribute"], 2),
        (["check", "--replay", "t"], 1),
        (["run", "t", "--model", "replay", "--dry-run"], 2),
        (["run", "t", "--model", "openai/gpt-4o", "--dry-run"], 2),
    ):
        code, out, err = call(*words)
        assert code == wanted, words
        assert message in out + err, words
        assert "all valid" not in out
    ran = run("t", "--model", "replay", code=2)
    assert message in ran.stdout + ran.stderr


def test_check_reads_on_until_there_are_enough_rows(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.cli.check.command.MAX_ROWS", 5)
    write_sums(root / "enough", 9, expect={"at_least": 9})
    write_sums(root / "too_few", 9, expect={"at_least": 10})
    assert call("check", root / "enough")[0] == 0
    code, out, _ = call("check", root / "too_few")
    assert code == 2
    assert "10 must pass, and there are 9 results" in out
