"""Checks what a checker returned before anything is done with it.

A checker is foreign code: custom code, a plugin, or a judging process that answers for it. What it
returns must be writable to the journal and countable in reports.
"""

from __future__ import annotations

from typing import get_args

from lve.checkers.contract import Outcome, Verdict
from lve.errors import CheckerError
from lve.escape import excerpt, head

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
MAX_SCORE = 1_000_000.0
"""The largest score, and the smallest below zero. Means of such scores are finite and exact."""
MAX_REASON = 10_000
"""The most characters of a reason in results."""
MAX_WHOLE_REASON = 100_000
"""The most characters of a reason until secrets are removed from it: then it is cut again. A secret
at this cut isn't recognised, but far behind the other one."""
MAX_CODE = 40
"""The most characters of an error's code."""
MAX_LABEL = 200
"""The most characters of a label."""
MAX_PARTS = 8
"""The most metrics that a result is a part of."""
MAX_NUMBERS = 64
"""The most numbers of a part."""
MAX_PART = 1e12
"""The largest number of a part, and the smallest below zero."""
_SHOWN = 40


def valid_verdict(verdict: object) -> Verdict:
    """Return the verdict of a checker with a text as reason and a finite float as score.

    Raises:
        ValueError: it is no verdict, or its outcome or score is invalid; the message follows
            "gave".
    """
    if (
        type(verdict) is Verdict
        and verdict.outcome in OUTCOMES
        and type(verdict.reason) is str
        and len(verdict.reason) <= MAX_WHOLE_REASON
        and (
            verdict.score is None
            or (type(verdict.score) is float and -MAX_SCORE <= verdict.score <= MAX_SCORE)
        )
        and verdict.code is None
        and (verdict.labels is None or _are_labels(verdict.labels))
        and (verdict.parts is None or _are_parts(verdict.parts))
    ):
        return verdict  # nearly always
    if not isinstance(verdict, Verdict):
        raise ValueError(f"no verdict: {type(verdict).__name__}")
    if verdict.outcome not in OUTCOMES:
        outcome = excerpt(repr(verdict.outcome), _SHOWN)
        raise ValueError(f"the verdict {outcome}, which is none of {', '.join(OUTCOMES)}")
    reason = cut_reason(str(verdict.reason), MAX_WHOLE_REASON)
    labels = verdict.labels if _are_labels(verdict.labels) else None
    score, code = _valid_score(verdict.score), _valid_code(verdict.code)
    parts = verdict.parts if _are_parts(verdict.parts) else None
    return Verdict(verdict.outcome, reason, score, code, labels, parts)


def _are_labels(labels: object) -> bool:
    return (
        type(labels) is tuple
        and len(labels) == 2
        and all(type(label) is str and len(label) <= MAX_LABEL for label in labels)
    )


def _are_parts(parts: object) -> bool:
    return (
        type(parts) is dict
        and len(parts) <= MAX_PARTS
        and all(type(name) is str and len(name) <= MAX_CODE for name in parts)
        and all(type(each) is tuple and len(each) <= MAX_NUMBERS for each in parts.values())
        and all(type(n) is float and abs(n) <= MAX_PART for each in parts.values() for n in each)
    )


def _valid_code(code: object) -> str | None:
    return code if type(code) is str and len(code) <= MAX_CODE and code.isidentifier() else None


def checked_verdict(verdict: object) -> Verdict:
    """Return the same as `valid_verdict`.

    Raises:
        CheckerError: as for `valid_verdict`.
    """
    try:
        return valid_verdict(verdict)
    except ValueError as error:
        raise CheckerError(f"gave {error}", code="checker_code") from error


def cut_reason(reason: str, most: int = MAX_REASON) -> str:
    """Return a reason of at most `most` characters. If it is cut, its end says so."""
    if len(reason) <= most:
        return reason
    note = f"... (cut, of {len(reason):,} characters)"
    return head(reason, most - len(note)) + note


def _valid_score(score: object) -> float | None:
    if score is None:
        return None
    try:
        number = float(score) if hasattr(type(score), "__float__") else None  # type: ignore[arg-type]
    except Exception:  # too large, or the code of its class fails
        number = None
    if number is None or not -MAX_SCORE <= number <= MAX_SCORE:
        raise ValueError(
            f"a score that is no number from -{MAX_SCORE:,.0f} to {MAX_SCORE:,.0f}:"
            f" {_spelled(score)}"
        )
    return number


def _spelled(score: object) -> str:
    try:
        return excerpt(repr(score), _SHOWN)
    except ValueError:  # a whole number of more than 4,300 digits
        return type(score).__name__
