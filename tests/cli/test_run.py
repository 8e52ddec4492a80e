"""`lve run` from the outside: exit codes, outputs, budgets, sessions."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.command_line import lve
from support.folders import workspace, write_sums, write_test
from support.openai_answers import text_of, tokens_of
from support.server import ModelServer, Received, Reply, model_server

from lve.results.session import SessionFolder

Run = Callable[..., Result]


@pytest.fixture
def run(root: Path) -> Run:
    def invoke(*args: str) -> Result:
        return lve("run", *args)

    return invoke


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


def at(server: ModelServer) -> list[str]:
    return ["--model", "openai/test", "--base-url", server.url]


def document(result: Result) -> dict[str, Any]:
    parsed = json.loads(result.stdout)
    assert isinstance(parsed, dict)
    return parsed


def instances(result: Result) -> list[dict[str, Any]]:
    return [one for test in document(result)["tests"] for one in test["instances"]]


# Exit codes, one by one.


def test_0_when_all_is_as_expected(root: Path, run: Run) -> None:
    write_test(root / "t")
    result = run("t")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "1 test: 1 passed" in result.stdout


def test_0_when_a_known_weakness_shows(root: Path, run: Run) -> None:
    write_test(root / "t", default_model_args={"response": "no"}, expect="fail")
    assert run("t").exit_code == 0


def test_1_when_a_test_fails(root: Path, run: Run) -> None:
    write_test(root / "t", default_model_args={"response": "no"})
    assert run("t").exit_code == 1


def test_1_when_a_known_weakness_is_gone(root: Path, run: Run) -> None:
    write_test(root / "t", expect="fail")
    assert run("t").exit_code == 1


def test_2_for_wrong_usage(root: Path, run: Run) -> None:
    write_test(root / "t")
    assert run("--no-such-option").exit_code == 2
    assert run("t", "--json", "--jsonl").exit_code == 2


def test_2_when_a_test_is_invalid_and_the_others_run(root: Path, run: Run) -> None:
    write_test(root / "good")
    write_test(root / "bad", prompt=None)
    result = run(".", "--json")
    assert result.exit_code == 2
    assert [test["verdict"] for test in document(result)["tests"]] == ["passed"]
    (invalid,) = document(result)["summary"]["invalid"]
    assert invalid["path"] == "bad"
    assert "bad/test.json:1:1" in invalid["problems"][0]


def test_2_when_code_is_not_trusted_and_it_is_no_test_without_a_verdict(
    root: Path, run: Run
) -> None:
    write_test(root / "good")
    bad = write_test(root / "bad", checker_args={"checker_name": "Mine"})
    (bad / "checker").mkdir()
    (bad / "checker" / "checker.py").write_text("class Mine: ...\n")
    result = run(".")
    assert result.exit_code == 2
    assert "2 tests: 1 passed, 1 invalid" in result.stdout
    assert "is Python code" in result.output


def test_2_when_a_line_of_instances_is_invalid_and_the_others_run(root: Path, run: Run) -> None:
    folder = write_sums(root / "t", 2)
    with (folder / "instances" / "main.jsonl").open("a") as file:
        file.write("{\n")
    result = run("t", "--model", "replay", "--json")
    assert result.exit_code == 2
    assert [one["verdict"] for one in instances(result)] == ["passed", "passed"]
    assert "main.jsonl:3" in document(result)["summary"]["invalid"][0]["problems"][0]


def test_a_test_of_which_only_a_part_ran_has_not_passed_and_is_counted_once(
    root: Path, run: Run
) -> None:
    folder = write_sums(root / "t", 2)
    with (folder / "instances" / "main.jsonl").open("a") as file:
        file.write("{\n")
    text = run("t", "--model", "replay").stdout
    assert "? t · replay · 2/2 passed\n    unfinished: 2 done, the rest can't be used\n" in text
    assert "\ninvalid: t (2 other instances ran)\n    t/instances/main.jsonl:3:1: " in text
    assert "\n1 test: 1 invalid\n2 instances: 2 passed\n" in text
    whole = document(run("t", "--model", "replay", "--json"))
    assert whole["summary"]["tests"]["total"] == 0
    assert whole["summary"]["tests"]["invalid"] == 1
    assert [test["verdict"] for test in whole["tests"]] == ["inconclusive"]


def test_a_test_of_which_no_line_can_be_used_is_invalid_and_nothing_else(
    root: Path, run: Run
) -> None:
    folder = write_sums(root / "t", 0)
    (folder / "instances" / "main.jsonl").write_text("{\n")
    result = run("t", "--model", "replay")
    assert result.exit_code == 2
    assert result.stdout.startswith("invalid: t\n    t/instances/main.jsonl:1:1: ")
    assert "\n1 test: 1 invalid\n0 instances: none was run\n" in result.stdout


def test_3_when_errors_are_left(root: Path, run: Run) -> None:
    write_test(root / "t")
    result = run("t", "--model", "replay", "--json")
    assert result.exit_code == 3
    (only,) = instances(result)
    assert (only["verdict"], only["error_kind"]) == ("error", "not_recorded")


def test_4_when_inconclusive_and_strict(root: Path, run: Run) -> None:
    write_test(root / "t", expect={"pass_rate": ">=0.9"}, repeats=2)
    assert run("t").exit_code == 0
    assert run("t", "--strict").exit_code == 4


def test_5_when_nothing_is_selected(root: Path, run: Run) -> None:
    (root / "empty").mkdir()
    result = run("empty")
    assert result.exit_code == 5
    assert "no tests in empty" in result.stderr


def test_5_when_no_instance_is_selected(root: Path, run: Run) -> None:
    write_sums(root / "t", 2)
    assert run("t", "--model", "replay", "--index", "7").exit_code == 5


def test_6_when_the_budget_is_reached(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "t", 20)
    result = run("t", *at(server), "--max-requests", "7", "--json")
    assert result.exit_code == 6
    assert len(server.requests) == 7
    assert len(instances(result)) == 7
    assert "7 of 7 requests" in document(result)["summary"]["stopped_by"]


def test_skipped_tests_are_told_and_not_run(root: Path, run: Run) -> None:
    write_test(root / "t", skip="too slow")
    result = run("t", "--json")
    assert result.exit_code == 0
    assert document(result)["summary"]["skipped"] == [{"path": "t", "reason": "too slow"}]
    assert document(result)["tests"] == []


# Mistakes, each in a line that says what to do.


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["t", "--model", "openai"], "openai/NAME"),
        (["t", "-p", "x=1"], "has no parameter 'x'"),
        (["t", "-p", "x"], "is not NAME=VALUE"),
        (["t", "--model-arg", "a=[", "--dry-run"], "is not a YAML value"),
        (["t", "--temperature", "1", "--model-arg", "temperature=0"], "not both"),
        (["--resume", "nope"], "there is no session"),
        (["t", "--last-failed"], "there is no session"),
        (["t", "--no-cache", "--refresh"], "don't go together"),
        (["t", "--last-failed", "--dry-run"], "don't go together"),
    ],
)
def test_mistakes(root: Path, args: list[str], expected: str) -> None:
    write_test(root / "t")
    result = subprocess.run(
        [sys.executable, "-m", "lve", "run", *args], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert expected in result.stderr
    assert "Traceback" not in result.stderr


def test_a_test_without_model_says_how_to_give_one(root: Path) -> None:
    write_test(root / "t", model=None)
    result = subprocess.run(
        [sys.executable, "-m", "lve", "run", "t"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "--model" in result.stderr
    assert "replay" in result.stderr


def test_a_missing_key_stops_before_anything_is_sent(
    root: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(root / "a")
    write_test(root / "b", model="openai/gpt-x")
    monkeypatch.delenv("OPENAI_API_KEY")
    result = subprocess.run(
        [sys.executable, "-m", "lve", "run", "."], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "OPENAI_API_KEY" in result.stderr
    assert not (root / ".lve" / "runs").exists()


def test_max_cost_needs_a_price(root: Path, server: ModelServer) -> None:
    write_test(root / "t")
    command = [sys.executable, "-m", "lve", "run", "t", *at(server), "--max-cost", "1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "needs the price of openai/test" in result.stderr


# What is asked.


def test_model_args_come_from_everywhere(root: Path, run: Run, server: ModelServer) -> None:
    (root / "lve.yaml").write_text("caps: {max_tokens: 50}\n")
    write_sums(root / "t", 1, default_model_args={"top_p": 0.5, "seed": 3})
    assert run("t", *at(server), "--model-arg", "seed=null", "--temperature", "0.7").exit_code == 0
    sent = server.requests[0].json
    assert (sent["top_p"], sent["temperature"], sent["max_tokens"]) == (0.5, 0.7, 50)
    assert "seed" not in sent


def test_several_models(root: Path, run: Run) -> None:
    write_sums(root / "t", 3)
    result = run("t", "--model", "replay", "--model", "dummy/dummy", "--json")
    assert [test["model"] for test in document(result)["tests"]] == ["dummy/dummy", "replay"]


def test_parameters_make_an_instance(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "t", 3)
    result = run("t", *at(server), "-p", "a=20", "-p", "b=22", "--json")
    (only,) = instances(result)
    assert (only["responses"], only["source"]) == (["42"], "command line")


def test_repeats_are_asked_apart(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "t", 2)
    result = run("t", *at(server), "--repeats", "3", "--json")
    assert sorted((one["line"], one["repeat"]) for one in instances(result)) == [
        (line, repeat) for line in (1, 2) for repeat in (0, 1, 2)
    ]
    assert len(server.requests) == 6


def test_runs_of_one_prompt_are_asked_apart(root: Path, run: Run, server: ModelServer) -> None:
    write_test(
        root / "t",
        prompt=None,
        multi_run_prompt=[{"prompt": [{"content": "Compute 1 + 1"}], "repetitions": 4}],
        checker_args={
            "checker_name": "MultiRunLambdaChecker",
            "func": "lambda responses: len(responses) == 4",
        },
    )
    result = run("t", *at(server), "--json")
    assert len(server.requests) == 4
    assert instances(result)[0]["responses"] == ["2", "2", "2", "2"]


def test_a_pass_rate_ends_as_soon_as_the_statistics_can_tell(
    root: Path, run: Run, server: ModelServer
) -> None:
    write_sums(root / "t", 10, expect={"pass_rate": ">=0.5", "max_repeats": 16})
    result = run("t", *at(server), "--json")
    assert result.exit_code == 0
    assert len(server.requests) == 40
    assert document(result)["tests"][0]["verdict"] == "passed"


# The cache.


def test_a_capped_pass_rate_is_looked_at_as_early_as_its_cap_allows(
    root: Path, run: Run, server: ModelServer
) -> None:
    workspace(root, "caps: {repeats: 16}")
    expect = {"pass_rate": ">=0.2"}
    write_sums(root / "t", 3, expect=expect)
    (test,) = document(run("t", *at(server), "--json"))["tests"]
    assert test["verdict"] == "passed"
    assert len(server.requests) == 3 * 4, "16 repeats are looked at after 4, 8 and 16"


def test_a_second_run_asks_nothing(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "t", 5)
    run("t", *at(server))
    result = run("t", *at(server), "--json")
    assert len(server.requests) == 5
    assert all(one["cached"] for one in instances(result))
    run("t", *at(server), "--refresh")
    assert len(server.requests) == 10
    run("t", *at(server), "--no-cache")
    assert len(server.requests) == 15


# Budgets.


PRICED = """\
models:
  priced: {provider: openai, model: test, price: {input: 1000, output: 1000}}
