"""When attempts are repeated, what requests may cost, and what is kept of completions, each with
one field or limit of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from support.known_secrets import knowing
from support.recorded_calls import Calls, changed, grid, record, rows_of

from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.execution import completions
from lve.execution.attachments import Attachments
from lve.execution.budgets.bounds import answer_bound, bounds_of
from lve.execution.budgets.cost import cost_of, paid, totals
from lve.execution.cache.key import request_key
from lve.execution.request_limits import expected_tokens
from lve.execution.retry import (
    Attempts,
    RetryPolicy,
    first_contact,
    next_delay,
    other_scheme,
    why_no_more,
    with_note,
)
from lve.messages import Completion, Message, Role, Tool, ToolCall, Transcript, Usage
from lve.models.chat_model import ChatRequest
from lve.settings.model_settings import Price

ERRORS = {
    "permanent": PermanentModelError("no", kind="bad_request"),
    "transient": TransientModelError("busy", kind="overloaded"),
    "waits 5 s": TransientModelError("busy", kind="rate_limit", status=429, retry_after_s=5.0),
    "waits 600 s": TransientModelError("busy", kind="rate_limit", retry_after_s=600.0),
}
CALL = ToolCall("c", "f", '{"a": 1}')
MESSAGES = (
    Message("abc"),
    Message("\xe4\u20ac", Role.system),
    Message([{"type": "text", "text": "abcd"}]),
    Message([{"type": "image_url", "image_url": {"url": "http://a"}}]),
    Message([{"type": "image", "image": "a.png", "bytes": 7, "media_type": "image/png"}]),
    Message([{"type": "file", "file": "a.txt", "bytes": 7, "media_type": "text/plain"}]),
    Message("x", image_url="http://a"),
    Message(None, Role.assistant, tool_calls=(CALL, CALL)),
    Message("x", Role.tool, tool_call_id="c"),
    Message("x", provider_state={"a": "b"}),
    Message(None, Role.assistant),
)
ARGS: tuple[dict[str, Any], ...] = (
    {},
    {"max_tokens": 5},
    {"max_completion_tokens": 3, "max_tokens": 9},
    {"max_tokens": "5"},
    {"n": 2},
    {"n": 0},
    {"n": "2"},
    {"seed": 1, "temperature": 0.0},
    {"temperature": 0},
)
USAGES = (Usage(), Usage(10, 5), Usage(1_000_000, 10), Usage(100, 5, 40, 3))
PRICES = (None, Price(1.0, 2.0), Price(1.0, 2.0, cached_input=0.5), Price(request=0.25))
COMPLETIONS = (
    Completion("a", "stop", Usage(3, 4), 0.5, model="m"),
    Completion("", None, None, 0.25),
    Completion("b", "length", Usage(1, 1), 0.0, cached=True),
    Completion("c", "stop", None, 1.0, cost=0.5),
    Completion("d", "tool_calls", Usage(1, 2), 0.5, tool_calls=(CALL,), reasoning="why"),
)
SECRET: dict[str, dict[str, Any]] = {
    "nothing": {},
    "text": {"text": "is s3cr3t-key", "logprobs": [{"token": "s3"}]},
    "model": {"model": "s3cr3t-key"},
    "finish_reason": {"finish_reason": "s3cr3t-key"},
    "reasoning": {"reasoning": "s3cr3t-key", "logprobs": [{"token": "is"}]},
    "tool_calls": {"tool_calls": (ToolCall("c", "f", '{"a": "s3cr3t-key"}'),)},
    "contexts": {"contexts": ("s3cr3t-key",)},
    "provider_state": {"provider_state": {"a": "s3cr3t-key"}},
    "other state": {"provider_state": {"a": "b"}, "contexts": ("s3cr3t-key",)},
    "metadata": {"metadata": {"a": ["s3cr3t-key"]}},
    "logprobs": {"logprobs": [{"token": "s3cr3t-key"}]},
}
STORED: tuple[Mapping[str, Any], ...] = (
    {},
    {"usage": [3, 4]},
    {"usage": [3, 4, 1, 2]},
    {"usage": [3, 4, 4, 2]},
    {"usage": [3, 4, 1, 5]},
    {"usage": [-1, 4]},
    {"usage": [True, 4]},
    {"usage": [3]},
    {"usage": [1, 10**12]},
    {"finish_reason": "stop", "latency_s": 0.5, "model": "m", "reasoning": "r", "cost": 0.5},
    {"latency_s": "x"},
    {"tool_calls": [{"id": "c", "name": "f", "arguments": "{}"}]},
    {"tool_calls": [{"name": "f"}]},
    {"tool_calls": 1},
    {"logprobs": [1], "provider_state": {"a": 1}, "metadata": {"b": 2}, "contexts": ["x"]},
    {"contexts": [1]},
    {"first_token_s": 0.1, "speed": 1},
)


def delay(error: str, count: int, spent: float, random: float, most: int) -> float | None:
    policy = RetryPolicy(most, 0.5, 3.0, 60.0)
    return next_delay(ERRORS[error], Attempts(count, spent), random, policy)


def notes(error: str, count: int, spent: float) -> object:
    failed = ERRORS[error]
    assert isinstance(failed, TransientModelError)
    note = why_no_more(failed, Attempts(count, spent), RetryPolicy(deadline_s=60.0))
    noted: ModelError = with_note(failed, note)
    return note, str(noted), noted.kind, noted.status, getattr(noted, "retry_after_s", None)


def request(index: int, args: int) -> object:
    """Return what is computed of a request with one of the messages and one set of args."""
    asked = ChatRequest((MESSAGES[index],), ARGS[args])
    return bounds_of(asked), expected_tokens(asked)


def key(**fields: Any) -> str:
    return request_key({"model": "m"}, ChatRequest(**{"messages": MESSAGES[:1], **fields}))


def same_key(fields: dict[str, Any]) -> bool:
    """Return whether a request with other fields is the same one for the cache."""
    return key(**fields) == key()


def costs(usage: int, price: int) -> float | None:
    return cost_of(USAGES[usage], PRICES[price])


def of_transcripts(first: int, second: int | None, price: int) -> object:
    parts = [COMPLETIONS[first]] if second is None else [COMPLETIONS[first], COMPLETIONS[second]]
    transcripts = [Transcript(MESSAGES[:1], tuple(parts), (0,))]
    return paid(transcripts, PRICES[price]), totals(transcripts)


def stored(index: int) -> object:
    fields = {**completions.completion_to_json(COMPLETIONS[0]), **STORED[index]}
    completion = completions.completion_from_json(fields, "text", cached=True)
    return completion, completions.completion_to_json(completion)


def without_secrets(field: str) -> object:
    """Return a completion that has a secret in one field, with secrets removed."""
    with knowing("s3cr3t-key"):
        return completions.redacted(replace(COMPLETIONS[0], **SECRET[field]))


def key_of_message(index: int) -> str:
    return request_key({"model": "m"}, ChatRequest((MESSAGES[index],), {}))


def fits(in_flight: int, size: int) -> bool:
    attachments = Attachments(100)
    attachments._in_flight = in_flight
    return attachments._fits(size)


def all_calls() -> Calls:
    changes: tuple[dict[str, Any], ...] = (
        {},
        {"repeat": 1},
        {"stream": True},
        {"timeout_s": 3.0},
        {"recorded": "x"},
        {"prompt": "p", "messages": ()},
        {"score": True},
        {"by_default": frozenset({"a"})},
        {"tools": (Tool("f"),)},
        {"args": {"seed": 1}},
        {"messages": MESSAGES[1:2]},
    )
    prompts = [
        ChatRequest(prompt=text, score=score) for text in ("", "ab\xe4") for score in (False, True)
    ]
    tools = [ChatRequest(MESSAGES[:1], tools=(Tool("f", "what"),)), ChatRequest(MESSAGES[:3])]
    return {
        **grid(delay, ERRORS, (1, 2, 5), (0.0, 50.0, 55.0, 59.5), (0.0, 0.5), (2, 12)),
        **grid(notes, list(ERRORS)[1:], (1, 2), (0.0, 55.0, 54.9)),
        **grid(first_contact, (RetryPolicy(), RetryPolicy(2, deadline_s=3.0))),
        **grid(other_scheme, ("http://a: no", "https://a: no", "a http://b", "")),
        **grid(request, range(len(MESSAGES)), (0, 1)),
        **grid(request, (0,), range(len(ARGS))),
        **grid(bounds_of, [*prompts, *tools]),
        **grid(expected_tokens, [*prompts, *tools]),
        **grid(answer_bound, ARGS),
        **grid(same_key, changes),
        **grid(costs, range(len(USAGES)), range(len(PRICES))),
        **grid(of_transcripts, range(len(COMPLETIONS)), (None, 0, 2), (0, 1)),
        **grid(stored, range(len(STORED))),
        **grid(without_secrets, SECRET),
        **grid(key_of_message, range(len(MESSAGES))),
        **rows_of(fits, [(0, 500), (0, 100), (50, 50), (50, 51), (100, 0), (101, 0)]),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("execution", all_calls()) == {}


if __name__ == "__main__":
    record("execution", all_calls())
