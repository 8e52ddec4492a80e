"""`lve run` from the outside: mistakes, what is asked, cache, budgets."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from support.folders import workspace, write_sums, write_test
from support.forked import python
from support.openai_answers import text_of, tokens_of
from support.run_command import Run, at, document, instances
from support.server import ModelServer, Received, Reply, model_server

# Mistakes, each in a line that says what to do.


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["last"], "`lve show last` reports it, `lve run --resume last` continues it"),
        (["20261122-150140-957-dh7i"], "20261122-150140-957-dh7i is a session, not a test"),
        (["t", "--model", "openai"], "openai/NAME"),
        (["t", "-p", "x=1"], "has no parameter 'x'"),
        (["t", "-p", "x"], "is not NAME=VALUE"),
        (["t", "--model-arg", "a=[", "--dry-run"], "for '--model-arg': '[' is not a YAML value"),
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
        [*python(), "-m", "lve", "run", *args], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert expected in result.stderr
    assert "Traceback" not in result.stderr


def test_a_test_without_model_says_how_to_give_one(root: Path) -> None:
    write_test(root / "t", model=None)
    result = subprocess.run(
        [*python(), "-m", "lve", "run", "t"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "--model" in result.stderr
    assert "replay" in result.stderr


def test_a_missing_key_stops_before_anything_is_sent_if_that_is_wanted(
    root: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(root / "a")
    write_test(root / "b", model="openai/gpt-x")
    monkeypatch.delenv("OPENAI_API_KEY")
    result = subprocess.run(
        [*python(), "-m", "lve", "run", ".", "--strict-models"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "OPENAI_API_KEY" in result.stderr
    assert not (root / ".lve" / "runs").exists()


def test_max_cost_needs_a_price(root: Path, server: ModelServer) -> None:
    write_test(root / "t")
    command = [*python(), "-m", "lve", "run", "t", *at(server), "--max-cost", "1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "needs the price of openai/test" in result.stderr


# What is asked.


def test_model_args_come_from_everywhere(root: Path, run: Run, server: ModelServer) -> None:
    (root / "lve.yaml").write_text("caps: {max_tokens: 50}\n")
    write_sums(root / "t", 1, default_model_args={"top_p": 0.5, "seed": 3})
    run("t", *at(server), "--model-arg", "seed=null", "--temperature", "0.7")
    sent = server.requests[0].json
    assert (sent["top_p"], sent["temperature"], sent["max_tokens"]) == (0.5, 0.7, 50)
    assert "seed" not in sent


def test_several_models(root: Path, run: Run) -> None:
    write_sums(root / "t", 3)
    result = run("t", "--model", "replay", "--model", "dummy/dummy", "--json", code=3)
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
    assert len(server.requests) == 10, "ten of ten decide"
    assert document(result)["tests"][0]["verdict"] == "passed"


def test_a_pass_rate_is_looked_at_after_every_repeat_that_could_decide(
    root: Path, run: Run, server: ModelServer
) -> None:
    workspace(root, "caps: {repeats: 16}")
    expect = {"pass_rate": ">=0.2"}
    write_sums(root / "t", 3, expect=expect)
    (test,) = document(run("t", *at(server), "--json"))["tests"]
    assert test["verdict"] == "passed"
    assert len(server.requests) == 3, "three of three decide"


# The cache.


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
        result = run("t", *model, *cap, *extra, "-j", "200", "--json", code=6)
    assert tokens / 2 < meter.tokens <= tokens
    assert 0 < len(instances(result)) < 400


def test_dry_run_needs_no_key_and_sends_nothing(
    root: Path, run: Run, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    (root / "lve.yaml").write_text(PRICED)
    write_sums(root / "t", 10)
    result = run("t", "--model", "priced", "--repeats", "2", "--dry-run", "--json")
    told = document(result)
    assert told["calls"] == 20
    for amount in ("prompt_tokens", "completion_tokens", "cost"):
        assert told[amount] == sum(test[amount] for test in told["tests"]) > 0
    assert server.requests == []
    assert not (root / ".lve").exists()


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
