"""Reads from headers how long to wait before a retry: RFC 9110 (Retry-After), OpenAI's "Rate
limits". Pure functions."""

from __future__ import annotations

import time
from collections.abc import Mapping

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def retry_after_s(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds to wait before a retry, None if no header says.

    Args:
        headers: headers with names in lower case.
        now: current Unix time, for a header with a date; None: the server's, as the answer's `Date`
            says, since this machine's clock may be another; without one, the system's.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value) if value else None
    if value and seconds is None:
        seconds = _until(value, headers.get("date", "") if now is None else now)
    return _reset_s(headers) if seconds is None else seconds


def _reset_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until the exhausted rate limit resets; if none is reported as exhausted,
    until the first one resets."""
    resets = {
        name: seconds
        for name in ("requests", "tokens")
        if (seconds := duration_s(headers.get(f"x-ratelimit-reset-{name}", ""))) is not None
    }
    left = {name: headers.get(f"x-ratelimit-remaining-{name}", "") for name in resets}
    used_up = [seconds for name, seconds in resets.items() if _number(left[name]) == 0]
    if used_up:
        return max(used_up)
    return min(resets.values(), default=None)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None


def _until(date: str, now: str | float) -> float | None:
    moment = _moment(date)
    if isinstance(now, str):
        now = _moment(now) or time.time()
    return None if moment is None else max(0.0, moment - now)


def _moment(date: str) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError, TypeError):
        return None


def duration_s(text: str) -> float | None:
    """Return the seconds in `1m3s`, `20ms`, `6.5s` or a bare number, the formats of OpenAI's
    headers; None for anything else."""
    import re

    text = text.strip()
    bare = _number(text)
    if bare is not None:
        return bare
    if not re.fullmatch(r"(\d+(\.\d+)?(ms|s|m|h|d))+", text):
        return None
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", text)
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
