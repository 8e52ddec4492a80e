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
from lve.execution.completions import in_microseconds
from lve.messages import Part, Transcript
from lve.models.chat_model import wrong_with
from lve.named_tuples import TypedDict
from lve.sessions.instance_result import InstanceResult

_VERDICTS = ("passed", "failed")
_RARE = (None, None, (), False, None, None, (), False, None, None, None)
"""What an ordinary result has where few results have something."""
_ARGS = frozenset({str, int, bool, type(None)})
_RECORDED = {None: "null", "passed": '"passed"', "failed": '"failed"'}


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
    """See `lve.sessions.journal.checker_answers.answers_from_json`."""
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
    reason, args, cost, score = result.reason, result.args, result.cost, result.score
    usage, seconds, cached = result.usage, result.latency_s, result.cached
    if (
        len(result.transcripts) != 1
        or len(result.responses) != 1
        or result.verdict not in _VERDICTS
        or (
            result.error_kind, result.judged_by, result.asked, result.advisory, result.labels,
            result.parts, result.sent, result.unbound, result.answered_by, result.cause,
            result.variant,
        ) != _RARE
        or not (score is None or (type(score) is float and isfinite(score)))
        or not (cost is None or (type(cost) is float and 0 <= cost < inf))
        or type(reason) is not str
        or type(args) is not dict
        or not _ARGS.issuperset(map(type, args.values()))
        or type(answer := result.responses[0]) is not str
        or not ((transcript := result.transcripts[0]).is_plain or _is_plain(transcript))
        or (completion := transcript.completions[0]).usage is not usage
        or completion.latency_s is not seconds
        or completion.cached is not cached
    ):  # fmt: skip
        return None
    said, turns = quoted(answer), ""
    content: Any  # a text
    for message in transcript.messages:
        content, variable = message.content, message.variable
        text = said if content is answer else quoted(content)
        named = "" if variable is None else f',"variable":{quoted(variable)}'
        turns += f'{{"role":"{message.role._value_}","content":{text}{named}}},'
    reads, writes = usage.prompt_tokens, usage.completion_tokens
    took = orjson.dumps(in_microseconds(seconds)).decode()
    begin, end = _completion(completion.finish_reason, completion.model, cached)
    return (
        f"{_start(result.test, result.model, result.source)}{result.line},"
        f'"repeat":{result.repeat},"verdict":"{result.verdict}",'
        f'"recorded":{_RECORDED[result.recorded]},"reason":{quoted(reason)},'
        f'"args":{fast_json_line(args)},"responses":[{said}],'
        f'"usage":{{"prompt_tokens":{reads},"completion_tokens":{writes}}},'
        f'"cost":{"null" if cost is None else _number(cost)},"latency_s":{took},'
        f'"cached":{"true" if cached else "false"},"error_kind":null,'
        f'"score":{"null" if score is None else _number(score)},'
        f'"transcripts":[{{"messages":[{turns[:-1]}],"filled":[{transcript.filled[0]}'
        f'{begin}{reads},{writes}],"latency_s":{took}{end}'
    )


@lru_cache(maxsize=256)
def _start(test: str, model: str, source: str) -> str:
    """Return the beginning of a line, which many lines have."""
    names = f'"test":{quoted(test)},"model":{quoted(model)},"source":{quoted(source)}'
    return f'{{"version":1,{names},"line":'


@lru_cache(maxsize=256)
def _completion(finish_reason: str | None, model: str | None, cached: bool) -> tuple[str, str]:
    """Return what stands before the numbers of a completion, and after them."""
    reason, name = ("null" if text is None else quoted(text) for text in (finish_reason, model))
    was_cached = "true" if cached else "false"
    end = f',"model":{name},"cached":{was_cached}}}]}}]}}'
    return f'],"completions":[{{"finish_reason":{reason},"usage":[', end


def _is_plain(transcript: Transcript) -> bool:
    """Whether a transcript is what `Transcript.is_plain` says, if nobody has looked at it yet."""
    if len(transcript.completions) != 1 or len(transcript.filled) != 1:
        return False
    completion: Any = transcript.completions[0]
    return (
        transcript.name is None
        and wrong_with(completion) is None
        and completion.is_plain
        and all(
            type(message.content) is str
            and message.image_url is None
            and not message.tool_calls
            and message.tool_call_id is None
            for message in transcript.messages
        )
    )


def _number(value: float) -> str:
    return orjson.dumps(value).decode()
