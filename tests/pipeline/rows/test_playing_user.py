"""Tests whose user is played by a model, through every door, against real servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.judges import yes
from support.openai_answers import Raw, Received, Reply
from support.server import ModelServer, http, model_server

import lve

PRICE = {"input": 1_000_000, "output": 0}
USER = {"instructions": "You bought order {order}.", "ends_with": "BYE", "max_turns": 3}

SHOP: dict[str, Any] = {
    "model": None,
    "prompt": [{"content": "My lamp is broken."}],
    "prompt_parameters": ["order"],
    "simulated_user": USER,
    "checker_args": None,
    "checks": [{"contains": "order", "on": "turn_1"}, {"contains": "Done", "on": "response"}],
}


def agent(request: Received) -> str:
    return "Which order?" if "lamp" in request.prompt else "Done."


def customer(request: Received) -> str:
    return "BYE" if request.prompt == "Done." else "Order 7."


@contextmanager
def shop(
    root: Path, user: Any = customer, **settings: Any
) -> Iterator[tuple[ModelServer, ModelServer]]:
    """Run a server for the tested model and one for the user, and write a test."""
    with model_server(agent) as tested, model_server(user) as other:
        models = {
            "m": {"base_url": tested.url, "model": "m"},
            "u": {"base_url": other.url, "model": "u", "price": PRICE},
        }
        said = {"models": models, "model": "m", "roles": {"user": "u"}, **settings}
        workspace(root, json.dumps(said))
        write_test(
            root / "t",
            instances=[{"args": {"order": 7}}],
            **SHOP,
        )
        yield tested, other


def journal(root: Path) -> list[dict[str, Any]]:
    folder = max((root / ".lve" / "runs").iterdir())
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_tells_what_the_user_said_and_took(root: Path) -> None:
    with shop(root) as (tested, other):
        code, out, _ = call("run", "t")
        assert (code, "other roles: 2 answers" in out) == (0, True)
        assert (len(tested.requests), len(other.requests)) == (2, 2)
        assert "You bought order 7." in other.requests[0].json["messages"][0]["content"]
        (line,) = journal(root)
        assert [one["role"] for one in line["asked"]] == ["user", "user"]
        assert [one["text"] for one in line["asked"]] == ["Order 7.", "BYE"]
        assert line["responses"] == [{"turn_1": "Which order?", "response": "Done."}]
        assert sum(one["cost"] for one in line["asked"]) > 0
        out = call("show", "last", "t")[1]
        assert "Order 7." in out


def test_a_second_run_and_scoring_ask_nobody(root: Path) -> None:
    with shop(root) as (tested, other):
        call("run", "t")
        sent = len(tested.requests), len(other.requests)
        assert call("run", "t")[0] == 0
        assert call("score", "last")[0] == 0
        assert (len(tested.requests), len(other.requests)) == sent


def test_repeats_have_a_user_each(root: Path) -> None:
    with shop(root) as (_, other):
        assert call("run", "t", "--repeats", "2")[0] == 0
        assert len(other.requests) == 4


def test_a_recording_is_replayed_without_a_user(root: Path) -> None:
    with shop(root, roles={}) as (tested, other):
        assert call("record", "t", "--role", "user=u", "--to", "x")[0] == 0
        (root / "t" / "instances" / "main.jsonl").unlink(missing_ok=True)
        recorded = json.loads((root / "t" / "instances" / "x.jsonl").read_text())
        assert recorded["turns"] == [
            {"text": "Which order?", "user": "Order 7."},
            {"text": "Done."},
        ]
        sent = len(tested.requests), len(other.requests)
        code, out, _ = call("run", "t", "--model", "replay", "--instances", "x")
        assert (code, "1 passed" in out) == (0, True)
        assert (len(tested.requests), len(other.requests)) == sent


def test_without_a_model_for_the_user_nothing_is_sent(root: Path) -> None:
    with shop(root, roles={}) as (tested, _):
        code, out, _ = call("run", "t")
        assert code == 2
        assert "--role user=MODEL" in out
        assert not tested.requests


def test_a_user_who_cant_answer_is_an_error_of_the_instance(root: Path) -> None:
    with shop(root, user=Raw(http(401, b"{}"))) as (tested, _):
        code, out, _ = call("run", "t")
        assert code == 3
        assert "the user, played by u, can't answer: 401" in out
        assert len(tested.requests) == 1
        (line,) = journal(root)
        assert line["error_kind"] == "authentication"
        assert line["asked"][0]["problem_kind"] == "authentication"
        assert "cause" not in line


def test_of_a_user_who_isnt_asked_any_more_the_cause_is_kept(root: Path) -> None:
    with shop(root, user=Raw(http(401, b"{}"))):
        write_test(root / "t", instances=[{"args": {"order": n}} for n in range(9)], **SHOP)
        assert call("run", "t", "--max-connections", "1")[0] == 3
        said = {line["reason"] for line in journal(root)}
        causes = {line.get("cause", line["reason"]) for line in journal(root)}
        assert len(said) == 2
        assert len(causes) == 1


def test_a_user_who_spends_all_tokens_on_thinking_hasnt_ended_the_conversation(root: Path) -> None:
    with shop(root, user=lambda request: Reply("", finish_reason="length")) as (tested, _):
        code, out, _ = call("run", "t")
        assert code == 3
        assert "the user, played by u, says nothing: its answer was cut off" in out
        assert len(tested.requests) == 1


def test_python_and_a_dry_run_know_it(root: Path) -> None:
    with shop(root) as (tested, other):
        out = call("run", "t", "--dry-run")[1]
        assert "4 calls" in out
        assert "other roles get 3 calls" in out
        assert not tested.requests + other.requests
        result = lve.run("t")
        assert result.exit_code() == 0


def test_render_shows_who_goes_on(root: Path) -> None:
    with shop(root):
        out = call("render", "t")[1]
        assert "simulated user, at most 3 times:" in out
        assert "You bought order 7." in out
        data = json.loads(call("render", "t", "--json")[1])
        (run,) = (
            data[0]["instances"][0]["runs"]
            if isinstance(data, list)
            else (data["tests"][0]["instances"][0]["runs"])
        )
        assert run["simulated_user"]["max_turns"] == 3


def test_what_a_user_quotes_is_redacted_as_the_answer_is(root: Path) -> None:
    with shop(root, user=lambda request: f"You said: {request.prompt} KEY-0123456789-abcdefghij"):
        key = "KEY-0123456789-abcdefghij"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SHOP_API_KEY", key)
            call("run", "t")
        text = json.dumps(journal(root))
        assert "You said: Which order?" in text
        assert key not in text


def test_scoring_with_a_judge_keeps_what_the_user_said(root: Path) -> None:
    def judge_too(request: Received) -> str:
        return yes() if "person" not in str(request.json["messages"][0]) else customer(request)

    with shop(root, user=judge_too, roles={"user": "u", "judge": "u"}) as (_, other):
        file = root / "t" / "test.json"
        document = json.loads(file.read_text())
        document["checks"] = [{"judge": "It is kind.", "on": "transcript"}]
        file.write_text(json.dumps(document))
        assert call("run", "t")[0] == 0
        sent = len(other.requests)
        document["checks"][0]["judge"] = "It is polite."
        file.write_text(json.dumps(document))
        code, out, _ = call("score", "last", "--json")
        assert code == 0
        assert len(other.requests) == sent + 1
        assert json.loads(out)["summary"]["asked"]["answers"] == 3
