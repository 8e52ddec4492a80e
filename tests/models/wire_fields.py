"""What test_wire_fields.py tries with every wire: requests with one thing each, and answers of the
providers' cases that lack one field each, or have nothing or the wrong kind of value in it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from support.wire_cases import CASES, message_of, read_case

from lve.errors import LveError
from lve.extensions.anthropic.plugin import AnthropicWire
from lve.extensions.bedrock.plugin import BedrockWire
from lve.extensions.gemini.plugin import GeminiWire
from lve.extensions.responses.api import ResponsesWire
from lve.extensions.text_completions.api import RatingWire, TextWire
from lve.messages import Completion, Message, Tool
from lve.models.chat_model import ChatRequest
from lve.models.http.adjustments import Adjustments
from lve.models.http.events import EventReader
from lve.models.http.wire import Wire
from lve.models.openai.apis import ChatWire

FIELDS = CASES / "fields"
WIRES: dict[str, Wire] = {
    "openai": ChatWire("gpt-x"),
    "responses": ResponsesWire("gpt-x"),
    "text": TextWire("gpt-x", "Once", is_rated=False),
    "rated_text": TextWire("gpt-x", "Once a\u65e5", is_rated=True),
    "rated_chat": RatingWire("gpt-x"),
    "anthropic": AnthropicWire("claude-x"),
    "gemini": GeminiWire("gemini-x"),
    "bedrock": BedrockWire("amazon.nova-x"),
}
TOOL = Tool("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
HELLO = {"content": "Hello."}
CALL = {"role": "assistant", "tool_calls": [["c1", "look", '{"at": "x"}']]}
RESULT = {"role": "tool", "content": "seen", "tool_call_id": "c1"}
PIXEL = "data:image/png;base64,iVBORw0KGgo="
SCHEMA = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}
CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    "a question": [HELLO],
    "a system message": [{"role": "system", "content": "Be brief."}, HELLO],
    "two system messages": [{"role": "system", "content": text} for text in "ab"] + [HELLO],
    "a system message between": [HELLO, {"role": "system", "content": "Be brief."}, HELLO],
    "an answer before": [HELLO, {"role": "assistant", "content": "Hi."}, HELLO],
    "two questions": [HELLO, HELLO],
    "an empty text": [{"content": ""}],
    "an image": [{"content": "See.", "image_url": PIXEL}],
    "an image alone": [{"image_url": PIXEL}],
    "an address of an image": [{"content": "See.", "image_url": "https://example.org/a.png"}],
    "a part": [{"content": [{"type": "text", "text": "Hello."}]}],
    "parts": [{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
    "an image as a part": [{"content": [{"type": "image_url", "image_url": {"url": PIXEL}}]}],
    "a document": [{"content": [{"type": "file", "file": {
        "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}}]}],
    "a sound": [{"content": [{"type": "input_audio", "input_audio": {
        "data": "UklGRg==", "format": "wav"}}]}],
    "an unknown part": [{"content": [{"type": "smell"}]}],
    "a call and its result": [HELLO, CALL, RESULT],
    "a text and a call": [HELLO, {**CALL, "content": "I look."}, RESULT],
    "two calls": [HELLO, {"role": "assistant", "tool_calls": [
        ["c1", "look", "{}"], ["c2", "look", '{"at": "y"}']]},
        RESULT, {**RESULT, "tool_call_id": "c2", "content": "seen too"}],
    "a call without arguments": [HELLO, {"role": "assistant", "tool_calls": [
        ["c1", "look", ""]]}, RESULT],
    "arguments that are no object": [HELLO, {"role": "assistant", "tool_calls": [
        ["c1", "look", "[1"]]}, RESULT],
    "a result and a question": [HELLO, CALL, RESULT, HELLO],
    "an empty result": [HELLO, CALL, {**RESULT, "content": ""}],
    "a state of another provider": [HELLO, {
        "role": "assistant", "content": "Hi.", "provider_state": {"api": "other", "x": 1}}, HELLO],
}  # fmt: skip
ARGS: dict[str, list[Any]] = {
    "temperature": [0.0, 0.7], "top_p": [0.5], "top_k": [3], "max_tokens": [7],
    "max_completion_tokens": [8], "stop": ["END", ["a", "b"]], "seed": [5], "n": [2],
    "presence_penalty": [0.1], "frequency_penalty": [0.2], "logit_bias": [{"5": 1}],
    "logprobs": [True], "top_logprobs": [2], "user": ["me"], "verbosity": ["low"],
    "reasoning_effort": ["none", "minimal", "low", "high"], "parallel_tool_calls": [True, False],
    "response_format": [{"type": "text"}, {"type": "json_object"}, SCHEMA, "json"],
    "tool_choice": ["auto", "none", "required", "one",
                    {"type": "function", "function": {"name": "look"}}, {"type": "any"}],
    "thinking": [{"type": "disabled"}, {"type": "enabled", "budget_tokens": 9}],
    "service_tier": ["flex"], "model": ["other"], "messages": [[]], "stream": [True],
    "tools": [[]], "system": ["x"], "prompt": ["x"], "input": ["x"], "store": [True],
}  # fmt: skip
PAIRS: list[dict[str, Any]] = [
    {"reasoning_effort": "low", "max_tokens": 7},
    {"reasoning_effort": "low", "temperature": 0.5},
    {"reasoning_effort": "low", "response_format": SCHEMA},
    {"tool_choice": "required", "parallel_tool_calls": False},
    {"parallel_tool_calls": False, "tool_choice": "none"},
    {"logprobs": True, "top_logprobs": 2},
    {"response_format": SCHEMA, "verbosity": "low"},
    {"thinking": {"type": "enabled", "budget_tokens": 9}, "temperature": 0.5},
]


def requests() -> Iterator[tuple[str, ChatRequest]]:
    """Yield requests, each with one thing that a wire may translate, and its name."""
    hello = (Message("Hello."),)
    for name, messages in CONVERSATIONS.items():
        calls = any("tool_calls" in message for message in messages)
        tools = (TOOL,) if calls else ()
        yield name, ChatRequest(tuple(map(message_of, messages)), tools=tools)
    several = {"a bare": (Tool("look"),), "a": (TOOL,), "a second": (TOOL, Tool("go", "Goes."))}
    for name, offered in several.items():
        yield f"{name} tool", ChatRequest(hello, tools=offered)
    for name, values in ARGS.items():
        for value in values:
            for tools in ((), (TOOL,)) if "tool" in name else ((),):
                label = f"{name}={json.dumps(value)}" + (" with a tool" if tools else "")
                yield label, ChatRequest(hello, {name: value}, tools=tools)
    for pair in PAIRS:
        yield json.dumps(pair), ChatRequest(hello, pair, tools=(TOOL,))
    yield "streamed", ChatRequest(hello, stream=True)
    yield (
        "by default",
        ChatRequest(hello, {"temperature": 0.0}, by_default=frozenset(["temperature"])),
    )
    default = {"temperature": 0.0, "reasoning_effort": "high"}
    yield (
        "by default, reasoning",
        ChatRequest(hello, default, by_default=frozenset(["temperature"])),
    )


def written(wire: Wire, request: ChatRequest) -> Any:
    """Return what a wire sends: path, body and what it leaves out; or the error."""
    try:
        result = wire.for_request(request).write(request, Adjustments("m", wire.renames))
    except LveError as error:
        return told(error)
    body = json.loads(json.dumps(result.body))
    return {"path": result.path, "body": body, "left_out": sorted(result.left_out)}


def told(error: LveError) -> str:
    """Return an error with its kind."""
    return f"{type(error).__name__} {getattr(error, 'kind', '')}: {error}"


def answers(provider: str) -> Iterator[tuple[str, list[Any], bool]]:
    """Yield each answer of a provider's cases: its name, its events, and whether it is streamed.
    One that isn't has its body alone."""
    own: Path = FIELDS / f"{provider}.answers.json"
    if own.exists():
        for name, answer in json.loads(own.read_text(encoding="utf-8")).items():
            yield name, answer if isinstance(answer, list) else [answer], isinstance(answer, list)
    for path in sorted((CASES / provider).glob("*.json")):
        for answer in read_case(path).get("answers", ())[-1:]:
            if "events" in answer:
                yield path.stem, answer["events"], True
            elif answer.get("status", 200) == 200 and isinstance(answer.get("body"), dict):
                yield path.stem, [answer["body"]], False


