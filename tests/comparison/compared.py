"""Sessions to compare."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from support.recorded import session_folder
from support.results import make_result

from lve.comparison.compare import compare
from lve.comparison.compared import Comparison
from lve.comparison.session_side import SessionSide
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.settings.settings import ComparisonSettings


def write_session(
    state: Path, results: Iterable[InstanceResult], *, day: int = 1, **info: Any
) -> SessionFolder:
    """Write a session that is complete.

    Args:
        state: folder of sessions.
        results: its results, in this order.
        day: of November, on which it began; makes it earlier or later than others.
        info: further fields of its `session.json`.
    """
    listed = list(results)
    models = list(dict.fromkeys(result.model for result in listed))
    began = datetime(2026, 11, day, 12, tzinfo=UTC)
    return session_folder(state, listed, began=began, **{"models": models, **info})


def verdicts(letters: str, test: str = "t", **fields: Any) -> list[InstanceResult]:
    """Return results of one instance each: P passed, F failed, E error.

    Args:
        letters: of the instances, in order; those of repeats of one stand together, without a
            blank between them: `PF PP` has two instances with two repeats.
        test: of all of them.
        fields: of all of them.
    """
    words = {"P": "passed", "F": "failed", "E": "error"}
    groups = letters.split() if " " in letters else letters
    return [
        make_result(
            test=test,
            line=number,
            repeat=repeat,
            verdict=words[letter],
            **{"args": {"number": number}, **fields},
        )
        for number, group in enumerate(groups, 1)
        for repeat, letter in enumerate(group)
    ]


def compared(
    state: Path,
    before: Iterable[InstanceResult],
    now: Iterable[InstanceResult],
    *,
    models: tuple[str, str] | None = None,
    **settings: Any,
) -> Comparison:
    """Write two sessions and compare them, with these settings."""
    sides = [
        SessionSide(write_session(state, results, day=day), warn=print)
        for day, results in enumerate((before, now), 1)
    ]
    return compare(*sides, models=models, settings=ComparisonSettings(**settings))
