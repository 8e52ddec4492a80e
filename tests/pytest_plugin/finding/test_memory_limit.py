"""A test with more instances than pytest can keep."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lve.pytest_plugin.finding import memory_limit

Write = Callable[..., Path]


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "with workers"])
def test_a_test_that_is_too_large_is_one_error_and_the_others_run(
    pytester: pytest.Pytester, write_test: Write, workers: tuple[str, ...]
) -> None:
    folder = write_test("large", [], prompt_parameters=None, model="dummy/dummy", dataset="q.jsonl")
    line = json.dumps({"country": "x", "numbers": [0] * 500_000}) + "\n"  # counts as 32 MB
    (folder / "q.jsonl").write_text(line * 20)
    row = {"country": "France"}
    write_test("small", [], dataset=[row], prompt_parameters=None, model="dummy/dummy")
    result = pytester.runpytest("repository", "--continue-on-collection-errors", *workers)
    said = result.stdout.str()
    assert "only the first 15 of this one fit into 500 MB" in said
    assert "use `lve run`" in said
    assert "[over_limit]" in said
    outcomes = result.parseoutcomes()
    assert outcomes.pop("errors", None) or outcomes.pop("error", None)
    assert sum(outcomes.get(name, 0) for name in ("passed", "failed")) == 1


def test_recorded_responses_are_kept_too(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_limit, "MAX_KEPT_BYTES", 100_000)
    write_test("recorded", [("x" * 30_000, True)] * 5)
    said = pytester.runpytest("repository").stdout.str()
    assert "only the first 3 of this one fit" in said
