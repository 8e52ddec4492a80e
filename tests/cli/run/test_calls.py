"""Which two options of `lve run` exclude each other: each pair is tried."""

from __future__ import annotations

import itertools

from cli.run.test_request import read
from support.recorded_calls import Calls, changed, record, rows_of

OPTIONS = (
    *("--resume s1", "--retry-errors s1", "--last-failed", "--failed-in s1", "--watch", "--json"),
    *("--jsonl", "--reporter text", "--dry-run", "--show-config", "--explain 1", "--trace t.json"),
    *("--github", "--output a.md", "--rows 2", "--index 1", "--limit 1", "--sample 1"),
    *("--shard 1/2", "--batch", "--no-cache", "--refresh", "--quiet", "--verbose", "--fail-fast"),
    *("--repeats 2", "--model m", "--attacks none", "--trust"),
)


def refused(first: str, second: str) -> str:
    read(f"{first} {second}")
    return ""


def all_calls() -> Calls:
    pairs = rows_of(refused, itertools.combinations(OPTIONS, 2))
    return {call: result for call, result in pairs.items() if result != "''"}


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("run_options", all_calls()) == {}


if __name__ == "__main__":
    record("run_options", all_calls())
