"""A test with more instances than pytest can keep."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lve.pytest_plugin.finding import memory_limit

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("workers", "scale"), [((), 100), (("-n", "1"), 10)], ids=["alone", "with workers"]
)
def test_a_test_that_is_too_large_is_one_error_and_the_others_run(
    pytester: pytest.Pytester,
    write_test: Write,
    monkeypatch: pytest.MonkeyPatch,
    workers: tuple[str, ...],
    scale: int,
) -> None:
    """At a tenth of the real size, which would take seconds, and a hundredth."""
    most = memory_limit.MAX_KEPT_BYTES // scale
    monkeypatch.setattr(memory_limit, "MAX_KEPT_BYTES", most)
    pytester.makeconftest(
        f"from lve.pytest_plugin.finding import memory_limit\nmemory_limit.MAX_KEPT_BYTES = {most}"
    )
    folder = write_test("large", [], prompt_parameters=None, model="dummy/dummy", dataset="q.jsonl")
    numbers = [0] * (500_000 // scale)
    line = json.dumps({"country": "x", "numbers": numbers}) + "\n"  # counts as 32 MB / scale
    (folder / "q.jsonl").write_text(line * 17)
    row = {"country": "France"}
    write_test("small", [], dataset=[row], prompt_parameters=None, model="dummy/dummy")
    result = pytester.runpytest("repository", "--continue-on-collection-errors", *workers)
    said = result.stdout.str()
    assert f"only the first 15 of this one fit into {500 // scale} MB" in said
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
