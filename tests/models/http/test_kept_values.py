"""How many values of a stream are kept after each event: those count towards its limit."""

from __future__ import annotations

from typing import Any

import pytest

from lve.extensions.anthropic.answer import MessageAccumulator
from lve.extensions.bedrock.answer import ConverseAccumulator
from lve.extensions.gemini.answer import ContentAccumulator
from lve.extensions.responses.api import ResponseAccumulator
from lve.models.http.events import StreamAccumulator
from lve.models.openai.apis import ChatAccumulator

ITEM = {"type": "message", "id": "i", "content": [{"type": "output_text", "text": "a"}]}
CALL = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{"}}
LOGPROB = {"token": "a", "logprob": -1.0}


def choice(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, **fields}]}


def parts(*written: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [*written]}}]}


@pytest.mark.parametrize(
    ("answer", "events", "kept"),
    [
        (
            ResponseAccumulator(),
            [
                {"type": "response.output_text.delta", "delta": "a"},
                {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
                {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
                {"type": "response.output_item.done", "output_index": 1, "item": ITEM},
                {"type": "response.completed", "response": {"output": [ITEM, ITEM]}},
            ],
            [0, 1, 1, 2, 3],
        ),
        (
            ChatAccumulator(),
            [
                choice(delta={"content": "a"}),
                choice(delta={"content": "b"}, logprobs={"content": [LOGPROB]}),
                choice(delta={"content": "c"}, logprobs={"content": [LOGPROB, LOGPROB]}),
                choice(delta={"tool_calls": [CALL]}),
                choice(delta={"tool_calls": [{**CALL, "index": 1}]}),
            ],
            [0, 1, 3, 4, 5],
        ),
        (
            ContentAccumulator(),
            [
                parts({"functionCall": {"name": "f", "args": {}}}),
                parts({"functionCall": {"name": "g", "args": {}}}),
            ],
            [1, 2],
        ),
        (
            MessageAccumulator(),
            [
                {"type": "ping"},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}},
                {"type": "content_block_start", "index": 1, "content_block": {"type": "text"}},
            ],
            [0, 1, 2],
        ),
        (
            ConverseAccumulator(),
            [
                {"messageStart": {"role": "assistant"}},
                {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "a"}}},
                {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "a"}}},
            ],
            [0, 1, 2],
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_are_kept(
    answer: StreamAccumulator, events: list[dict[str, Any]], kept: list[int]
) -> None:
    counts = []
    for event in events:
        answer.add(event)
        counts.append(answer.kept_values)
    assert counts == kept