def read(wire: Wire, events: list[Any], *, streamed: bool) -> Any:
    """Return the fields of the completion in an answer; the error if there is one."""
    try:
        if not streamed:
            body = json.dumps(events[0]).encode()
            return fields_of(wire.parse(body, latency_s=1.0, secret=None))
        heard: list[str] = []
        reader = EventReader(wire.accumulator, wire.parse, heard.append)
        reader.feed("".join(f"data: {json.dumps(event)}\n\n" for event in events).encode())
        fields = fields_of(reader.completion(latency_s=1.0))
    except LveError as error:
        return told(error)
    has_begun = fields.pop("first_token_s", None) is not None
    return {**fields, "heard": "".join(heard), "begun": has_begun}


def fields_of(completion: Completion) -> dict[str, Any]:
    """Return the fields of a completion that aren't empty, as JSON."""
    fields: dict[str, Any] = json.loads(json.dumps(asdict(completion)))
    return {name: value for name, value in fields.items() if value not in (None, [], False)}


def spoiled(events: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield an answer with one place changed each: left out, null, of another kind."""
    for place in places(events):
        is_event = len(place) == 1  # always an object, whoever reads it
        for change in ("absent",) if is_event else ("absent", "null", "other", "empty"):
            changed = copy.deepcopy(events)
            holder: Any = changed
            for step in place[:-1]:
                holder = holder[step]
            value = holder[place[-1]]
            if change == "absent":
                del holder[place[-1]]
            elif change == "null":
                holder[place[-1]] = None
            elif change == "other":
                holder[place[-1]] = 7 if isinstance(value, str) else "x"
            elif isinstance(value, str | list | dict):
                holder[place[-1]] = type(value)()
            else:
                continue
            yield f"{'/'.join(map(str, place))} {change}", changed


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each value inside a value."""
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, inner in items:
        yield (*before, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*before, key))


def sent_by(provider: str) -> dict[str, Any]:
    """Return what a provider's wire sends for each request."""
    return {name: written(WIRES[provider], request) for name, request in requests()}


def read_by(provider: str) -> dict[str, Any]:
    """Return what a provider's wire reads: of each answer, and where one with a place changed says
    something else, what that is: fields that differ (null: it lacks one), or the error."""
    result: dict[str, Any] = {}
    for name, events, streamed in answers(provider):
        whole = read(WIRES[provider], events, streamed=streamed)
        result[name] = {"": whole}
        for label, changed in spoiled(events):
            if not changed:
                continue
            got = read(WIRES[provider], changed, streamed=streamed)
            if got != whole:
                result[name][label] = difference(whole, got)
    return result


def difference(before: Any, now: Any) -> Any:
    """Return the fields of `now` that differ from those before; an error as it is."""
    if isinstance(before, str) or isinstance(now, str):
        return now
    names = dict.fromkeys([*before, *now])
    return {name: now.get(name) for name in names if now.get(name) != before.get(name)}
