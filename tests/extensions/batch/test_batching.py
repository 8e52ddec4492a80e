"""`lve run --batch`: against files and batches on loopback."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from extensions.batch.openai_batches import batch_server, says
from support.command_line import call
from support.folders import workspace, write_test
from support.judges import yes
from support.openai_answers import Received
from support.server import ModelServer, Raw, http, model_server

import lve
from lve.errors import UsageError

MODEL = "openai/test-model"
ROWS = [{"args": {"n": n}} for n in range(3)]


def write_sums(root: Path) -> None:
    write_test(
        root / "t",
        prompt=[{"role": "user", "content": "Number {n}"}],
        prompt_parameters=["n"],
        checker_args={"checker_name": "RegexChecker", "pattern": "Number {n}!", "match_safe": True},
        instances=ROWS,
    )


def run(server: ModelServer, *options: str, model: str = MODEL) -> tuple[int, str, str]:
    return call("run", "t", "--base-url", server.url, "-m", model, "--batch", *options)


def interrupted(number: int) -> Callable[[str, Any], None]:
    """Return a hook of the server: Ctrl-C as soon as `number` batches have been asked for."""
    asked = set()

    def hook(what: str, request: Received) -> None:
        if what == "poll" and len(asked) < number:
            asked.add(request.path)
            if len(asked) == number:
                os.kill(os.getpid(), signal.SIGINT)

    return hook


def results(root: Path, number: int = -1) -> list[dict[str, Any]]:
    folder = sorted((root / ".lve" / "runs").iterdir())[number]
    lines = (folder / "results.jsonl").read_text().splitlines()
    return sorted((json.loads(line) for line in lines), key=lambda one: one["line"])


def test_all_requests_go_in_one_batch_and_each_gets_its_answer(root: Path) -> None:
    write_sums(root)
    with batch_server(says(lambda prompt: f"{prompt}!"), polls=2) as (server, batches):
        code, out, err = run(server, "--json")
    assert code == 0, err
    assert json.loads(out)["summary"]["requests"] == 3
    assert batches.seen == ["upload", "create", "poll", "poll", "poll", "download"]
    assert len(batches.requests()) == 3
    assert "batch batch_0 with 3 requests is submitted" in err
    assert [one["verdict"] for one in results(root)] == ["passed"] * 3
    latencies = [one["transcripts"][0]["completions"][0]["latency_s"] for one in results(root)]
    assert all(59 <= latency <= 120 for latency in latencies), "of the whole batch"


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_the_result_is_that_of_a_live_run(api: str, root: Path) -> None:
    workspace(root, json.dumps({"models": {"m": {"model": "x", "api": api}}}))
    write_sums(root)
    answer = says(lambda prompt: f"{prompt}!")
    paths = {"chat": "/v1/chat/completions", "responses": "/v1/responses"}
    with batch_server(answer) as (server, batches):
        assert run(server, "--no-cache", model="m")[0] == 0
        bodies = [one["body"] for one in batches.requests()]
    with model_server(lambda request: answer(paths[api], request.json)) as server:
        at = ["--base-url", server.url, "-m", "m", "--no-cache", "-j", "1"]
        assert call("run", "t", *at)[0] == 0
        assert [request.json for request in server.requests] == bodies
    one, other = results(root, 0), results(root, 1)
    for result in (*one, *other):
        for changing in ("finished", "started", "latency_s", "at"):
            result.pop(changing, None)
        for transcript in result["transcripts"]:
            for completion in transcript["completions"]:
                completion.pop("latency_s")
    assert one == other


def test_what_the_cache_has_isnt_sent_and_answers_go_into_it(root: Path) -> None:
    write_sums(root)
    with batch_server(says(lambda prompt: f"{prompt}!")) as (server, batches):
        assert run(server, "--limit", "1")[0] == 0
        assert run(server)[0] == 0
        assert run(server)[0] == 0
        assert [len(batches.requests(n)) for n in range(len(batches.batches))] == [1, 2]


def test_each_turn_of_a_conversation_takes_a_batch(root: Path) -> None:
    prompt = [
        {"role": "user", "content": "One {n}"},
        {"role": "assistant", "variable": "first"},
        {"role": "user", "content": "Two {n}"},
    ]
    write_test(root / "t", prompt=prompt, prompt_parameters=["n"], instances=ROWS)
    with batch_server() as (server, batches):
        assert run(server)[0] == 0
    sizes = [[len(one["body"]["messages"]) for one in batches.requests(n)] for n in (0, 1)]
    assert sizes == [[1, 1, 1], [3, 3, 3]]
    assert len(batches.batches) == 2


def test_equal_requests_of_two_tests_are_asked_separately_without_a_cache(root: Path) -> None:
    write_test(root / "t" / "a")
    write_test(root / "t" / "b")
    with batch_server() as (server, batches):
        assert run(server, "--no-cache")[0] == 0
    assert len(batches.requests()) == 2


def test_a_request_that_failed_is_an_error_or_goes_into_the_next_batch(root: Path) -> None:
    write_sums(root)
    failed: list[str] = []

    def reply(prompt: str) -> str | int:
        if prompt == "Number 0":
            return 400
        if prompt == "Number 1" and not failed:
            failed.append(prompt)
            return 500
        return f"{prompt}!"

    with batch_server(says(reply)) as (server, batches):
        code, _, _ = run(server)
    assert code == 3
    assert [one["verdict"] for one in results(root)] == ["error", "passed", "passed"]
    assert "It is refused." in results(root)[0]["reason"]
    assert [len(batches.requests(n)) for n in (0, 1)] == [3, 1]


def test_an_arg_that_the_model_refuses_is_left_out_of_the_next_batch(root: Path) -> None:
    write_sums(root)
    good = says(lambda prompt: f"{prompt}!")
    refusal = {"message": "Unsupported value.", "param": "temperature", "code": None}

    def answer(url: str, body: dict[str, Any]) -> Any:
        return (400, {"error": refusal}) if "temperature" in body else good(url, body)

    with batch_server(answer) as (server, batches):
        code, _, err = run(server)
    assert code == 0
    assert err.count("refuses `temperature`: lve leaves it out") == 1
    assert [len(batches.requests(n)) for n in (0, 1)] == [3, 3]


def test_what_expired_is_an_error_that_says_how_to_ask_again(root: Path) -> None:
    write_sums(root)

    def answer(url: str, body: dict[str, Any]) -> Any:
        if body["messages"][0]["content"] != "Number 2":
            return says("Number 0! Number 1!")(url, body)
        return "batch_expired"

    with batch_server(answer, end="expired") as (server, batches):
        code, _, _ = run(server)
        assert code == 3
        assert [one["verdict"] for one in results(root)] == ["passed", "passed", "error"]
        assert "lve run --retry-errors last" in results(root)[2]["reason"]
        batches.answer, batches.end = says(lambda prompt: f"{prompt}!"), "completed"
        assert call("run", "--retry-errors", "last", "--base-url", server.url)[0] == 0
        assert len(batches.requests(1)) == 1


def test_a_batch_that_is_refused_is_told(root: Path) -> None:
    write_sums(root)
    with batch_server(end="failed") as (server, _):
        code, _, _ = run(server)
    assert code == 3
    assert "Enqueued token limit reached" in results(root)[0]["reason"]


def test_answers_that_are_missing_are_asked_for_again_but_not_forever(root: Path) -> None:
    write_sums(root)
    with batch_server(lambda url, body: None) as (server, batches):
        code, _, _ = run(server)
    assert code == 3
    assert len(batches.batches) == 3
    assert "no answer to this request" in results(root)[0]["reason"]


def once(moment: str, answer: Raw) -> Any:
    """Return a hook that answers in the server's place, once."""
    left = [answer]
    return lambda what, request: left.pop() if what == moment and left else None


