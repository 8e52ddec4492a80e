"""Real answers of servers of models: bodies, events of streams, lines of batches."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from support.wire_cases import CASES, read_case

KEY = "key-of-a-fuzz-test-only"


@cache
def originals() -> tuple[tuple[str, str, Any], ...]:
    """Return provider, way of asking and answer (a body, or a list of events) of real cases."""
    found: list[tuple[str, str, Any]] = []
    for provider in ("anthropic", "gemini"):
        for path in sorted((CASES / provider).glob("*.json")):
            for answer in read_case_answers(provider, path.stem):
                is_stream = "events" in answer
                found.append(
                    (
                        provider,
                        "stream" if is_stream else "chat",
                        answer.get("events", answer.get("body")),
                    )
                )
    found += [("openai", *one) for one in _of_openai()]
    found += [("responses", *one) for one in _of_responses()]
    return tuple(found)


def read_case_answers(provider: str, name: str) -> list[Any]:
    """Return what a server says in a case of tests/cases/models."""
    return list(read_case(CASES / provider / f"{name}.json").get("answers", ()))


def _of_openai() -> list[tuple[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    logprobs = {
        "content": [
            {"token": "a", "logprob": -0.5, "top_logprobs": [{"token": "b", "logprob": -2}]}
        ]
    }
    usage = {
        "prompt_tokens": 3,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 1},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    found: list[tuple[str, Any]] = []
    for thought in json.loads((CASES / "thoughts.json").read_text(encoding="utf-8")):
        message = {"role": "assistant", **thought["message"], "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": logprobs}
        found.append(("chat", {"model": "m", "choices": [choice], "usage": usage}))
        deltas = [*thought["deltas"], {"tool_calls": [{"index": 0, **call}]}]
        events = [
            {"model": "m", "choices": [{"index": 0, "delta": one, "logprobs": logprobs}]}
            for one in deltas
        ]
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}
        found.append(("stream", [*events, end]))
    rated = {
        "tokens": ["a", " b"],
        "token_logprobs": [None, -1.5],
        "text_offset": [0, 1],
        "top_logprobs": None,
    }
    text = {
        "choices": [{"text": "a b", "logprobs": rated, "finish_reason": "length"}],
        "usage": usage,
    }
    prompt_logprobs = [None, {"5": {"logprob": -1.0, "rank": 1, "decoded_token": "a"}}]
    answer = {
        "batch_id": "b",
        "custom_id": "r0",
        "response": {"status_code": 200, "body": found[0][1]},
        "error": None,
    }
    refused = {
        "error": {
            "message": f"bad {KEY}",
            "type": "x",
            "code": "unsupported_parameter",
            "param": "temperature",
        }
    }
    return [
        *found,
        ("text", text),
        ("rated text", text),
        ("rated chat", {**found[0][1], "prompt_logprobs": prompt_logprobs}),
        ("embed", {"data": [{"index": 0, "embedding": [0.5, -1.0]}], "usage": usage}),
        ("list", {"data": [{"id": "a"}, {"id": "b"}]}),
        ("batch", answer),
        ("batch", {**answer, "response": None, "error": {"code": "batch_expired", "message": "x"}}),
        ("chat", refused),
        ("stream", [refused]),
    ]


def _of_responses() -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for case in json.loads((CASES / "responses.json").read_text(encoding="utf-8")):
        whole = {
            "id": "r",
            "model": "m",
            "status": "completed",
            "output": case.get("output", []),
            "usage": {
                "input_tokens": 3,
                "output_tokens": 2,
                "output_tokens_details": {"reasoning_tokens": 1},
            },
        }
        found.append(("chat", whole))
        items = [
            {"type": "response.output_item.done", "output_index": index, "item": item}
            for index, item in enumerate(whole["output"])
        ]
        delta = {
            "type": "response.output_text.delta",
            "output_index": 0,
            "content_index": 0,
            "delta": "a",
        }
        found.append(("stream", [delta, *items, {"type": "response.completed", "response": whole}]))
    return found
