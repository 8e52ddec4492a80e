"""What is left to do of an earlier run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.results import make_result

from lve.checkers.contract import Outcome
from lve.errors import UsageError
from lve.pipeline.resume import PreviousRun, session_paths
from lve.results.records import InstanceResult
from lve.workspace import Workspace


def result(line: int, verdict: Outcome = "passed", test: str = "a") -> InstanceResult:
    return make_result(test=test, model="m/x", line=line, verdict=verdict)


def test_a_finished_result_is_not_wanted_again() -> None:
    previous = PreviousRun()
    assert previous.add(result(1))
    assert not previous.wants(result(1).id)
    assert not previous.leaves_gap(result(1).id)
    assert previous.wants(result(2).id)


@pytest.mark.parametrize("retry", [False, True])
def test_an_error_stands_unless_errors_are_retried(retry: bool) -> None:
    previous = PreviousRun(retry_errors=retry)
    assert previous.add(result(1, "error")) is not retry
    assert previous.wants(result(1, "error").id) is retry


@pytest.mark.parametrize("kind", ["authentication", "unreachable", "not_asked"])
def test_errors_that_any_instance_would_have_met_always_run_again(kind: str) -> None:
    previous = PreviousRun()
    refused = make_result(line=1, verdict="error", error_kind=kind)
    assert not previous.add(refused)
    assert previous.wants(refused.id)


def test_where_only_errors_run_again_the_rest_is_a_gap() -> None:
    previous = PreviousRun(retry_errors=True, only_errors=True)
    previous.add(result(1, "error"))
    assert previous.wants(result(1).id)
    assert not previous.wants(result(2).id)
    assert previous.leaves_gap(result(2).id)


def test_failures_are_what_goes_against_the_expectation() -> None:
    class Session:
        id = "2026"

        def results(self) -> Iterator[InstanceResult]:
            yield result(1, "failed")
            yield result(2, "passed")
            yield result(1, "failed", "weakness")
            yield result(2, "passed", "weakness")
            yield result(1, "failed", "gone")

    specs: list[Any] = [
        SimpleNamespace(path="a", expect=SimpleNamespace(unwanted="failed")),
        SimpleNamespace(path="weakness", expect=SimpleNamespace(unwanted="passed")),
    ]
    previous = PreviousRun.of_failed(Session(), specs)  # type: ignore[arg-type]
    assert previous.only == {result(1).id, result(2, test="weakness").id}
    assert previous.concerns("weakness", "m/x")
    assert not previous.concerns("gone", "m/x")
    assert not previous.concerns("a", "m/other")
    assert not previous.wants(result(2).id)
    assert not previous.leaves_gap(result(2).id)


def test_a_session_names_no_path_outside_of_the_workspace(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "mine")
    inside, outside = str(tmp_path / "mine/test"), str(tmp_path / "theirs/test")
    for path in (inside, outside):
        Path(path).mkdir(parents=True)
    info = {"session": "2026", "paths": [inside, outside]}
    assert session_paths({**info, "paths": [inside]}, workspace) == [inside]
    with pytest.raises(UsageError, match="lies outside of"):
        session_paths(info, workspace)
    assert session_paths(info, workspace, [tmp_path / "theirs"]) == [inside, outside]
