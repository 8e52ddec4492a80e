"""Encodes what is exchanged with the processes in which checkers judge, as lines of JSON."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Mapping
from typing import Any

from lve.checkers.contract import CheckContext, Verdict
from lve.errors import CheckerError

OUTCOMES = ("passed", "failed", "error", "inconclusive")


def packed(value: object) -> str:
    """Return a value encoded for a process. JSON would change some values: dates, tuples.

    Raises:
        CheckerError: it can't be sent.
    """
    try:
        return base64.b64encode(pickle.dumps(value)).decode("ascii")
    except Exception as error:  # whatever a value that was made in Python raises when it is sent
        message = f"a value can't be sent to a process: {type(error).__name__}: {error}"
        raise CheckerError(message, code="checker_process") from error


def unpacked(text: str) -> Any:
    """Return the value that `packed` encoded. Only for what lve sends to a process, never for what
    comes back: that is JSON."""
    return pickle.loads(base64.b64decode(text))


def context_to_json(context: CheckContext) -> dict[str, Any]:
    """Return a context as JSON values: a custom checker sees nothing else."""
    return {
        "transcripts": packed(context.transcripts),
        "parameters": dict(context.parameters),
        "reference": context.reference,
        "args": dict(context.args),
        "parsed": context.parsed,
        "is_parsed": context.is_parsed,
        "cost": context.cost,
        "other_answers": dict(context.other_answers),
    }


def context_from_json(data: Mapping[str, Any]) -> CheckContext:
    """Return the context that `context_to_json` encoded."""
    return CheckContext(**{**data, "transcripts": unpacked(data["transcripts"])})


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON values.

    Raises:
        ValueError: a checker returned something that isn't a verdict.
    """
    outcome, reason, score = verdict.outcome, verdict.reason, verdict.score
    if outcome not in OUTCOMES:
        raise ValueError(f"a verdict is one of {', '.join(OUTCOMES)}, not {outcome!r}")
    return {
        "outcome": outcome,
        "reason": str(reason),
        "score": None if score is None else float(score),
    }


def verdict_from_json(data: object) -> Verdict:
    """Return the verdict that `verdict_to_json` encoded. The process runs foreign code, so
    everything is checked.

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
