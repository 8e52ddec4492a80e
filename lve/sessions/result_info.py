"""A line of a session's `results.jsonl` (schemas/result.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from lve.checkers.contract import Outcome
from lve.messages import Part
from lve.named_tuples import TypedDict


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
    sent: NotRequired[Sequence[str]]
    unbound: NotRequired[bool]
    answered_by: NotRequired[str]
    cause: NotRequired[str]
    variant: NotRequired[str]
