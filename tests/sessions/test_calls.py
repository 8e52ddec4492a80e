"""What a session's files say, with one field or secret of a kind in each."""

from __future__ import annotations

from typing import Any

from support.recorded_calls import Calls, changed, grid, record
from support.results import make_result

from lve.secrets.secret_values import public_options, without_secrets
from lve.sessions.journal.reading import superseded
from lve.sessions.journal.result_json import (
    args_of_line,
    has_only_finite_floats,
    identity_of_line,
    is_surely_readable,
    result_from_json,
    result_line,
    result_to_json,
)
from lve.sessions.session_file import seconds_of
from lve.sessions.spending import sum_of_amounts

TIMES: tuple[Any, ...] = (
    {"started": "2026-11-28T01:00:00+00:00", "ended": "2026-11-28T01:00:02.5+00:00"},
    {"started": "2026-11-28T01:00:02+00:00", "ended": "2026-11-28T01:00:00+00:00"},
    {"started": "2026-11-28T01:00:00+00:00", "ended": "2026-11-28T01:00:02"},
    {"started": "2026-11-28T01:00:00+00:00"},
    {"started": None, "ended": "soon"},
)
OPTIONS: tuple[Any, ...] = (
    {"api_key": "k", "model": "m", "token": None, "list": [{"password": "p"}, "a"]},
    {"url": "https://u:p@h:1/p?q=1#f", "other": "https://h/p", "bad": "http://[x", "n": 3},
    {"parameters": {"password": "p"}, "headers": {"Authorization": "b"}},
)
CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"verdict": "failed", "reason": "why", "score": 0.5},
    {"score": float("nan")},
    {"args": {"x": float("inf")}},
    {"args": {"x": [1, {"y": 2.5}]}},
    {"args": {"x": "\u20ac\ud800"}},
    {"cost": 0.25, "cached": True, "advisory": True, "unbound": True},
    {"recorded": "passed", "answered_by": "m"},
    {"repeat": 3, "line": 0, "source": "data.csv"},
    {"labels": ("a", "b")},
    {"latency_s": float("inf")},
    {"transcripts": (), "responses": ()},
)
LINES: tuple[tuple[dict[str, Any], ...], ...] = (
    (),
    ({}, {"line": 2}),
    ({}, {}),
    ({}, {"args": {"name": "Bob"}}, {}),
    ({"args": {"k": "[redacted]-b"}}, {"args": {"k": "a-b"}}),
    ({"args": {"k": "a-b-c"}}, {"args": {"k": "[redacted]-b-[redacted]"}}),
    ({"args": {"k": "a-x"}}, {"args": {"k": "[redacted]-b"}}),
    ({"args": {}}, {"args": {"k": "a"}}),
    ({"repeat": 1}, {"repeat": 2}, {"repeat": 1}),
    ({"model": "a"}, {"model": "b"}),
)
AMOUNTS: tuple[Any, ...] = (
    [],
    [None],
    [{"cost": 0.5, "tokens": 3, "requests": 1}, None, {"cost": 0.25, "tokens": 1, "requests": 2}],
    [{"tokens": 1}],
)


def line_of(change: int) -> object:
    """Return a result's line, what is read of it alone, and whether it is the same read again."""
    result = make_result(**CHANGES[change])
    line = result_line(result)
    again = result_from_json(result_to_json(result))
    checks = is_surely_readable(result), has_only_finite_floats(result)
    return line, identity_of_line(line.encode()), args_of_line(line.encode()), checks, again.reason


def replaced(index: int) -> list[int]:
    lines = [result_line(make_result(**fields)).encode() for fields in LINES[index]]
    return sorted(superseded(lambda: iter(lines)))


def all_calls() -> Calls:
    return {
        **grid(seconds_of, TIMES),
        **grid(without_secrets, OPTIONS),
        **grid(public_options, OPTIONS),
        **grid(line_of, range(len(CHANGES))),
        **grid(replaced, range(len(LINES))),
        **grid(sum_of_amounts, AMOUNTS),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("sessions", all_calls()) == {}


if __name__ == "__main__":
    record("sessions", all_calls())