@pytest.mark.parametrize(
    ("moment", "answer"),
    [
        ("upload", Raw(http(503, b"later"))),
        ("create", Raw(http(429, b"later", "Retry-After: 1\r\n"))),
        ("created", Raw(b"", close=True)),
        ("created", Raw(http(502, b"Bad Gateway"))),
        ("created", Raw(http(200, b'{"id": 7}'))),
    ],
)
def test_a_submission_that_broke_off_is_looked_for_before_the_next(
    moment: str, answer: Raw, root: Path
) -> None:
    write_sums(root)
    good = says(lambda prompt: f"{prompt}!")
    with batch_server(good, hook=once(moment, answer)) as (server, batches):
        code, out, err = run(server, "--json")
    assert code == 0, err
    assert len(batches.batches) == 1
    assert json.loads(out)["summary"]["requests"] == 3
    assert "couldn't be submitted yet; lve tries again" in err


def test_a_submission_that_keeps_failing_is_an_error_and_no_other_batch(root: Path) -> None:
    write_sums(root)
    with batch_server(says(lambda prompt: f"{prompt}!")) as (server, batches):
        down = Raw(http(503, b"later"))
        batches.hook = lambda what, request: down if what == "create" else None
        code, out, _ = run(server)
        assert code == 3
        assert out.count("503: later; `lve run --retry-errors last` goes on from there") == 3
        assert batches.seen.count("create") == 4
        (folder,) = (root / ".lve" / "runs").iterdir()
        assert len((folder / "batches.jsonl").read_text().splitlines()) == 1
        batches.hook = None
        assert call("run", "--retry-errors", "last", "--base-url", server.url)[0] == 0


