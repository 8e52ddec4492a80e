"""Results as JSON, and back: the lines of `results.jsonl` (schemas/result.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.results.records import InstanceResult

VERSION = 1
MAX_DATA_URL = 1024
"""Longer `data:` URLs are replaced by their hash: an image per line would make journals huge, and
nothing that judges an answer looks at it."""

_ROLES = {role.value: role for role in Role}


def result_to_json(result: InstanceResult) -> dict[str, Any]:
    """Return a result as JSON values. Written by hand: this runs once per instance."""
    usage = result.usage
    return {
        "version": VERSION,
        "test": result.test,
        "model": result.model,
        "source": result.source,
        "line": result.line,
        "repeat": result.repeat,
        "verdict": result.verdict,
        "recorded": result.recorded,
        "reason": result.reason,
        "args": result.args if type(result.args) is dict else dict(result.args),
        "responses": result.responses,
        "usage": {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        },
        "cost": result.cost,
        "latency_s": round(result.latency_s, 6),
        "cached": result.cached,
        "error_kind": result.error_kind,
        "score": result.score,
        "transcripts": [_transcript_to_json(transcript) for transcript in result.transcripts],
    }


def result_from_json(data: Mapping[str, Any]) -> InstanceResult:
    """Return the result that `result_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: it isn't one.
    """
    return InstanceResult(
        test=data["test"],
        model=data["model"],
        source=data["source"],
        line=data["line"],
        repeat=data["repeat"],
        args=data["args"],
        verdict=data["verdict"],
        reason=data["reason"],
        recorded=data["recorded"],
        responses=tuple(data["responses"]),
        transcripts=tuple(_transcript_from_json(t) for t in data["transcripts"]),
        usage=Usage(data["usage"]["prompt_tokens"], data["usage"]["completion_tokens"]),
        cost=data["cost"],
        latency_s=data["latency_s"],
        cached=data["cached"],
        error_kind=data["error_kind"],
        score=data["score"],
    )


def _transcript_to_json(transcript: Transcript) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "messages": [_message_to_json(message) for message in transcript.messages],
        "filled": transcript.filled,
        "completions": [_completion_to_json(completion) for completion in transcript.completions],
    }
    if transcript.name is not None:
        fields["name"] = transcript.name
    return fields


def _message_to_json(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": message.role._value_, "content": message.content}
    if message.variable is not None:
        fields["variable"] = message.variable
    if message.image_url is not None:
        fields["image_url"] = _short_url(message.image_url)
    return fields


def _completion_to_json(completion: Completion) -> dict[str, Any]:
    # The text is the filled message's content.
    usage = completion.usage
    fields: dict[str, Any] = {
        "finish_reason": completion.finish_reason,
        "usage": None if usage is None else [usage.prompt_tokens, usage.completion_tokens],
        "latency_s": round(completion.latency_s, 6),
        "model": completion.model,
        "cached": completion.cached,
    }
    if completion.first_token_s is not None:
        fields["first_token_s"] = round(completion.first_token_s, 6)
    if completion.logprobs is not None:
        fields["logprobs"] = completion.logprobs
    return fields


def _transcript_from_json(data: Mapping[str, Any]) -> Transcript:
    messages = tuple(
        Message(
            content=message["content"],
            role=_ROLES[message["role"]],
            variable=message.get("variable"),
            image_url=message.get("image_url"),
        )
        for message in data["messages"]
    )
    filled = tuple(data["filled"])
    texts = [messages[index].content for index in filled]
    return Transcript(
        messages=messages,
        completions=tuple(
            _completion_from_json(completion, texts[i] if i < len(texts) else "")
            for i, completion in enumerate(data["completions"])
        ),
        name=data.get("name"),
        filled=filled,
    )


def _completion_from_json(data: Mapping[str, Any], text: object) -> Completion:
    usage = data["usage"]
    return Completion(
        text=text if isinstance(text, str) else "",
        finish_reason=data["finish_reason"],
        usage=None if usage is None else Usage(*usage),
        latency_s=data["latency_s"],
        first_token_s=data.get("first_token_s"),
        model=data["model"],
        cached=data["cached"],
        logprobs=data.get("logprobs"),
    )


def _short_url(url: str) -> str:
    if not url.startswith("data:") or len(url) <= MAX_DATA_URL:
        return url
    kind = url[:64].partition(",")[0]
    digest = sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kind},sha256={digest};characters={len(url)}"
