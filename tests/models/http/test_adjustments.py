"""Models that refuse args, with servers that refuse as each family does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.server import Answer, ModelServer, Raw, Received, http, model_server

import lve
from lve.errors import PermanentModelError
from lve.models.http.adjustments import Adjustments

CASES = json.loads(
    (Path(__file__).parents[2] / "cases" / "models" / "refusals.json").read_text(encoding="utf-8")
)
ARGS = {"temperature", "max_tokens", "max_completion_tokens", "seed", "random_seed", "stop"}


def strict(refuses: dict[str, Any]) -> Any:
    """Answer only requests without these args; `system` stands for messages of that role."""

    def answer(request: Received) -> Answer:
        roles = {message["role"] for message in request.json["messages"]}
        for name in sorted(refuses.keys() & (request.json.keys() | roles)):
            refusal = refuses[name]
            body = refusal.get("body") or {"error": refusal["error"]}
            return Raw(http(refusal["status"], json.dumps(body).encode()))
        return "Hello"

    return answer


def was_refused(request: Received, refuses: dict[str, Any]) -> bool:
    return isinstance(strict(refuses)(request), Raw)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_family_is_asked_as_it_wants_to_be(case: dict[str, Any], root: Path) -> None:
    settings = {"models": {case["model"]: case["settings"]}} if "settings" in case else {}
    workspace(root, json.dumps(settings))
    write_test(
        root / "t",
        **({"prompt": case["prompt"]} if "prompt" in case else {}),
        default_model_args=case.get("test", {}),
        prompt_parameters=["n"],
        instances=[{"args": {"n": n, **case.get("instance", {})}} for n in ("1", "2", "3")],
    )
    refuses = case["refuses"]
    with model_server(strict(refuses)) as server:
        args = [f"--model-arg={name}={value}" for name, value in case.get("user", {}).items()]
        at = ["--base-url", server.url, "--model", case["model"], "-j", "1", *args]
        code, out, err = call("run", "t", *at, "--json", "--no-cache")
        sent = [one for one in server.requests if not was_refused(one, refuses)]
        refused = [one for one in server.requests if was_refused(one, refuses)]
    info = session_info(root)
    if "error" in case:
        assert code == 3
        results = [json.loads(line) for line in journal(root)]
        assert all(case["error"] in result["reason"] for result in results)
        assert len(refused) == 3, "each is an error; none is sent again"
        assert "sent" not in info or "left_out" not in info["sent"].get(case["model"], {})
        return
    assert code == 0, err
    assert len(refused) == case["refused"], "once per model and session"
    assert json.loads(out)["summary"]["requests"] == 3 + case["refused"], "every attempt counts"
    for request in sent:
        assert {n: v for n, v in request.json.items() if n in ARGS} == case["sent"]
        if "messages" in case:
            assert request.json["messages"] == case["messages"]
    for line in case.get("says", []):
        assert err.count(line) == 1
    assert info.get("sent", {}).get(case["model"], {}) == case.get("record", {})


def session_info(root: Path) -> dict[str, Any]:
    (folder,) = (root / ".lve" / "runs").iterdir()
    info: dict[str, Any] = json.loads((folder / "session.json").read_text())
    return info


def journal(root: Path) -> list[str]:
    (folder,) = (root / ".lve" / "runs").iterdir()
    return (folder / "results.jsonl").read_text().splitlines()


NO_TEMPERATURE = {"temperature": {"status": 400, "error": {"message": "x", "param": "temperature"}}}


def run(server: ModelServer, **options: Any) -> lve.RunResult:
    with catch_warnings():
        simplefilter("ignore")
        return lve.run("t", model="openai/next", base_url=server.url, max_connections=1, **options)


def test_answers_without_an_arg_come_from_the_cache_without_asking_again(root: Path) -> None:
    write_test(root / "t")
    with model_server(strict(NO_TEMPERATURE)) as server:
        run(server)
        (again,) = run(server).results
        assert len(server.requests) == 2
    assert again.cached, again.reason
    assert again.transcripts[0].completions[0].left_out == ("temperature",)


def test_an_answer_without_an_arg_does_not_serve_a_test_that_sets_it(root: Path) -> None:
    write_test(root / "t")
    with model_server(strict(NO_TEMPERATURE)) as server:
        run(server)
        (result,) = run(server, model_args={"temperature": 0.0}).results
    assert result.verdict == "error"
    assert "`temperature` is set by" in result.reason


QUOTING: list[Any] = [
    {
        "detail": [
            {
                "loc": ["body", "messages", 0, "content"],
                "msg": "Input should be a valid string",
                "input": {"role": "system", "content": "Only say which temperature is invalid."},
            }
        ]
    },
    {
        "error": {
            "message": "Invalid value for 'messages[0].content': 'What temperature is it?'",
            "param": "messages[0].content",
        }
    },
    {
        "object": "error",
        "message": "[{'type': 'string_type', 'loc': ('body', 'prompt'), 'msg': 'Input should be "
        "a valid string', 'input': 'What temperature is it?'}]",
    },
    {
        "error": "1 validation error for Request [type=string_type, "
        "input_value='What temperature is it?', input_type=str]",
    },
]


@pytest.mark.parametrize("body", QUOTING)
def test_an_error_that_quotes_the_prompt_names_no_arg(body: Any) -> None:
    told: list[str] = []
    adjustments = Adjustments("m", tell=told.append)
    failure = PermanentModelError("422", kind="bad_request", status=422)
    sent = {"temperature": 0, "messages": [{"role": "system", "content": "Hi"}]}
    after = adjustments.learn_from(
        failure, json.dumps(body).encode(), sent, frozenset({"temperature"})
    )
    assert after is failure
    assert told == []


def test_requests_under_way_when_an_arg_is_refused_are_sent_again(root: Path) -> None:
    write_test(root / "t", repeats=20)
    with model_server(strict(NO_TEMPERATURE), latency_s=0.01) as server:
        at = ["--base-url", server.url, "--model", "openai/next", "-j", "20"]
        code, _, err = call("run", "t", *at)
    assert code == 0
    assert err.count("refuses `temperature`") == 1


def test_a_resumed_session_keeps_what_was_sent(root: Path) -> None:
    write_test(root / "t", repeats=3)
    with model_server(strict(NO_TEMPERATURE)) as server:
        at = ["--base-url", server.url, "--model", "openai/next", "-j", "1"]
        assert call("run", "t", *at, "--max-requests", "2")[0] == 6
        assert call("run", "--resume", "last", *at[:2], "--max-requests", "20")[0] == 0
    assert session_info(root)["sent"] == {"openai/next": {"left_out": ["temperature"]}}
