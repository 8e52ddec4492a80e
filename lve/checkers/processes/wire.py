"""Encodes requests to the processes in which checkers judge, and their answers, as JSON."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Mapping
from typing import Any

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.valid_verdict import valid_verdict
from lve.errors import CheckerError

_FIELDS = {"outcome", "reason", "score", "code", "labels", "parts"}


def packed(value: object) -> str:
    """Return `value` pickled, in base64. JSON would change some values: dates, tuples.

    Raises:
        CheckerError: the value can't be pickled.
    """
    try:
        return base64.b64encode(pickle.dumps(value)).decode("ascii")
    except Exception as error:  # pickling runs code of the value's class
        message = f"a value can't be sent to a process: {type(error).__name__}: {error}"
        raise CheckerError(message, code="checker_process") from error


def unpacked(text: str) -> Any:
    """Return the value that `packed` encoded. Only for data that lve sends to a process. Data from
    a process is never unpickled."""
    return pickle.loads(base64.b64decode(text))


def context_to_json(context: CheckContext) -> dict[str, object]:
    """Return the parts of a context that custom checkers can see, as JSON values."""
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


def verdict_to_json(verdict: object) -> dict[str, object]:
    """Return a verdict as JSON values.

    Raises:
        ValueError: the verdict, which a checker made, is invalid.
    """
    valid = valid_verdict(verdict)
    return {
        "outcome": valid.outcome,
        "reason": valid.reason,
        "score": valid.score,
        "code": valid.code,
        "labels": valid.labels,
        "parts": valid.parts,
    }


def verdict_from_json(data: object) -> Verdict:
    """Return the verdict that `verdict_to_json` encoded. `data` is untrusted: its process runs
    foreign code.

    Raises:
        ValueError: `data` is no valid verdict.
    """
    if not isinstance(data, dict) or data.keys() != _FIELDS:
        raise ValueError("no verdict")
    if not isinstance(data["reason"], str) or not isinstance(data["score"], float | None):
        raise ValueError("no verdict")
    labels = tuple(data["labels"]) if isinstance(data["labels"], list) else data["labels"]
    written = data["parts"] if isinstance(data["parts"], dict) else {}
    parts = {k: tuple(v) for k, v in written.items() if isinstance(v, list)} or None
    verdict = Verdict(data["outcome"], data["reason"], data["score"], data["code"], labels, parts)
    return valid_verdict(verdict)
