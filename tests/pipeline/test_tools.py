"""Tests with tools from end to end: run, kill, resume, record, replay, score, pytest."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.killing import kill_when_asked
from support.server import model_server
from support.weather_server import TEST, TOOL, asked, weather


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return workspace(tmp_path)


def write(root: Path, number: int = 1) -> Path:
    instances = [{"args": {"city": f"city {n}", "celsius": n}} for n in range(number)]
    return write_test(root / "t", instances=instances, **TEST)


def run(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    code, out, _ = call("run", *arguments, "--json")
    return code, json.loads(out)


def journal(root: Path) -> list[dict[str, Any]]:
    session = sorted((root / ".lve" / "runs").iterdir())[-1]
    lines = (session / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return sorted(map(json.loads, lines), key=lambda one: one["line"])


@pytest.mark.parametrize("more", [[], ["--stream"]])
def test_a_loop_with_mocks_passes(root: Path, more: list[str]) -> None:
    write(root, 3)
    with model_server(weather) as server:
        code, report = run("t", "--base-url", server.url, *more)
        assert (code, report["summary"]["instances"]["passed"]) == (0, 3)
        assert len(server.requests) == 9
        assert all(bool(one.json.get("stream")) is bool(more) for one in server.requests)
        assert run("t", "--base-url", server.url, *more)[0] == 0
        assert len(server.requests) == 9, "all answers are cached"
    first, second, third = journal(root)
    assert first["responses"] == ["It has 0 degrees."]
    (transcript,) = first["transcripts"]
    assert [message["role"] for message in transcript["messages"]] == [
        "user", "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert transcript["messages"][2:4:2] + transcript["messages"][4:5] == [
        {"role": "tool", "content": "cloudy", "tool_call_id": "c0"},
        {"role": "tool", "content": '{"celsius": 0}', "tool_call_id": "c1"},
    ]
    assert first["usage"]["prompt_tokens"] > 0
    assert first["cached"] is True
    assert second["verdict"] == third["verdict"] == "passed"


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_loop_that_was_killed_goes_on_where_it_was(root: Path) -> None:
    write(root, 20)
    with model_server(weather, latency_s=0.01) as server:
        where = ["--base-url", server.url]
        kill_when_asked(["t", *where, "-j", "4"], server, 20)
        before = len(server.requests)
        code, _, _ = call("run", "--resume", *where)
        assert code == 0
        # Missing may be the four under way, and as many that were not on the disk yet.
        assert 60 - before <= len(server.requests) - before <= 60 - before + 8
    assert [one["verdict"] for one in journal(root)] == ["passed"] * 20


def test_what_was_recorded_is_replayed_until_the_mocks_change(root: Path) -> None:
    folder = write(root, 2)
    with model_server(weather) as server:
        assert call("record", "t", "--base-url", server.url)[0] == 0
    (file,) = folder.glob("instances/openai--m.jsonl")
    first, _ = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert first["response"] == "It has 0 degrees."
    assert [turn.get("results") for turn in first["turns"]] == [
        ["cloudy"],
        ['{"celsius": 0}'],
        None,
    ]
    (folder / "instances" / "main.jsonl").unlink()
    code, report = run("t", "--model", "replay")
    assert (code, report["summary"]["instances"]["passed"]) == (0, 2)
    (transcript,) = journal(root)[0]["transcripts"]
    assert [message["content"] for message in transcript["messages"]][2] == "cloudy"
    assert transcript["completions"][0]["finish_reason"] == "tool_calls"
    write_test(folder, **{**TEST, "mocks": {"get_weather": {"error": "changed"}}})
    code, report = run("t", "--model", "replay")
    assert (code, report["summary"]["error_kinds"]) == (3, {"stale_recording": 2})


def test_what_was_recorded_says_nothing_to_a_model_that_is_asked(root: Path) -> None:
    folder = write(root)
    with model_server(weather) as server:
        where = ["--base-url", server.url]
        assert call("record", "t", *where)[0] == 0
        mocks = {"get_weather": {"result": {"celsius": "{celsius}", "new": True}}}
        (folder / "instances" / "main.jsonl").unlink()
        write_test(folder, **{**TEST, "mocks": mocks})
        assert run("t", *where)[0] == 0
    (transcript,) = journal(root)[0]["transcripts"]
    assert transcript["messages"][2]["content"] == '{"celsius": 0, "new": true}'


def test_secrets_in_calls_and_results_are_taken_out(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET_KEY", "relevance")
    mocks = {"get_weather": {"result": "relevance: {celsius}", "times": 1}}
    args = {"city": "relevance", "celsius": 1}
    write_test(root / "t", instances=[{"args": args}], **{**TEST, "mocks": mocks})
    seen = []

    def answer(request: Any) -> Any:
        seen.append(request.json["messages"][-1]["content"])
        return asked("relevance", 0) if len(seen) == 1 else "1 degrees"

    with model_server(answer) as server:
        call("run", "t", "--base-url", server.url, "--no-cache")
    assert seen[1] == "relevance: 1", "the model gets the whole result"
    (result,) = journal(root)
    assert "relevance" not in json.dumps(result)
    assert result["transcripts"][0]["messages"][1]["tool_calls"][0]["name"] == "get_weather"
    assert result["redacted"]["judged_by"]


def test_a_dry_run_counts_a_call_and_its_answer(root: Path) -> None:
    write(root, 3)
    _, report = run("t", "--dry-run")
    assert report["calls"] == 6


def test_a_dry_run_counts_a_call_of_code_and_its_answer(root: Path) -> None:
    """Code alone makes tools, without mocks. A tool with neither ends the turn with its call."""
    bare = {**TEST, "prompt_parameters": ["city", "celsius"]}
    del bare["mocks"]
    folder = write_test(root / "t", instances=[{"args": {"city": "x", "celsius": 1}}] * 3, **bare)
    _, without = run("t", "--dry-run")
    (folder / "tools.py").write_text("def get_weather(city):\n    return 'cloudy'\n")
    write_test(root / "t", **{**bare, "tools": [{**TOOL, "code": "tools.py"}]})
    _, report = run("t", "--dry-run")
    assert (without["calls"], report["calls"]) == (3, 6)
    (before,), (after,) = without["tests"], report["tests"]
    assert after["prompt_tokens"] == 2 * before["prompt_tokens"]


def test_a_session_is_judged_again_with_its_calls(root: Path) -> None:
    folder = write(root, 2)
    with model_server(weather) as server:
        run("t", "--base-url", server.url)
    write_test(folder, **{**TEST, "check": {"contains": "1 degrees"}})
    code, out, _ = call("score", "last", "--json")
    assert code == 1
    assert json.loads(out)["summary"]["instances"]["failed"] == 1


def test_reports_show_calls_and_results(root: Path) -> None:
    args = {"city": "city 0", "celsius": 0}
    write_test(root / "t", instances=[{"args": args}], **{**TEST, "check": {"contains": "x"}})
    with model_server(weather) as server:
        shown = call("run", "t", "--base-url", server.url, "-v")[1]
    assert '  get_weather({"city": "city 0"})\n' in shown
    assert "cloudy\n" in shown
    rendered = call("render", "t")[1]
    assert "tools: get_weather" in rendered
    (instance,) = json.loads(call("render", "t", "--json")[1])["tests"][0]["instances"]
    (mock, *_) = instance["runs"][0]["mocks"]["get_weather"]
    assert mock == {"args": {"city": "city 0"}, "result": "cloudy"}


def test_a_model_that_never_stops_is_judged(root: Path) -> None:
    instances = [{"args": {"city": "x", "celsius": 1}}]
    write_test(root / "t", instances=instances, **TEST, max_tool_turns=2)
    with model_server(lambda request: asked("x", len(request.json["messages"]))) as server:
        code, report = run("t", "--base-url", server.url)
        assert len(server.requests) == 3
    assert (code, report["summary"]["instances"]["failed"]) == (1, 1)
    assert journal(root)[0]["responses"] == [""]


def test_the_model_is_told_of_calls_that_nothing_answers_and_so_is_the_author(root: Path) -> None:
    mocks = {"get_weather": [{"args": {"city": "Oslo"}, "result": {"celsius": 1}}]}
    write_test(root / "t", instances=[{"args": {"city": "x", "celsius": 1}}],
               **{**TEST, "mocks": mocks})  # fmt: skip
    with model_server(weather) as server:
        _, _, told = call("run", "t", "--base-url", server.url)
    assert told.count("no mock of get_weather answers") == 1
    results = {m["content"] for m in journal(root)[0]["transcripts"][0]["messages"]
               if m["role"] == "tool"}  # fmt: skip
    assert results == {"Error: get_weather has no result for these arguments"}


def test_pytest_runs_the_loop(pytester: pytest.Pytester, root: Path) -> None:
    write(root, 2)
    with model_server(weather) as server:
        result = pytester.runpytest(str(root / "t"), f"--lve-base-url={server.url}")
    result.assert_outcomes(passed=2)
