"""Models that refuse args: servers that refuse like each family does, and what is sent to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.server import Answer, ModelServer, Raw, Received, http, model_server

import lve
from lve.messages import Usage
from lve.models.known import TABLE, known_model, price_of, shipped_table
from lve.workspace import ModelSettings, Settings

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "models" / "refusals.json").read_text(encoding="utf-8")
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
    with catch_warnings(record=True):
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


def test_lves_table_has_no_name_twice() -> None:
    names = [
        name
        for family in json.loads(Path(TABLE).read_text())["families"]
        for model in family["models"]
        for name in model["names"]
    ]
    assert len(names) == len(set(names)) > 50


@pytest.mark.parametrize("name", sorted(shipped_table().by_name))
def test_every_entry_of_the_table_is_found_by_an_example_of_its_name(name: str) -> None:
    example = name.replace("*", "x").replace("?", "1")
    full = example if "/" in example else f"openai/{example}"
    assert known_model(full, Settings()) is shipped_table().by_name[name]


@pytest.mark.parametrize(
    ("name", "is_priced"),
    [
        ("openai/gpt-5-mini", True),
        ("openai/gpt-4o-mini", True),
        ("groq/openai/gpt-oss-20b", True),
        ("groq/gpt-5-mini", False),
        ("azure/gpt-5-mini", False),
        ("openai/tomorrow-1", False),
        ("dummy/dummy", False),
        ("replay", False),
    ],
)
def test_a_price_is_known_only_where_the_provider_asks_it(name: str, is_priced: bool) -> None:
    assert (price_of(name, Settings()) is not None) is is_priced
    assert price_of(name, Settings(), base_url="http://localhost:1/v1") is None
    entry = ModelSettings(provider=name.partition("/")[0], base_url="http://localhost:1/v1")
    assert price_of(name, Settings(models={name: entry})) is None


def test_a_price_is_not_known_where_the_environment_names_another_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    assert price_of("openai/gpt-5-mini", Settings()) is None


def test_cached_tokens_and_long_prompts_have_their_price() -> None:
    from lve.execution.budget import cost_of

    price = price_of("openai/gpt-5.4", Settings())
    assert price is not None
    assert cost_of(Usage(100_000, 0), price) == pytest.approx(0.25)
    assert cost_of(Usage(100_000, 0, 100_000), price) == pytest.approx(0.025)
    assert cost_of(Usage(300_000, 1_000_000), price) == pytest.approx(1.5 + 22.5)
