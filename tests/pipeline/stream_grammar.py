"""Random streams by the grammar of each API: what servers send, in all its spellings.

A plan says what the model says; `stream_of` writes it as the events of an API, in the spelling that
the plan draws. `text_of` is what the answer is, None if it is an error.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from hypothesis import strategies as st
from support.event_stream import event_stream
from support.hostile_server import chunk, head, whole

APIS = ("chat", "responses", "anthropic", "gemini", "bedrock")
LETTERS = st.sampled_from("abc xyz.,é😀\n\u2028\ufeff" + '"\\{}[]:')
HALVES = st.sampled_from(("\ud83d", "\ude00"))
PIECES = st.lists(st.text(LETTERS | HALVES, min_size=1, max_size=5), min_size=1, max_size=6)


class Call(NamedTuple):
    """A tool call."""

    id: str
    name: str
    pieces: list[str]


class Plan(NamedTuple):
    """What a model says, and how its server spells it."""

    pieces: list[str]
    calls: list[Call]
    end: str
    """`stop`, `length`, `abort`, `error` (an event within), or `cut`."""
    usage: Any
    numbering: str
    """Of calls in deltas: `index`, `zero` or `none`."""
    line_end: str
    bom: bool
    noise: str
    """Between the events: comments, other fields, other choices."""
    indent: int | None
    """Of the JSON, which is then on several lines of data."""
    is_open: bool
    ends_blank: bool


CALLS = st.builds(
    Call,
    st.uuids().map(str),
    st.sampled_from(("find", "now")),
    st.sampled_from(([], ["{}"], ['{"q"', ': "tea"}'], ['{"q": "', "\ud83d", "\ude00", '"}'])),
)
PLANS = st.builds(
    Plan,
    PIECES,
    st.lists(CALLS, max_size=2),
    st.sampled_from(("stop", "stop", "stop", "stop", "length", "abort", "error", "cut")),
    st.sampled_from((None, (3, 2), ("3", "2"))),
    st.sampled_from(("index", "zero", "none")),
    st.sampled_from(("\n", "\r\n", "\r")),
    st.booleans(),
    st.sampled_from(("", "", ": ping", "id: 7", "retry: 9", "x", "data:")),
    st.sampled_from((None, None, 1)),
    st.booleans(),
    st.booleans(),
)


def text_of(plan: Plan) -> str | None:
    """Return the text of the answer that a plan is, None if it is an error."""
    if plan.end in ("abort", "error", "cut"):
        return None
    text = "".join(plan.pieces)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def calls_of(api: str, plan: Plan) -> list[tuple[str, str]] | None:
    """Return name and arguments of the tool calls of an answer, None if it is an error.

    Arguments are a text in chat completions and Responses. Elsewhere they are an object, or a text
    if they aren't JSON, and there are no arguments without one.
    """
    if text_of(plan) is None:
        return None
    return [(call.name, _arguments(api, "".join(call.pieces))) for call in plan.calls]


def _arguments(api: str, text: str) -> str:
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if api in ("chat", "responses"):
        return text
    if api == "gemini":
        return '{"q": "tea"}'
    return json.dumps(json.loads(text or "{}"), ensure_ascii=False)


def stream_of(api: str, plan: Plan) -> tuple[bytes, bool]:
    """Return the HTTP response of a plan, and whether the connection is closed after it."""
    events = EVENTS[api](plan)
    if plan.end == "error" and api != "bedrock":
        events[1:] = [*events[1:2], {"error": {"message": "boom", "code": 503}}]
    elif plan.end == "error":
        events[1:] = [*events[1:2], {"serviceUnavailableException": {"message": "boom"}}]
    elif plan.end == "cut":
        events = events[: 1 + len(plan.pieces)]
    is_cut = plan.end == "cut"
    if api == "bedrock":
        kind, body = "application/vnd.amazon.eventstream", event_stream(events)
    else:
        kind, body = "text/event-stream", _written(plan, events)
    if not (plan.is_open or is_cut):
        return whole(body, f"Content-Type: {kind}"), False
    return head(f"Content-Type: {kind}", "Transfer-Encoding: chunked") + chunk(body), is_cut


def _written(plan: Plan, events: list[Any]) -> bytes:
    end, parts = plan.line_end, ["\ufeff" if plan.bom else ""]
    for event in events:
        if plan.noise:
            parts.append(f"{plan.noise}{end}{end}")
        if isinstance(event, dict) and "type" in event:
            parts.append(f"event: {event['type']}{end}")
        text = event if isinstance(event, str) else json.dumps(event, indent=plan.indent)
        parts += [f"data: {line}{end}" for line in text.split("\n")]
        parts.append(end)
    # Only the end of the body tells that the last event is there without its blank line.
    if not plan.ends_blank and not plan.is_open:
        parts.pop()
    return "".join(parts).encode()


def _chat(plan: Plan) -> list[Any]:
    def event(delta: Any, finish: str | None = None) -> Any:
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    def numbered(place: int, call_id: str) -> dict[str, Any]:
        ids = {"id": call_id} if call_id else {}
        return {"index": {"index": {"index": place}, "zero": {"index": 0}, "none": {}}}["index"][
            plan.numbering
        ] | ids

    events = [event({"role": "assistant", "content": ""})]
    events += [event({"content": piece}) for piece in plan.pieces]
    for place, call in enumerate(plan.calls):
        start = {"function": {"name": call.name, "arguments": ""}}
        events.append(event({"tool_calls": [{**numbered(place, call.id), **start}]}))
        events += [
            event({"tool_calls": [{**numbered(place, ""), "function": {"arguments": piece}}]})
            for piece in call.pieces
        ]
    other = {"index": 1, "delta": {"content": "other"}, "finish_reason": "stop"}
    events.insert(1, {"choices": [other]})
    events.append(
        event({}, {"stop": "tool_calls" if plan.calls else "stop"}.get(plan.end, plan.end))
    )
    if plan.usage:
        prompt, completion = plan.usage
        events.append(
            {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}}
        )
    return [*events, "[DONE]"]


def _responses(plan: Plan) -> list[Any]:
    text = "".join(plan.pieces)
    content = [{"type": "output_text", "text": text}]
    output: list[Any] = [{"type": "message", "id": "m", "role": "assistant", "content": content}]
    output += [
        {"type": "function_call", "id": call.id, "call_id": call.id, "name": call.name}
        | {"arguments": "".join(call.pieces)}
        for call in plan.calls
    ]
    events: list[Any] = [{"type": "response.created", "response": {"status": "in_progress"}}]
    events += [{"type": "response.output_text.delta", "delta": piece} for piece in plan.pieces]
    for place, item in enumerate(output):
        index = {"index": place, "zero": 0, "none": place}[plan.numbering]
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    status = {"stop": "completed", "length": "incomplete"}.get(plan.end, "failed")
    final: dict[str, Any] = {"status": status, "output": output, "model": "m"}
    if plan.usage:
        final["usage"] = dict(zip(("input_tokens", "output_tokens"), plan.usage, strict=True))
    if status == "incomplete":
        final["incomplete_details"] = {"reason": "max_output_tokens"}
    if status == "failed":
        final["error"] = {"code": "server_error", "message": "boom"}
    return [*events, {"type": f"response.{status}", "response": final}]


def _anthropic(plan: Plan) -> list[Any]:
    prompt, completion = plan.usage or (None, None)
    message = {"model": "m", "content": [], "usage": {"input_tokens": prompt}}
    events: list[Any] = [{"type": "message_start", "message": message}]

    def block(place: int, start: Any, deltas: list[Any]) -> list[Any]:
        index = {"index": place, "zero": 0, "none": place}[plan.numbering]
        return [
            {"type": "content_block_start", "index": index, "content_block": start},
            *[{"type": "content_block_delta", "index": index, "delta": one} for one in deltas],
            {"type": "content_block_stop", "index": index},
        ]

    texts = [{"type": "text_delta", "text": piece} for piece in plan.pieces]
    events += block(0, {"type": "text", "text": ""}, texts)
    for place, call in enumerate(plan.calls, 1):
        start = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in call.pieces]
        events += block(place, start, pieces)
    reason = {"stop": "end_turn", "length": "max_tokens"}.get(plan.end, plan.end)
    delta = {"type": "message_delta", "delta": {"stop_reason": reason}}
    return [*events, {**delta, "usage": {"output_tokens": completion}}, {"type": "message_stop"}]


def _gemini(plan: Plan) -> list[Any]:
    def event(parts: list[Any], finish: str | None = None) -> Any:
        ended = {"finishReason": finish} if finish else {}
        prompt, completion = plan.usage or (3, 2)
        usage = {"promptTokenCount": prompt, "candidatesTokenCount": completion}
        other = {"index": 1, "content": {"parts": [{"text": "other"}]}}
        return {
            "candidates": [other, {"content": {"parts": parts}, **ended}],
            "usageMetadata": usage,
        }

    parts: list[Any] = [{"text": piece} for piece in plan.pieces]
    parts += [{"functionCall": {"name": call.name, "args": {"q": "tea"}}} for call in plan.calls]
    reason = {"stop": "STOP", "length": "MAX_TOKENS"}.get(plan.end, plan.end.upper())
    return [event([]), *[event([part]) for part in parts], event([], reason)]


def _bedrock(plan: Plan) -> list[Any]:
    def block(place: int, start: Any, deltas: list[Any]) -> list[Any]:
        index = {"index": place, "zero": 0, "none": place}[plan.numbering]
        begun = {"contentBlockStart": {"contentBlockIndex": index, "start": start}}
        return [
            *([begun] if start else []),
            *[{"contentBlockDelta": {"contentBlockIndex": index, "delta": d}} for d in deltas],
            {"contentBlockStop": {"contentBlockIndex": index}},
        ]

    events: list[Any] = [{"messageStart": {"role": "assistant"}}]
    events += block(0, None, [{"text": piece} for piece in plan.pieces])
    for place, call in enumerate(plan.calls, 1):
        start = {"toolUse": {"toolUseId": call.id, "name": call.name}}
        events += block(place, start, [{"toolUse": {"input": piece}} for piece in call.pieces])
    reason = {"stop": "end_turn", "length": "max_tokens"}.get(plan.end, plan.end)
    usage = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}
    return [
        *events,
        {"messageStop": {"stopReason": reason}},
        {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}},
    ]


EVENTS = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
}
