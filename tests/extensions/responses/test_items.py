"""Encrypted reasoning is sent back in a conversation of several turns, also from the cache."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from extensions.responses import responses_api
from support.command_line import call
from support.folders import workspace, write_test
from support.server import model_server

from lve.extensions.responses.items import input_items, state_of
from lve.messages import Message, Role

THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "I think."}],
    "encrypted_content": "gAAAA",
}
PROMPT = [
    {"role": "user", "content": "One"},
    {"role": "assistant", "variable": "first"},
    {"role": "user", "content": "Two"},
]


def thinks(asked: Mapping[str, Any]) -> dict[str, Any]:
    said = responses_api.message(f"Hello {len(asked['input'])}")
    return responses_api.response(asked, [THOUGHT, said])


def test_each_turn_has_the_thoughts_of_those_before_and_the_cache_keeps_them(root: Path) -> None:
    workspace(root, json.dumps({"models": {"m": {"model": "x", "api": "responses"}}}))
    write_test(root / "t", prompt=PROMPT)
    with model_server(responses_api.strict(thinks)) as server:
        at = ["--base-url", server.url, "-m", "m"]
        assert call("run", "t", *at)[0] == 0
        assert call("run", "t", *at)[0] == 0
        first, second = server.requests
    said = responses_api.message("Hello 1")
    assert first.json["input"] == [{"role": "user", "content": "One"}]
    assert second.json["input"][1] == THOUGHT
    assert second.json["input"][2]["id"] == said["id"]
    assert second.json["input"][3:] == [{"role": "user", "content": "Two"}]


def test_what_the_model_thought_is_recorded_but_not_judged(root: Path) -> None:
    workspace(root, json.dumps({"models": {"m": {"model": "x", "api": "responses"}}}))
    write_test(root / "t", check={"contains": "think"}, checker_args=None)
    with model_server(responses_api.strict(thinks)) as server:
        code, _, _ = call("run", "t", "--base-url", server.url, "-m", "m", "--stream")
    assert code == 1, "only its thoughts have that word"
    (folder,) = (root / ".lve" / "runs").iterdir()
    (line,) = (folder / "results.jsonl").read_text().splitlines()
    (completion,) = json.loads(line)["transcripts"][0]["completions"]
    assert completion["reasoning"] == "I think."
    assert "gAAAA" not in line


def test_a_state_that_lacks_what_was_encrypted_is_none() -> None:
    bare = {key: value for key, value in THOUGHT.items() if key != "encrypted_content"}
    assert state_of([bare, responses_api.message("x")]) is None
    assert state_of([responses_api.message("x")]) is None


def test_an_answer_without_text_or_calls_is_sent_as_empty() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    messages = [Message("", Role.assistant), Message(parts, Role.assistant), Message(None)]
    assert input_items(messages) == [
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": "ab"},
        {"role": "user", "content": []},
    ]
