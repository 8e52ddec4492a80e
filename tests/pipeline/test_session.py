"""One session: whole tests and single instances, taken up before it starts and while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums, write_test

from lve.data.instances import iter_instances
from lve.errors import LveError, SpecError
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine
from lve.pipeline.outcome import run_to_end, status_of
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.pipeline.session_log import SessionLog
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_info import Status
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace


class Events(Watcher):
    """Takes note of what happens, under the names of the tests."""

    def __init__(self) -> None:
        self.results: list[tuple[str, int]] = []
        self.done: list[str] = []
        self.refused: list[tuple[str, LveError]] = []

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        self.results.append((result.test, result.line))

    def on_done(self, test_run: TestRun) -> None:
        self.done.append(test_run.spec.path)

    def on_refused(self, test_run: TestRun, error: LveError) -> None:
        self.refused.append((test_run.spec.path, error))


def load(folder: Path) -> tuple[Spec, list[Instance]]:
    spec = load_spec(folder)
    return spec, [found for found in iter_instances(spec) if isinstance(found, Instance)]


def run_session(
    root: Path, events: Watcher, work: Callable[[Session], Awaitable[None]], **options: Any
) -> tuple[Session, Status]:
    """Run a session that does its work, and return it with how it ended."""

    async def run() -> tuple[Session, Status]:
        engine = Engine(
            Workspace(root), RunOptions(models=("replay",), **options), warn=pytest.fail
        )
        log = SessionLog.begin(engine)
        session = Session(engine, log, warn=pytest.fail, watchers=[events])

        async def whole() -> Status:
            await work(session)
            await engine.join()
            return status_of(session)

        return session, await run_to_end(session, whole)

    return asyncio.run(run())


def test_whole_tests_and_single_instances_share_a_session(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    whole, _ = load(write_sums(root / "whole", 3))
    some, instances = load(write_sums(root / "some", 4))
    events = Events()

    async def work(session: Session) -> None:
        session.add([whole])
        session.start()
        await session.engine.join()
        assert events.done == ["whole"]
        for chosen in (instances[1:3], instances[3:]):  # while it runs
            session.submit(some, "replay", chosen)

    session, status = run_session(root, events, work)
    assert status == "complete"
    assert events.done == ["whole", "some", "some"]
    assert sorted(events.results) == [("some", 2), ("some", 3), ("some", 4)] + [
        ("whole", line) for line in (1, 2, 3)
    ]
    assert session.log.folder is not None
    in_journal = [(result.test, result.line) for result in session.log.folder.results()]
    assert in_journal == events.results
    assert {path: tally.total for (path, _), tally in session.summary.tallies.items()} == {
        "whole": 3,
        "some": 3,
    }


def test_what_is_wrong_with_a_submitted_test_is_told_to_whoever_submitted_it(
    tmp_path: Path,
) -> None:
    root = workspace(tmp_path)
    bad, _ = load(write_test(root / "bad", checker_args={"checker_name": "NoSuchChecker"}))
    _, instances = load(write_sums(root / "good", 2))
    events = Events()

    async def work(session: Session) -> None:
        session.start()
        for instance in instances:
            session.submit(bad, "dummy/dummy", [instance])

    session, _ = run_session(root, events, work)
    assert [path for path, _ in events.refused] == ["bad", "bad"]
    first, second = (error for _, error in events.refused)
    assert isinstance(first, SpecError)
    assert first is second, "it is not made ready again"
    assert not session.summary.tallies
    assert not session.summary.invalid


def test_a_test_without_instances_in_a_shard_counts_in_the_other_shards(tmp_path: Path) -> None:
    spec, _ = load(write_sums(workspace(tmp_path) / "one", 1))
    events = Events()

    async def work(session: Session) -> None:
        session.add([spec])
        session.start()

    totals = []
    for number in (1, 2):
        session, _ = run_session(tmp_path, events, work, shard=f"{number}/2")
        totals.append([tally.total for tally in session.summary.tallies.values()])
    assert sorted(totals) == [[], [1]]
    assert events.done == ["one"]


def test_the_first_failure_is_the_one_that_is_told(tmp_path: Path) -> None:
    root = workspace(tmp_path)

    async def work(session: Session) -> None:
        assert session.log.folder is not None
        (session.log.folder.path / "session.json").unlink()  # so its end can't be written, either
        raise SpecError([])

    with pytest.raises(SpecError):
        run_session(root, Events(), work)


@pytest.mark.parametrize(("line", "is_complete"), [(None, True), ("[1]", False), ("{", False)])
def test_a_test_with_a_row_that_cannot_be_read_has_not_run_whole(
    tmp_path: Path, line: str | None, *, is_complete: bool
) -> None:
    folder = write_sums(workspace(tmp_path) / "t", 2)
    with (folder / "instances" / "main.jsonl").open("a") as file:
        file.write("" if line is None else f"{line}\n")

    async def work(session: Session) -> None:
        session.add([load_spec(folder)])
        session.start()

    ends: list[tuple[int, bool]] = []

    class Ends(Watcher):
        def on_done(self, test_run: TestRun) -> None:
            ends.append((test_run.tally.total, test_run.tally.coverage.is_complete))

    run_session(tmp_path, Ends(), work)
    assert ends == [(2, is_complete)]


def test_a_skipped_test_ends_nothing_behind_it(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    whys = {"a": None, "b": "not now", "c": None}
    specs = [
        load_spec(write_sums(root / name, 1, **({"skip": why} if why else {})))
        for name, why in whys.items()
    ]
    events = Events()

    async def work(session: Session) -> None:
        session.add(specs)
        session.start()

    session, _ = run_session(root, events, work)
    assert sorted(events.done) == ["a", "c"]
    assert session.summary.skipped == {"b": "not now"}
