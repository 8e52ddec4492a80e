"""Whether repeats count as independent is known of every test, not only of those with a rate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import workspace, write_test


@pytest.mark.parametrize(("temperature", "low"), [(0, 0.025), (1, 0.74)])
def test_the_interval_of_a_test_without_a_rate_counts_alike_repeats_once(
    temperature: int, low: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    write_test(
        tmp_path / "t",
        default_model_args={"temperature": temperature},
        checker_args={"checker_name": "RegexChecker", "pattern": ".", "match_safe": True},
        instances=[{"args": {}}],
    )
    ran = lve("run", "t", "--repeats", "12", "--no-cache", "--json")
    (test,) = json.loads(ran.stdout)["tests"]
    assert (test["rows"], test["repeats"], test["results"]["total"]) == (1, 12, 12)
    assert test["pass_rate"]["low"] == pytest.approx(low, abs=0.01)
    summary = json.loads(ran.stdout)["summary"]
    assert (summary["rows"], summary["results"], summary["instances"]["total"]) == (
        1,
        test["results"],
        12,
    )
    text = lve("show", "last").stdout
    assert "12 results (1 row, 12 repeats): 12 passed\n" in text