def test_batches_that_were_never_submitted_are_no_attempts_of_a_later_run(root: Path) -> None:
    write_sums(root)
    with batch_server(says(lambda prompt: f"{prompt}!")) as (server, batches):
        batches.hook = lambda what, request: Raw(http(400, b"{}")) if what == "create" else None
        assert run(server)[0] == 3
        again = ["run", "--retry-errors", "last", "--base-url", server.url]
        assert [call(*again)[0] for _ in range(3)] == [3, 3, 3]
        batches.hook = None
        code, out, err = call(*again)
        assert code == 0, out + err
    assert len(batches.batches) == 1


def test_a_batch_that_is_gone_is_told_and_never_asked_for_again_unasked(root: Path) -> None:
    write_sums(root)
    with batch_server(says(lambda prompt: f"{prompt}!"), polls=10**6, hook=interrupted(1)) as (
        server,
        batches,
    ):
        assert run(server)[0] == 130
        batches.batches.clear()
        code, out, _ = call("run", "--resume", "last", "--base-url", server.url)
        assert code == 3
        said = "batch batch_0 isn't there any more, or not for this key: a new run asks again"
        assert out.count(said) == 3
    assert batches.seen.count("create") == 1


def test_azure_takes_its_time_with_a_file_and_writes_states_with_capitals(root: Path) -> None:
    write_sums(root)
    azure: dict[str, Any] = {"file_states": ["pending", "running"], "capitals": True}
    with batch_server(says(lambda prompt: f"{prompt}!"), **azure) as (server, batches):
        code, out, err = run(server)
    assert code == 0, out + err
    assert batches.seen[:4] == ["upload", "file", "file", "create"]


def test_the_user_hears_how_far_a_batch_is(root: Path) -> None:
    write_sums(root)

    def hook(what: str, request: Any) -> None:
        if what == "poll":
            counts = {"total": 3, "completed": 1, "failed": 1}
            batches.batches["batch_0"]["request_counts"] = counts

    good = says(lambda prompt: f"{prompt}!")
    with batch_server(good, polls=2, hook=hook) as (server, batches):
        code, _, err = run(server)
    assert code == 0
    assert err.count("batch batch_0 has answered 2 of 3 requests") == 1


def test_the_wait_for_a_batch_can_be_bounded_and_gone_on_with(root: Path) -> None:
    write_sums(root)
    with batch_server(says(lambda prompt: f"{prompt}!"), polls=10**6) as (server, batches):
        code, out, err = run(server, "--deadline", "2")
        assert code == 130
        assert "a batch isn't over yet; what was submitted goes on" in err
        assert "go on with: lve run --resume" in out
        batches.polls = 0
        at = ["--base-url", server.url, "--deadline", "60"]
        code, out, _ = call("run", "--resume", "last", *at, "--json")
        assert code == 0
        assert json.loads(out)["summary"]["requests"] == 0, "they are only fetched"
    assert "3 requests" in call("show", "last")[1]
    assert batches.seen.count("create") == 1
    assert [one["verdict"] for one in results(root)] == ["passed"] * 3


def test_a_budget_is_reserved_before_a_batch_is_submitted(root: Path) -> None:
    price = {"input": 1.0, "output": 1000.0}
    workspace(root, json.dumps({"models": {"m": {"model": "x", "price": price}}}))
    write_sums(root)
    with batch_server(says(lambda prompt: f"{prompt}!")) as (server, batches):
        # 10 tokens of answer cost a cent: two requests fit at a time.
        options = ["--max-cost", "0.025", "--model-arg", "max_tokens=10"]
        code, _, _ = run(server, *options, model="m")
    assert code == 6 or len(batches.batches) > 1
    assert max(len(batches.requests(n)) for n in range(len(batches.batches))) == 2


