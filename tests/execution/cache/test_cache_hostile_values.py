"""A cache that has the right tables, and values that lve never wrote."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.caches import FULL, fill, found_in, key_of, open_cache
from support.command_line import lve

from lve.execution.cache.cache import CACHE_FILE
from lve.execution.cache.value import (
    completion_from_stored,
    completion_to_value,
    with_checksum,
)

WRITTEN: dict[str, Any] = completion_to_value(FULL)
"""What the cache writes of a completion."""
NO_COMPLETIONS: list[dict[str, Any]] = [
    {"text": 7},
    {"text": None},
    {"text": ["a"]},
    {"finish_reason": {"a": 1}},
    {"model": ["m"]},
    {"usage": ["a", "b"]},
    {"usage": [1, 2, 3]},
    {"usage": [-1, 2]},
    {"usage": [1e308, 1]},
    {"usage": [10**30, 1]},
    {"usage": {"a": 1, "b": 2}},
    {"latency_s": "x"},
    {"latency_s": -1.0},
    {"latency_s": 10**400},
    {"first_token_s": []},
    {"reasoning": 7},
    {"tool_calls": 7},
    {"tool_calls": [{"id": "1", "name": "f"}]},
    {"tool_calls": [{"id": "1", "name": "f", "arguments": {}}]},
]

PLANTED = [
    "UPDATE completions SET created=1e308",
    "UPDATE completions SET created=-1e308",
    "UPDATE completions SET created='soon'",
    "UPDATE completions SET model=x'ff00'",
    "UPDATE completions SET model=char(27)||'[31m'||char(10)||'::error::x'",
    "INSERT INTO counters VALUES('hits','many')",
    "INSERT INTO counters VALUES('hits',9223372036854775807)",
]


def plant(path: Path, statement: str, values: tuple[Any, ...] = ()) -> None:
    """Change a cache as its maker likes."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement, values)


def found_after_planting(path: Path, text: str) -> Any:
    """Return what a cache gives for an entry with that JSON, rightly summed."""
    fill(path, 1)
    plant(path, "UPDATE completions SET value=?", (with_checksum(text, key_of(0)),))
    cache = open_cache(path)
    try:
        return found_in(cache, 0)
    finally:
        cache.close()


@pytest.mark.parametrize("planted", NO_COMPLETIONS, ids=str)
def test_what_is_no_completion_is_not_served(tmp_path: Path, planted: dict[str, Any]) -> None:
    text = json.dumps({**WRITTEN, **planted})
    assert found_after_planting(tmp_path / CACHE_FILE, text) is None


@pytest.mark.parametrize("value", ["[" * 100_000, '{"text":"a"}', "7", '"a"', "[]"])
def test_neither_is_another_value(tmp_path: Path, value: str) -> None:
    assert found_after_planting(tmp_path / CACHE_FILE, value) is None


def test_deep_log_probabilities_are_not_served(tmp_path: Path) -> None:
    deep = "[" * 500 + "]" * 500
    text = json.dumps({**WRITTEN, "logprobs": "DEEP"}).replace('"DEEP"', deep)
    assert found_after_planting(tmp_path / CACHE_FILE, text) is None


@pytest.mark.parametrize("part", ["{},", '{"":[]},', "1,", "[],"])
def test_values_that_would_take_too_much_memory_are_not_served(tmp_path: Path, part: str) -> None:
    """15 MB of small objects took 600 MB, and the event loop half a minute."""
    many = "[" + part * (12_000_000 // len(part)) + "1]"
    text = json.dumps({**WRITTEN, "logprobs": "MANY"}).replace('"MANY"', many)
    key = key_of(1)
    began = time.monotonic()
    with pytest.raises(ValueError, match="too many values"):
        completion_from_stored(with_checksum(text, key).encode(), key)
    assert time.monotonic() - began < 10
    assert found_after_planting(tmp_path / CACHE_FILE, text) is None


@pytest.mark.parametrize("statement", PLANTED)
@pytest.mark.parametrize("command", [["stats"], ["stats", "--json"], ["clear", "--yes"]], ids=str)
def test_what_is_told_of_a_cache_holds_for_any_values(
    tmp_path: Path, statement: str, command: list[str]
) -> None:
    fill(tmp_path / CACHE_FILE, 2)
    plant(tmp_path / CACHE_FILE, statement)
    result = lve("cache", *command, "--session-dir", tmp_path)
    assert "\x1b" not in result.output
    assert "\n::" not in result.output
