"""Converts results to and from JSON: the lines of `results.jsonl` (schemas/result.schema.json)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from math import inf, isfinite
from typing import get_args

from lve.checkers.contract import Outcome
from lve.documents.json_lines import (
    canonical_json,
    fast_json_line,
    fast_written_value,
    is_plain_json,
    json_line,
)
from lve.documents.position_types import MAX_NESTING
from lve.execution.completions import (
    completion_from_json,
    completion_to_json,
    in_microseconds,
    tool_calls_from_json,
    tool_calls_to_json,
)
from lve.late import LatePattern
from lve.messages import Message, Part, Role, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.checker_answers import answers_from_json, answers_to_json
from lve.sessions.journal.result_info import MessageInfo, ResultInfo, TranscriptInfo, UsageInfo

VERSION = 1
MAX_DATA_URL = 1024
"""Longer `data:` URLs are replaced by their hash: images would make journals huge."""

_IDENTITY = ("test", "model", "source", "line", "repeat")
_TEXT = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_WRITTEN_IDENTITY = LatePattern(
    rb'\{"version":\d+,("test":%b,"model":%b,"source":%b,"line":\d+,"repeat":\d+),' % ((_TEXT,) * 3)
)
"""The beginning of a line from `result_line`. Matching it is much faster than parsing the line."""
_WITHOUT_FLOATS = frozenset({str, int, bool, type(None)})
_OUTCOMES = get_args(Outcome)
_TEXTS = frozenset({str})
_TEXT_OR_NONE = (str, type(None))
_ROLES = {role.value: role for role in Role}


def result_to_json(result: InstanceResult) -> ResultInfo:
    """Return a result as JSON values. Written by hand because it runs once per instance."""
    fields: ResultInfo = {
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
        "usage": _usage_to_json(result.usage),
        "cost": result.cost,
        "latency_s": in_microseconds(result.latency_s),
        "cached": result.cached,
        "error_kind": result.error_kind,
        "score": result.score,
        "transcripts": [transcript_to_json(transcript) for transcript in result.transcripts],
    }
    if result.judged_by is not None:
        fields["redacted"] = {"judged_by": result.judged_by}
    if result.asked:
        fields["asked"] = answers_to_json(result.asked)
    if result.advisory:
        fields["advisory"] = True
    if result.labels is not None:
        fields["labels"] = result.labels
    if result.parts:
        fields["parts"] = result.parts
    if result.sent:
        fields["sent"] = result.sent
    if result.unbound:
        fields["unbound"] = True
    if result.answered_by is not None:
        fields["answered_by"] = result.answered_by
    if result.cause is not None:
        fields["cause"] = result.cause
    if result.variant is not None:
        fields["variant"] = result.variant
    return fields


def _usage_to_json(usage: Usage) -> UsageInfo:
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    fields: UsageInfo = {"prompt_tokens": prompt, "completion_tokens": completion}
    if usage.cached_tokens:
        fields["cached_tokens"] = usage.cached_tokens
    if usage.reasoning_tokens:
        fields["reasoning_tokens"] = usage.reasoning_tokens
    return fields


def result_line(result: InstanceResult, *, is_plain: bool = False) -> str:
    """Return a result as one line of JSON, ASCII only, without a line end. It may have secrets.
    `is_plain` says that it `is_surely_readable`."""
    write = fast_json_line if is_plain else line_writer(result)
    return write(result_to_json(result))


def line_writer(result: InstanceResult) -> Callable[[object], str]:
    """Return what writes the JSON of a result."""
    return fast_json_line if has_only_finite_floats(result) else json_line


def is_surely_readable(result: InstanceResult) -> bool:
    """Whether the line of a result surely fits the schema, unless it is redacted."""
    cost, score, counts = result.cost, result.score, result.usage
    return (
        result.verdict in _OUTCOMES
        and type(result.reason) is str
        and (score is None or (type(score) is float and isfinite(score)))
        and type(result.cached) is bool
        and type(result.error_kind) in _TEXT_OR_NONE
        and (cost is None or (type(cost) is float and 0 <= cost < inf))
        and type(result.latency_s) is float
        and 0 <= result.latency_s < inf
        and type(counts.prompt_tokens) is int
        and type(counts.completion_tokens) is int
        and _TEXTS.issuperset(map(type, result.responses))
        and not result.asked
        and _has_plain_values(result)
    )


def identity_of_line(line: bytes) -> bytes:
    """Return the part of a line that identifies its result: the same for all lines about one
    instance and repeat, in any order of fields; a line without a result unchanged."""
    if (written := _WRITTEN_IDENTITY.match(line)) is not None:
        return bytes(written[1])
    try:
        data = fast_written_value(line.removesuffix(b"\n"))
        identity = {name: data[name] for name in _IDENTITY}
    except (ValueError, KeyError, TypeError, IndexError):
        return line
    return fast_json_line(identity)[1:-1].encode("ascii")


def args_of_line(line: bytes) -> str:
    """Return the args in a line as JSON text that is the same for equal args; `{}` without args."""
    try:
        return canonical_json(fast_written_value(line.removesuffix(b"\n"))["args"])
    except (ValueError, KeyError, TypeError, IndexError):
        return "{}"


def has_only_finite_floats(result: InstanceResult) -> bool:
    """Whether a result certainly has no NaN or infinity from a data set, a server or a checker, as
    nearly all: args are texts and numbers, and messages are texts."""
    score = result.score
    is_plain = score is None or (isinstance(score, float) and isfinite(score))
    return is_plain and _has_plain_values(result)


def _has_plain_values(result: InstanceResult) -> bool:
    """Whether args and answers surely have only values that JSON has."""
    kinds = map(type, result.args.values())
    if not (_WITHOUT_FLOATS.issuperset(kinds) or is_plain_json(result.args, MAX_NESTING)):
        return False
    for transcript in result.transcripts:
        for message in transcript.messages:
            if type(message.content) not in _WITHOUT_FLOATS:
                return False
        for completion in transcript.completions:
            if completion.logprobs is not None:
                return False
    return True


def result_from_json(data: ResultInfo) -> InstanceResult:
    """Return the result that `result_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: `data` isn't a result.
    """
    return InstanceResult(
        test=data["test"],
        model=data["model"],
        source=data["source"],
        line=_whole(data["line"]),
        repeat=_whole(data["repeat"]),
        args=data["args"],
        verdict=data["verdict"],
        reason=data["reason"],
        recorded=data["recorded"],
        responses=tuple(data["responses"]),
        transcripts=tuple(_transcript_from_json(t) for t in data["transcripts"]),
        usage=Usage(**{name: _whole(count) for name, count in data["usage"].items()}),
        cost=data["cost"],
        latency_s=data["latency_s"],
        cached=data["cached"],
        error_kind=data["error_kind"],
        score=data["score"],
        judged_by=data["redacted"]["judged_by"] if "redacted" in data else None,
        asked=answers_from_json(data["asked"]) if "asked" in data else (),
        advisory=data.get("advisory", False),
        labels=(data["labels"][0], data["labels"][1]) if "labels" in data else None,
        parts={n: (*map(float, each),) for n, each in data.get("parts", {}).items()} or None,
        sent=tuple(data.get("sent", ())),
        unbound=data.get("unbound", False),
        answered_by=data.get("answered_by"),
        cause=data.get("cause"),
        variant=data.get("variant"),
    )


def _whole(value: object) -> int:
    if type(value) is not int:  # JSON Schema's 2.0 is an integer, but lve can't count with it
        raise TypeError("not a whole number")
    return value


def transcript_to_json(transcript: Transcript) -> TranscriptInfo:
    fields: TranscriptInfo = {
        "messages": [_message_to_json(message) for message in transcript.messages],
        "filled": transcript.filled,
        "completions": [
            # Text and tool calls are in the filled message.
            completion_to_json(completion) | {"cached": completion.cached}
            for completion in transcript.completions
        ],
    }
    if transcript.name is not None:
        fields["name"] = transcript.name
    return fields


def _message_to_json(message: Message) -> MessageInfo:
    content = message.content
    if content is not None and not isinstance(content, str):
        content = [_without_data(part) for part in content]
    fields: MessageInfo = {"role": message.role._value_, "content": content}
    if message.variable is not None:
        fields["variable"] = message.variable
    if message.image_url is not None:
        fields["image_url"] = _short_url(message.image_url)
    if message.tool_calls:
        fields["tool_calls"] = tool_calls_to_json(message.tool_calls)
    if message.tool_call_id is not None:
        fields["tool_call_id"] = message.tool_call_id
    return fields


def _transcript_from_json(data: TranscriptInfo) -> Transcript:
    messages = [  # Without generators and keywords, because it runs for every result.
        Message(m["content"], _ROLES[m["role"]], m.get("variable"), m.get("image_url"))
        if "tool_calls" not in m and "tool_call_id" not in m
        else _message_of_tools(m)
        for m in data["messages"]
    ]
    filled, completions = tuple(data["filled"]), data["completions"]
    texts = [text if isinstance(text := messages[n].content, str) else "" for n in filled]
    texts += [""] * (len(completions) - len(texts))
    read = [
        completion_from_json(completion, text, cached=completion["cached"])
        for completion, text in zip(completions, texts, strict=False)
    ]
    for completion, index in zip(read, filled, strict=False):
        completion.tool_calls = messages[index].tool_calls
    return Transcript(tuple(messages), tuple(read), data.get("name"), filled)


def _message_of_tools(m: MessageInfo) -> Message:
    calls = tool_calls_from_json(m.get("tool_calls", ()))
    role, content, named = _ROLES[m["role"]], m["content"], m.get("variable")
    return Message(content, role, named, m.get("image_url"), calls, m.get("tool_call_id"))


def _without_data(part: Part) -> Part:
    """Return a part with its file's content, in any of OpenAI's shapes, replaced by a hash."""
    held = part.get(kind := str(part.get("type")))
    if isinstance(held, str):
        return {**part, kind: _short_url(held)}
    if not isinstance(held, Mapping):
        return part
    short = {
        name: _short_url(held[name])
        for name in ("url", "file_data")
        if isinstance(held.get(name), str)
    }
    if isinstance(sound := held.get("data"), str):
        short["data"] = _short_url(f"data:,{sound}")
    return {**part, kind: {**held, **short}}


def _short_url(url: str) -> str:
    if not url.startswith("data:") or len(url) <= MAX_DATA_URL:
        return url
    digest = sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{url[:64].partition(',')[0]},sha256={digest};characters={len(url)}"
