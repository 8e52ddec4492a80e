"""A line of a session's `results.jsonl` (schemas/result.schema.json): its fields, and
the line of an ordinary result, which is put together from its texts: that takes less time than to
make all values first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from math import inf, isfinite
from typing import Any, Literal, NotRequired

import orjson

from lve.checkers.contract import Outcome
from lve.documents.json_lines import fast_json_line
from lve.messages import Part, Transcript
from lve.named_tuples import TypedDict
from lve.sessions.instance_result import InstanceResult

_VERDICTS = ("passed", "failed")
_RARE, _RARER = (None, None, (), False, None), ((), False, None, None, None)
"""What an ordinary result has where few results have something."""
_ARGS = frozenset({str, int, bool, type(None)})
_TEXT_OR_NONE = (str, type(None))


class UsageInfo(TypedDict):
    """Tokens of all completions of a result."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: NotRequired[int]
    reasoning_tokens: NotRequired[int]


class MessageInfo(TypedDict):
    """A message of a transcript, with the answer in it."""

    role: str
    content: str | Sequence[Part] | None
    variable: NotRequired[str]
    image_url: NotRequired[str]
    tool_calls: NotRequired[Sequence[Mapping[str, str]]]
    tool_call_id: NotRequired[str]


class TranscriptInfo(TypedDict):
    """A run of a prompt."""

    messages: Sequence[MessageInfo]
    filled: Sequence[int]
    completions: Sequence[Mapping[str, Any]]
    """See `lve.execution.completions.completion_from_json`."""
    name: NotRequired[str]


class ResultInfo(TypedDict):
    """A result. What is absent is false, empty or unknown."""

    version: int
    test: str
    model: str
    source: str
    line: int
    repeat: int
    verdict: Outcome
    recorded: Literal["passed", "failed"] | None
    reason: str
    args: Mapping[str, Any]
    responses: Sequence[str | Mapping[str, str]]
    usage: UsageInfo
    cost: float | None
    latency_s: float
    cached: bool
    error_kind: str | None
    score: float | None
    transcripts: Sequence[TranscriptInfo]
    redacted: NotRequired[Mapping[str, str]]
    """`judged_by`, if the answers can't be judged again."""
    asked: NotRequired[Sequence[Mapping[str, Any]]]
    """See `lve.sessions.checker_answers.answers_from_json`."""
    advisory: NotRequired[bool]
    labels: NotRequired[Sequence[str]]
    """The right label and the chosen one."""
    parts: NotRequired[Mapping[str, Sequence[float]]]
    sent: NotRequired[Sequence[str]]
    unbound: NotRequired[bool]
    answered_by: NotRequired[str]
    cause: NotRequired[str]
    variant: NotRequired[str]


def ordinary_line(result: InstanceResult) -> str | None:
    """Return the line that `result_line` returns, if the result surely comes back from it
    (`is_surely_readable`); None for a result that isn't ordinary."""
    verdict, reason, args = result.verdict, result.reason, result.args
    cost, score = result.cost, result.score
    if (
        len(result.transcripts) != 1
        or len(result.responses) != 1
        or verdict not in _VERDICTS
        or (result.error_kind, result.judged_by, result.asked, result.advisory, result.labels)
        != _RARE
        or result.parts is not None
        or (result.sent, result.unbound, result.answered_by, result.cause, result.variant) != _RARER
        or not (score is None or (type(score) is float and isfinite(score)))
        or not (cost is None or (type(cost) is float and 0 <= cost < inf))
        or type(reason) is not str
        or type(args) is not dict
        or not _ARGS.issuperset(map(type, args.values()))
        or type(answer := result.responses[0]) is not str
        or (end := _end(result, result.transcripts[0], said := quoted(answer))) is None
    ):
        return None
    recorded = "null" if result.recorded is None else f'"{result.recorded}"'
    return (
        f"{_start(result.test, result.model, result.source)}{result.line},"
        f'"repeat":{result.repeat},"verdict":"{verdict}","recorded":{recorded},'
        f'"reason":{quoted(reason)},'
        f'"args":{fast_json_line(args)},"responses":[{said}],{end}'
    )


@lru_cache(maxsize=256)
def _start(test: str, model: str, source: str) -> str:
    """Return the beginning of a line, which many lines have."""
    names = f'"test":{quoted(test)},"model":{quoted(model)},"source":{quoted(source)}'
    return f'{{"version":1,{names},"line":'


@lru_cache(maxsize=256)
def _message(role: str, variable: str | None) -> tuple[str, str]:
    """Return what stands before and after the text of a message."""
    named = "" if variable is None else f',"variable":{quoted(variable)}'
    return f'{{"role":"{role}","content":', f"{named}}}"


@lru_cache(maxsize=256)
def _completion(finish_reason: str | None, model: str | None, cached: bool) -> tuple[str, str]:
    """Return what stands before the numbers of a completion, and after them."""
    reason, name = ("null" if text is None else quoted(text) for text in (finish_reason, model))
    was_cached = "true" if cached else "false"
    end = f',"model":{name},"cached":{was_cached}}}]}}]}}'
    return f'],"completions":[{{"finish_reason":{reason},"usage":[', end


def _end(result: InstanceResult, transcript: Transcript, said: str) -> str | None:
    """Return the end of the line, from `usage` on; None if the transcript isn't ordinary. `said` is
    the answer as JSON."""
    if len(transcript.completions) != 1 or len(transcript.filled) != 1:
        return None
    usage, seconds, cached = result.usage, result.latency_s, result.cached
    reads, writes = usage.prompt_tokens, usage.completion_tokens
    completion = transcript.completions[0]
    finish_reason, model = completion.finish_reason, completion.model
    if (
        completion.usage is not usage
        or not type(reads) is type(writes) is int
        or usage.cached_tokens
        or usage.reasoning_tokens
        or completion.latency_s is not seconds
        or type(seconds) is not float
        or not 0 <= seconds < inf
        or type(cached) is not bool
        or completion.cached is not cached
        or type(finish_reason) not in _TEXT_OR_NONE
        or type(model) not in _TEXT_OR_NONE
        or completion.first_token_s is not None
        or completion.logprobs is not None
        or completion.left_out
        or completion.reasoning is not None
        or completion.contexts
        or completion.metadata is not None
        or completion.cost is not None
        or transcript.name is not None
    ):
        return None
    turns = []
    for message in transcript.messages:
        content, variable = message.content, message.variable
        if (
            type(content) is not str
            or message.image_url is not None
            or message.tool_calls
            or message.tool_call_id is not None
        ):
            return None
        before, after = _message(message.role._value_, variable)
        text = said if content is result.responses[0] else quoted(content)
        turns.append(f"{before}{text}{after}")
    took = orjson.dumps(round(seconds, 6)).decode()
    begin, end = _completion(finish_reason, model, cached)
    return (
        f'"usage":{{"prompt_tokens":{reads},"completion_tokens":{writes}}},'
        f'"cost":{_number(result.cost)},"latency_s":{took},'
        f'"cached":{"true" if cached else "false"},'
        f'"error_kind":null,"score":{_number(result.score)},'
        f'"transcripts":[{{"messages":[{",".join(turns)}],"filled":[{transcript.filled[0]}'
        f'{begin}{reads},{writes}],"latency_s":{took}{end}'
    )


def _number(value: float | None) -> str:
    return "null" if value is None else orjson.dumps(value).decode()
