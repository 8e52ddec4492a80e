"""Sessions from the outside: continue, try errors again, run what failed."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_sums, write_test
from support.forked import python
from support.run_command import Run, at, instances, verdicts
from support.server import ModelServer, model_server

from lve.sessions.session_folder import SessionFolder


def test_resume_asks_for_what_is_missing(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "t", 20)
    run("t", *at(server), "--max-requests", "8", "--no-cache", code=6)
    result = run("--resume", *at(server), "--max-requests", "100", "--json")
    assert len(server.requests) == 20
    assert len(instances(result)) == 20
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 21)]


def test_resume_keeps_what_decides_the_results(root: Path, run: Run) -> None:
    write_test(root / "t")
    run("t")
    command = [*python(), "-m", "lve", "run", "--resume"]
    for given, option in (
        (["--model", "replay"], "--model "),
        (["--temperature", "1"], "--model-arg "),
        (["--repeats", "2"], "--repeats "),
    ):
        result = subprocess.run([*command, *given], capture_output=True, text=True, check=False)
        assert result.returncode == 2
        assert f"lve: {option}can't change" in result.stderr


ASKS = {
    "prompt": [{"role": "user", "content": "The password is {password}, see {site}."}],
    "prompt_parameters": ["password", "site"],
}


@pytest.mark.parametrize("again", ["--resume", "--last-failed"])
def test_a_parameter_called_like_a_secret_is_the_same_again(
    root: Path, run: Run, again: str
) -> None:
    write_test(root / "t", **ASKS)
    word, site = "hunter2 is a password", "https://me@example.org/?q=1#there"
    with model_server(["no", "no"], faults=["400"] if again == "--resume" else []) as server:
        asked = ("-p", f"password={word}", "-p", f"site={site}")
        run("t", *at(server), "--no-cache", *asked, code=3 if again == "--resume" else 1)
        run("--retry-errors" if again == "--resume" else again, *at(server), code=1)
        prompts = [request.prompt for request in server.requests]
    assert prompts == [f"The password is {word}, see {site}."] * 2


@pytest.mark.parametrize("again", ["--retry-errors", "--last-failed"])
def test_a_secret_that_was_not_written_has_to_be_given_again(
    root: Path, run: Run, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "a-token-of-mine")
    write_test(root / "t", **ASKS)
    given = ["-p", "password=a-token-of-mine", "--model-arg", "session_token=5"]
    with model_server(["no", "no"], faults=["400"] if again == "--retry-errors" else []) as server:
        code = 3 if again == "--retry-errors" else 1
        run("t", *at(server), "--no-cache", *given, "-p", "site=here", code=code)
        assert (
            "a-token-of-mine"
            not in SessionFolder.find(root / ".lve").path.joinpath("session.json").read_text()
        )
        refused = run(again, *at(server), code=2)
        assert "give again: -p password=..." in str(refused.exception)
        assert "--model-arg session_token=..." in str(
            run(again, *at(server), *given[:2], code=2).exception
        )
        assert "can't change" in str(
            run(again, *at(server), *given, "-p", "site=there", code=2).exception
        )
        assert len(server.requests) == 1
        run(again, *at(server), *given, code=1)
        bodies = [request.json for request in server.requests]
    assert len(bodies) == 2
    assert bodies[0] == bodies[1]
    assert bodies[0]["session_token"] == 5


def test_retry_errors_runs_the_errors_alone(root: Path, run: Run) -> None:
    write_sums(root / "t", 10)
    with model_server(faults=["400", "400", "400"]) as server:
        run("t", *at(server), "--no-cache", "-j", "1", code=3)
        assert len(server.requests) == 10
        result = run("--retry-errors", *at(server), "--json")
        assert len(server.requests) == 13
    assert len(instances(result)) == 10
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 11)]


def test_resume_with_retry_errors_runs_the_errors_and_what_is_missing(root: Path, run: Run) -> None:
    write_sums(root / "t", 10)
    with model_server(faults=["400", "400"]) as server:
        run("t", *at(server), "-j", "1", "--max-requests", "4", code=6)
        session = SessionFolder.find(root / ".lve").id
        both = ["--resume", session, "--retry-errors", "--max-requests", "50"]
        run(*both, *at(server))
        assert len(server.requests) == 12
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 11)]


def test_last_failed_runs_the_failed_alone(root: Path, run: Run) -> None:
    write_sums(root / "t", 10)
    wrong = {"Compute 3 + 1": "5", "Compute 4 + 8": "5"}

    def answer(request: Any) -> str:
        a, b = request.prompt.removeprefix("Compute ").split(" + ")
        return wrong.pop(request.prompt, str(int(a) + int(b)))

    with model_server(answer) as server:
        run("t", *at(server), "--no-cache", code=1)
        result = run("--last-failed", *at(server), "--json")
        assert len(server.requests) == 12
    assert [one["line"] for one in instances(result)] == [4, 5]