def test_a_resumed_session_pays_only_once(root: Path) -> None:
    price = {"input": 1.0, "output": 1000.0}
    workspace(root, json.dumps({"models": {"m": {"model": "x", "price": price}}}))
    write_sums(root)
    options = ["--max-cost", "0.035", "--model-arg", "max_tokens=10"]
    with batch_server(says(lambda prompt: f"{prompt}!"), polls=10**6, hook=interrupted(1)) as (
        server,
        batches,
    ):
        assert run(server, *options, model="m")[0] == 130
        batches.polls = 0
        at = ["--base-url", server.url, "--deadline", "60"]
        code, out, err = call("run", "--resume", "last", *at)
        assert code == 0, out + err
    assert batches.seen.count("create") == 1


@pytest.mark.parametrize(
    ("options", "model", "said"),
    [
        (["--stream"], MODEL, "can't be streamed"),
        ([], "dummy/dummy", "has no batch API"),
    ],
)
def test_what_doesnt_go_with_batches_is_refused(
    options: list[str], model: str, said: str, root: Path
) -> None:
    write_sums(root)
    with batch_server() as (server, _), pytest.raises(UsageError, match=said):
        run(server, *options, model=model)


def test_a_server_without_batches_is_an_error_that_says_so(root: Path) -> None:
    write_sums(root)
    with model_server(serve=lambda request: Raw(http(404, b"Not Found"))) as server:
        code, _, _ = run(server)
    assert code == 3
    assert "run without --batch" in results(root)[0]["reason"]


def test_the_key_goes_along_and_is_written_nowhere(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-only-for-tests-0123456789")
    write_sums(root)
    key = "sk-only-for-tests-0123456789"
    with batch_server(says(lambda prompt: f"{prompt}!"), key=key) as (server, _):
        assert run(server)[0] == 0
    for file in (root / ".lve").rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes()


def test_each_model_has_its_batches(root: Path) -> None:
    write_sums(root)
    with batch_server(says(lambda prompt: f"{prompt}!"), polls=10**6, hook=interrupted(2)) as (
        server,
        batches,
    ):
        code, _, err = run(server, "-m", "openai/other")
        assert code == 130
        assert "openai/test-model: batch" in err
        assert "openai/other: batch" in err
        batches.polls = 0
        at = ["--base-url", server.url, "--deadline", "60"]
        assert call("run", "--resume", "last", *at)[0] == 0
    models = [{one["body"]["model"] for one in batches.requests(n)} for n in (0, 1)]
    assert sorted(map(sorted, models)) == [["other"], ["test-model"]]
    assert batches.seen.count("create") == 2


def test_python_asks_in_batches_too(root: Path) -> None:
    write_sums(root)
    with (
        batch_server(says(lambda prompt: f"{prompt}!")) as (server, batches),
        pytest.warns(UserWarning, match="is submitted.*the session isn't kept"),
    ):
        result = lve.run("t", model=MODEL, base_url=server.url, batch=True, keep=False)
    assert [one.verdict for one in result.results] == ["passed"] * 3
    assert len(batches.batches) == 1


def test_a_user_and_a_judge_are_asked_live_and_at_once(root: Path) -> None:
    write_sums(root)
    file = root / "t" / "test.json"
    user = {"instructions": "You are Ann.", "max_turns": 1}
    checks = [{"judge": "It is kind.", "on": "turn_1"}, {"contains": "!"}]
    document = json.loads(file.read_text()) | {"simulated_user": user, "checks": checks}
    file.write_text(json.dumps({k: v for k, v in document.items() if k != "checker_args"}))

    def other(request: Received) -> str:
        return "Why?" if "You are Ann." in str(request.json["messages"][0]) else yes()

    with (
        batch_server(says(lambda prompt: f"{prompt}!")) as (server, batches),
        model_server(other) as roles,
    ):
        models = {"u": {"base_url": roles.url, "model": "u"}}
        workspace(root, json.dumps({"models": models, "roles": {"user": "u", "judge": "u"}}))
        code, out, err = run(server)
    assert (code, "3 passed" in out) == (0, True), out + err
    assert "at once" not in err
    assert [len(batches.requests(n)) for n in (0, 1)] == [3, 3]
    assert len(roles.requests) == 6