"""


class Meter:
    """Answers as long as it may, and keeps the bill."""

    def __init__(self) -> None:
        self.tokens = 0
        self._rng = random.Random(1)

    def __call__(self, request: Received) -> Reply:
        bound = request.json["max_tokens"]
        length = min(bound, self._rng.randint(1, 300))
        text = " ".join(["word"] * length)
        prompt = "".join(text_of(message["content"]) for message in request.json["messages"])
        self.tokens += len(tokens_of(prompt)) + len(tokens_of(text))
        return Reply(text, finish_reason="length" if length == bound else "stop")


@pytest.mark.parametrize("extra", [[], ["--stream"], ["--model-arg", "max_tokens=40"]])
@pytest.mark.parametrize(
    ("cap", "tokens"),
    [(["--max-cost", "9"], 9000), (["--max-tokens-total", "12000"], 12_000)],
)
def test_no_cap_is_overshot(
    root: Path, run: Run, extra: list[str], cap: list[str], tokens: int
) -> None:
    (root / "lve.yaml").write_text(PRICED)
    rows = [{"args": {"n": str(n)}} for n in range(400)]
    write_test(
        root / "t",
        instances=rows,
        prompt=[{"content": "Say {n}"}],
        prompt_parameters=["n"],
        checker_args={"checker_name": "RegexChecker", "pattern": "word", "match_safe": True},
    )
    meter = Meter()
    faults = ["500", None, "429nohdr", None] * 20
    with model_server(meter, faults=faults) as server:
        model = ["--model", "priced", "--base-url", server.url]
        result = run("t", *model, *cap, *extra, "-j", "200", "--json")
    assert result.exit_code == 6
    assert tokens / 2 < meter.tokens <= tokens
    assert 0 < len(instances(result)) < 400


def test_dry_run_needs_no_key_and_sends_nothing(
    root: Path, run: Run, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    (root / "lve.yaml").write_text(PRICED)
    write_sums(root / "t", 10)
    result = run("t", "--model", "priced", "--repeats", "2", "--dry-run", "--json")
    assert result.exit_code == 0
    assert document(result)["calls"] == 20
    assert document(result)["cost"] > 0
    assert server.requests == []
    assert not (root / ".lve").exists()


# Sessions: continue, try errors again, run what failed.


def verdicts(root: Path) -> list[tuple[str, int, str]]:
    folder = SessionFolder.find(root / ".lve")
    return sorted((one.test, one.line, one.verdict) for one in folder.results())


def test_resume_asks_for_what_is_missing(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "t", 20)
    assert run("t", *at(server), "--max-requests", "8", "--no-cache").exit_code == 6
    result = run("--resume", "--max-requests", "100", "--json")
    assert result.exit_code == 0
    assert len(server.requests) == 20
    assert len(instances(result)) == 20
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 21)]


def test_resume_keeps_what_decides_the_results(root: Path, run: Run) -> None:
    write_test(root / "t")
    run("t")
    command = [sys.executable, "-m", "lve", "run", "--resume"]
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
        run("t", *at(server), "--no-cache", "-p", f"password={word}", "-p", f"site={site}")
        run("--retry-errors" if again == "--resume" else again)
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
        run("t", *at(server), "--no-cache", *given, "-p", "site=here")
        assert (
            "a-token-of-mine"
            not in SessionFolder.find(root / ".lve").path.joinpath("session.json").read_text()
        )
        refused = run(again)
        assert "give again: -p password=..." in str(refused.exception)
        assert "--model-arg session_token=..." in str(run(again, *given[:2]).exception)
        assert "can't change" in str(run(again, *given, "-p", "site=there").exception)
        assert len(server.requests) == 1
        run(again, *given)
        bodies = [request.json for request in server.requests]
    assert len(bodies) == 2
    assert bodies[0] == bodies[1]
    assert bodies[0]["session_token"] == 5


def test_retry_errors_runs_the_errors_alone(root: Path, run: Run) -> None:
    write_sums(root / "t", 10)
    with model_server(faults=["400", "400", "400"]) as server:
        assert run("t", *at(server), "--no-cache", "-j", "1").exit_code == 3
        assert len(server.requests) == 10
        result = run("--retry-errors", "--json")
        assert result.exit_code == 0
        assert len(server.requests) == 13
    assert len(instances(result)) == 10
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 11)]


def test_last_failed_runs_the_failed_alone(root: Path, run: Run) -> None:
    write_sums(root / "t", 10)
    wrong = {"Compute 3 + 1": "5", "Compute 4 + 8": "5"}

    def answer(request: Any) -> str:
        a, b = request.prompt.removeprefix("Compute ").split(" + ")
        return wrong.pop(request.prompt, str(int(a) + int(b)))

    with model_server(answer) as server:
        assert run("t", *at(server), "--no-cache").exit_code == 1
        result = run("--last-failed", "--json")
        assert result.exit_code == 0
        assert len(server.requests) == 12
    assert [one["line"] for one in instances(result)] == [4, 5]


@pytest.mark.parametrize("stream", [True, False])
def test_streamed_answers_tell_when_they_began(
    root: Path, run: Run, server: ModelServer, stream: bool
) -> None:
    write_sums(root / "t", 2)
    result = run("t", *at(server), "--json", *(["--stream"] if stream else []))
    assert [one["first_token_s"] is not None for one in instances(result)] == [stream] * 2
    assert (document(result)["summary"]["first_token_s"] is not None) == stream
    result = run("t", *at(server), "--refresh", *(["--stream"] if stream else []))
    assert (" · first token after " in result.stdout) == stream


def start(root: Path, server: ModelServer, *args: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lve", "run", "t", *at(server), "-j", "4", *args]
    return subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_requests(server: ModelServer, count: int) -> None:
    ends = time.monotonic() + 20
    while len(server.requests) < count:
        assert time.monotonic() < ends
        time.sleep(0.005)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_one_interrupt_lets_what_is_under_way_end(root: Path, run: Run) -> None:
    write_sums(root / "t", 60)
    with model_server(latency_s=0.03) as server:
        process = start(root, server)
        wait_for_requests(server, 9)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 130
        assert "lve run --resume" in out
        assert "Ctrl-C again" in err
        asked = len(server.requests)
        assert asked < 60
        assert len(verdicts(root)) == asked, "what was under way has its result"
        assert run("--resume").exit_code == 0
        assert len(server.requests) == 60
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 61)]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_two_interrupts_stop_now(root: Path, run: Run) -> None:
    write_sums(root / "t", 30)
    with model_server(latency_s=0.02) as server:
        process = start(root, server)
        wait_for_requests(server, 9)
        server.behaviour.latency_s = 60
        wait_for_requests(server, len(server.requests) + 4)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "Ctrl-C again" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert process.returncode == 130
        had = verdicts(root)
        assert len(had) >= 5
        asked = len(server.requests)
        server.behaviour.latency_s = 0
        assert run("--resume").exit_code == 0
        missing = 30 - len(had)
        # Up to 4 answers had arrived and were in the cache, their verdicts not yet written.
        assert missing - 4 <= len(server.requests) - asked <= missing
    assert len(verdicts(root)) == 30


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("after", [1, 10, 35])
def test_kill_9_loses_nothing_that_has_arrived(root: Path, run: Run, after: int) -> None:
    write_sums(root / "t", 60)
    with model_server(latency_s=0.005) as server:
        process = start(root, server)
        wait_for_requests(server, after)
        process.kill()
        process.communicate()
        assert run("--resume").exit_code == 0
        # Asked for again: what was under way (4), and what was just being written (4 at most).
        assert len(server.requests) <= 60 + 4 + 4
    assert verdicts(root) == [("t", line, "passed") for line in range(1, 61)]


def test_faults_end_in_correct_verdicts(root: Path, run: Run) -> None:
    write_sums(root / "t", 60)
    kinds = ("429nohdr", "500", "503", "reset", "truncated", "empty", "null")
    with model_server(fail_rate=0.2, fail_kinds=kinds, fail_attempts=2) as server:
        result = run("t", *at(server), "--json")
    assert result.exit_code == 0
    assert [one["verdict"] for one in instances(result)] == ["passed"] * 60
    assert document(result)["summary"]["failed_attempts"]
