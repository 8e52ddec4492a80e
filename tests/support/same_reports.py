"""What reports say of a session, but for its times and its name: to be the same to the byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.command_line import lve

_OF_THE_MOMENT = frozenset(
    (
        "session",
        "id",
        "started",
        "ended",
        "resumed",
        "seconds",
        "latency_s",
        "first_token_s",
        "folder",
        "options",  # of a single run, and of shards
        "asked_at",
        "time",
    )
)


def timeless_report(session: str, session_dir: Path) -> str:
    """Return the JSON report of a session, without what is another's at another moment.

    Args:
        session: its ID.
        session_dir: where it is.
    """
    place = session_dir / f"{session}.json"
    lve("report", session, "-o", place, "--session-dir", session_dir)
    report = json.loads(place.read_text(encoding="utf-8"))
    return json.dumps(_without(report), indent=1)


def _without(value: Any) -> Any:
    if isinstance(value, list):
        return [_without(one) for one in value]
    if isinstance(value, dict):
        return {key: _without(one) for key, one in value.items() if key not in _OF_THE_MOMENT}
    return value
