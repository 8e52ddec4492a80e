"""What is left to do of an earlier run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.folders import workspace, write_sums
from support.results import make_result

from lve.checkers.contract import Outcome
from lve.errors import UsageError
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.failures import take_failures
from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import InstanceResult
from lve.sessions.provenance import hashes_of
from lve.sessions.resume import PreviousRun, Turn, changed_tests, session_paths
from lve.settings.settings import Settings
from lve.spec.load import load_spec
from lve.spec.spec import Instance
from lve.workspace import Workspace


def result(line: int, verdict: Outcome = "passed", test: str = "a") -> InstanceResult:
    return make_result(test=test, model="m/x", line=line, verdict=verdict)


def take(previous: PreviousRun, one: InstanceResult) -> Turn:
    """Ask for the instance of a result, once more."""
    instance = Instance(one.args, {}, {}, one.source, one.line)
    return previous.take(one.test, one.model, instance, one.repeat)


def test_a_finished_result_is_not_wanted_again() -> None:
    previous = PreviousRun()
    assert previous.add(result(1))
    assert take(previous, result(1)) == Turn(None)
    assert take(previous, result(2)).instance is not None


@pytest.mark.parametrize("retry", [False, True])
def test_an_error_stands_unless_errors_are_retried(retry: bool) -> None:
    previous = PreviousRun(retry_errors=retry)
    assert previous.add(result(1, "error")) is not retry
    assert (take(previous, result(1)).instance is not None) is retry


@pytest.mark.parametrize("kind", ["authentication", "unreachable", "not_asked"])
def test_errors_that_any_instance_would_have_met_always_run_again(kind: str) -> None:
    previous = PreviousRun()
    refused = make_result(line=1, verdict="error", error_kind=kind)
    assert not previous.add(refused)
    assert take(previous, refused).instance is not None


def test_where_only_errors_run_again_the_rest_is_a_gap() -> None:
    previous = PreviousRun(retry_errors=True, only_errors=True)
    previous.add(result(1, "error"))
    assert take(previous, result(1)).instance is not None
    assert take(previous, result(2)) == Turn(None, is_left_out=True)


def test_an_error_is_unretried_until_it_has_a_new_result() -> None:
    previous = PreviousRun(retry_errors=True)
    previous.add(result(1, "error"))
    previous.add(result(2, "error"))
    previous.has_run(result(1))
    assert not previous.is_unretried(result(1, "error"))
    assert previous.is_unretried(result(2, "error"))


def test_failures_are_what_goes_against_the_expectation() -> None:
    class Session:
        id = "2026"

        def info(self) -> dict[str, Any]:
            return {"options": {}}

        def results(self) -> Iterator[InstanceResult]:
            yield result(1, "failed")
            yield result(2, "passed")
            yield result(1, "failed", "weakness")
            yield result(2, "passed", "weakness")
            yield result(1, "failed", "gone")

    specs: list[Any] = [
        SimpleNamespace(path="a", expect_for=lambda _: SimpleNamespace(unwanted="failed")),
        SimpleNamespace(path="weakness", expect_for=lambda _: SimpleNamespace(unwanted="passed")),
    ]
    previous = PreviousRun()
    take_failures(previous, Session(), specs, RunOptions(), Settings())  # type: ignore[arg-type]
    assert previous.only == {result(1).id: 1, result(2, test="weakness").id: 1}
    assert previous.concerns("weakness", "m/x")
    assert not previous.concerns("gone", "m/x")
    assert not previous.concerns("a", "m/other")
    assert take(previous, result(2)) == Turn(None)
    assert take(previous, result(1)).instance is not None


def moved(line: int, value: object, verdict: Outcome = "passed") -> InstanceResult:
    return make_result(test="a", model="m/x", line=line, verdict=verdict, args={"n": value})


def test_rows_of_a_test_that_has_changed_are_known_by_their_content() -> None:
    previous = PreviousRun(changed={"a"}, retry_errors=True)
    previous.add(moved(1, 1.0))
    previous.add(moved(2, "twin"))
    previous.add(moved(3, "twin"))
    previous.add(moved(4, "wrong", "error"))
    assert take(previous, moved(1, "new")).instance is not None
    assert take(previous, moved(2, 1.0)) == Turn(None)
    assert [take(previous, moved(line, "twin")) for line in (3, 4)] == [Turn(None), Turn(None)]
    assert take(previous, moved(9, "twin")).instance is not None
    retried = take(previous, moved(5, "wrong")).instance
    assert retried is not None
    assert retried.line == 4  # so that its result replaces the error
    previous.has_run(moved(4, "wrong"))
    assert not previous.unretried


def test_content_is_compared_as_it_is_written() -> None:
    previous = PreviousRun(changed={"a"})
    lasting_redactor(["sk-123456"])
    previous.add(moved(1, "my [redacted]"))
    previous.add(moved(2, "nan"))
    assert take(previous, moved(5, "my sk-123456")) == Turn(None)
    assert take(previous, moved(6, float("nan"))) == Turn(None)


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


def test_equal_rows_of_a_changed_test_each_replace_an_error_of_their_own() -> None:
    previous = PreviousRun(changed={"a"}, retry_errors=True)
    for line in (1, 2):
        assert not previous.add(moved(line, "x", "error"))
    turns = [take(previous, moved(line, "x")) for line in (5, 6)]
    assert [turn.instance.line for turn in turns if turn.instance] == [1, 2]


def test_a_test_of_which_nothing_was_selected_is_no_part_of_the_session() -> None:
    previous = PreviousRun()
    previous.add_selected(
        {
            "selected": [
                {"test": "a", "model": "m", "instances": {}},
                {"test": "b", "model": "m", "instances": {"i.jsonl": [2]}},
            ]
        }
    )
    assert [previous.concerns(test, "m") for test in "abc"] == [False, True, True]
    instances = [Instance({}, {}, {}, "i.jsonl", line) for line in (1, 2)]
    assert [one.line for one in previous.among(instances, "b", "m")] == [2]


def test_what_changed_in_a_test_is_named_by_its_files(tmp_path: Path) -> None:
    before = load_spec(write_sums(workspace(tmp_path) / "t", 1))
    info = {"tests": {"t": hashes_of(before)}}
    assert changed_tests(info, [before]) == {}
    prompt = [{"role": "user", "content": "Add {a} and {b}"}]
    after = load_spec(write_sums(tmp_path / "t", 1, prompt=prompt))
    assert "since the session began (document): " in changed_tests(info, [after])["t"]
