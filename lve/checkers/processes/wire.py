"""What goes between lve and the process of a custom checker, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lve.checkers.contract import CheckContext, Verdict
from lve.messages import Completion, Message, Role, Transcript, Usage

OUTCOMES = ("passed", "failed", "error", "inconclusive")


def context_to_json(context: CheckContext) -> dict[str, Any]:
    """Return a context as an object."""
    return {
        "transcripts": [_transcript_to_json(transcript) for transcript in context.transcripts],
        "parameters": dict(context.parameters),
        "reference": context.reference,
        "args": dict(context.args),
        "parsed": context.parsed,
        "is_parsed": context.is_parsed,
    }


def context_from_json(data: Mapping[str, Any]) -> CheckContext:
    """Return the context that an object stands for."""
    transcripts = tuple(_transcript_from_json(transcript) for transcript in data["transcripts"])
    return CheckContext(**{**data, "transcripts": transcripts})


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as an object.

    Raises:
        ValueError: a checker made a verdict that is none.
    """
    outcome, reason, score = verdict.outcome, verdict.reason, verdict.score
    if outcome not in OUTCOMES:
        raise ValueError(f"a verdict is one of {', '.join(OUTCOMES)}, not {outcome!r}")
    return {
        "outcome": outcome,
        "reason": str(reason),
        "score": None if score is None else float(score),
    }


def verdict_from_json(data: Any) -> Verdict:
    """Return the verdict that an object stands for.

    Raises:
        ValueError: it stands for none. The process runs foreign code, so nothing is taken for
            granted.
    """
    if not isinstance(data, dict) or data.get("outcome") not in OUTCOMES:
        raise ValueError("no verdict")
    reason, score = data.get("reason"), data.get("score")
    if not isinstance(reason, str) or not (score is None or isinstance(score, float)):
        raise ValueError("no verdict")
    return Verdict(data["outcome"], reason, score)


def _transcript_to_json(transcript: Transcript) -> dict[str, Any]:
    return {
        "messages": [message.to_json() for message in transcript.messages],
        "completions": [asdict(completion) for completion in transcript.completions],
        "name": transcript.name,
        "filled": transcript.filled,
    }


def _transcript_from_json(data: Mapping[str, Any]) -> Transcript:
    return Transcript(
        tuple(
            Message(**{**message, "role": Role(message["role"])}) for message in data["messages"]
        ),
        tuple(_completion_from_json(completion) for completion in data["completions"]),
        data["name"],
        tuple(data["filled"]),
    )


def _completion_from_json(data: Mapping[str, Any]) -> Completion:
    usage = data["usage"]
    return Completion(**{**data, "usage": None if usage is None else Usage(**usage)})
