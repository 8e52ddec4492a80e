"""`lve run` against a real HTTP server: every kind of LVE prompt, as it goes over the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import workspace, write_test
from support.server import ModelServer, Received, model_server

KEEP = {"checker_name": "RegexChecker", "pattern": ".", "match_safe": True}


def write(folder: Path, **keys: Any) -> Path:
    own = {"prompt": None, "model": "openai/m", "checker_args": KEEP, **keys}
    return write_test(workspace(folder), **own) / "test.json"


def run(path: Path, server: ModelServer, *options: str) -> tuple[int, dict[str, Any]]:
    arguments = ["run", str(path), "--base-url", server.url, "--json", *options]
    result = lve(*arguments, code=None)
    return result.exit_code, json.loads(result.stdout)


def sent(server: ModelServer) -> list[list[tuple[str, Any]]]:
    return [[(m["role"], m["content"]) for m in r.json["messages"]] for r in server.requests]


def test_single_turn(tmp_path: Path) -> None:
    prompt = [{"role": "system", "content": "Be brief."}, {"content": "{a} + {b}?"}]
    path = write(
        tmp_path,
        prompt=prompt,
        prompt_parameters=["a", "b"],
        checker_args={"checker_name": "LambdaChecker", "func": "lambda r, a, b: int(r) == 5"},
    )
    with model_server("5") as server:
        code, report = run(path, server, "-p", "a=2", "-p", "b=3", "--model-arg", "seed=7")
        assert sent(server) == [[("system", "Be brief."), ("user", "2 + 3?")]]
        body = server.requests[0].json
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.0, 7)
    assert code == 0
    [instance] = report["tests"][0]["instances"]
    assert (instance["verdict"], instance["responses"]) == ("passed", ["5"])
    assert instance["usage"]["prompt_tokens"] > 0


def test_multi_variable_turns_see_what_was_answered(tmp_path: Path) -> None:
    prompt = [
        {"content": "Pick a number."},
        {"role": "assistant", "variable": "first"},
        {"content": "Double it."},
        {"role": "assistant", "content": None, "variable": "second"},
        {"content": "Thanks."},
    ]
    with model_server(["4", "8", "Bye"]) as server:
        code, report = run(write(tmp_path, prompt=prompt), server)
        first, second, third = sent(server)
    assert first == [("user", "Pick a number.")]
    assert second == [*first, ("assistant", "4"), ("user", "Double it.")]
    assert third == [*second, ("assistant", "8"), ("user", "Thanks.")]
    assert code == 0
    [instance] = report["tests"][0]["instances"]
    assert instance["responses"] == [{"first": "4", "second": "8", "response": "Bye"}]


def test_multi_run_asks_for_every_repetition(tmp_path: Path) -> None:
    runs = [
        {"name": "a", "prompt": [{"content": "Toss."}], "repetitions": 3},
        {"name": "b", "prompt": [{"content": "Count."}]},
    ]
    checker = {"checker_name": "MultiRunLambdaChecker", "func": "lambda rs: rs[3] == '3'"}

    def answer(request: Received) -> str:
        return "heads" if request.prompt == "Toss." else "3"

    with model_server(answer) as server:
        code, report = run(write(tmp_path, multi_run_prompt=runs, checker_args=checker), server)
        assert sorted(r.prompt for r in server.requests) == ["Count.", "Toss.", "Toss.", "Toss."]
    assert code == 0
    [instance] = report["tests"][0]["instances"]
    assert instance["responses"] == ["heads", "heads", "heads", "3"]


def test_image_url_is_a_part_beside_the_text(tmp_path: Path) -> None:
    prompt = [{"content": "What is on it?", "image_url": "https://example.com/{name}.png"}]
    path = write(tmp_path, prompt=prompt, prompt_parameters=["name"])
    with model_server("a cat") as server:
        code, _ = run(path, server, "-p", "name=cat")
        [[(role, parts)]] = sent(server)
    assert (code, role) == (0, "user")
    assert parts == [
        {"type": "text", "text": "What is on it?"},
        {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}},
    ]


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refused_request_is_an_error_with_the_servers_words(tmp_path: Path, status: int) -> None:
    with model_server(status) as server:
        code, report = run(write(tmp_path, prompt=[{"content": "Hi"}]), server)
        assert len(server.requests) == 1
    assert code == 3
    [instance] = report["tests"][0]["instances"]
    assert instance["verdict"] == "error"
    assert str(status) in instance["reason"]


def test_a_wrong_answer_is_a_failure_and_no_error(tmp_path: Path) -> None:
    checker = {"checker_name": "ExactMatchChecker", "pattern": "yes", "match_safe": True}
    with model_server("no") as server:
        code, report = run(
            write(tmp_path, prompt=[{"content": "Hi"}], checker_args=checker), server
        )
    assert code == 1
    assert report["tests"][0]["instances"][0]["verdict"] == "failed"
