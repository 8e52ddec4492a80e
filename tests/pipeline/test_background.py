"""The engine in a thread of its own: what the pytest plugin uses."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums, write_test
from support.server import model_server
from support.trust import trusted

from lve.data.instances import iter_instances
from lve.errors import BudgetError, SessionError, TrustError, UnknownModelError
from lve.options.run_options import RunOptions
from lve.pipeline.background import BackgroundSession
from lve.sessions.session_tests import read_tests
from lve.settings.settings import Settings
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace


def load(folder: Path) -> tuple[Spec, list[Instance]]:
    spec = load_spec(folder)
    return spec, [found for found in iter_instances(spec) if isinstance(found, Instance)]


def open_session(root: Path, settings: Settings | None = None, **options: Any) -> BackgroundSession:
    return BackgroundSession(
        Workspace(root, settings or Settings()), RunOptions(**options), warn=pytest.fail
    )


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_every_submission_gets_its_own_results(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 20, repeats=2))
    with (
        model_server() as server,
        open_session(tmp_path, base_url=server.url, max_connections=4) as session,
    ):
        futures = [session.submit(spec, "openai/test", [instance]) for instance in instances]
        results = [future.result(timeout=20) for future in futures]
    for instance, two in zip(instances, results, strict=True):
        assert [(r.line, r.repeat, r.verdict) for r in two] == [
            (instance.line, 0, "passed"),
            (instance.line, 1, "passed"),
        ]


def test_a_chunk_is_one_submission_in_order(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 10))
    with open_session(tmp_path) as session:
        results = session.submit(spec, "replay", instances).result(timeout=20)
    assert [result.line for result in results] == [instance.line for instance in instances]


def test_a_test_is_described_as_soon_as_it_is_taken_up(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 1))
    with open_session(tmp_path) as session:
        session.submit(spec, "replay", instances).result(timeout=20)
        folder = session.session.log.folder
        assert folder is not None
        found = read_tests(folder.path)  # a session that is killed now can be reported
    assert [*found] == [("sums", "replay")]
    assert found["sums", "replay"].document == "sums/test.json"


def test_an_unknown_model_is_the_submissions_own_error(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 1))
    with open_session(tmp_path) as session:
        with pytest.raises(UnknownModelError):
            session.submit(spec, "no-such-model", instances).result(timeout=20)
        assert session.submit(spec, "replay", instances).result(timeout=20)


def test_untrusted_code_is_the_submissions_own_error(tmp_path: Path) -> None:
    folder = write_test(workspace(tmp_path) / "own", checker_args={"checker_name": "OwnChecker"})
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(
        "from lve.checkers.base import BaseChecker\nclass OwnChecker(BaseChecker): pass\n",
        encoding="utf-8",
    )
    spec, instances = load(folder)
    with open_session(tmp_path) as session, pytest.raises(TrustError):
        session.submit(spec, "dummy/dummy", instances).result(timeout=20)


def test_a_reached_budget_is_told_to_everybody_who_waits(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 10))
    with (
        model_server() as server,
        open_session(tmp_path, base_url=server.url, max_requests=3, max_connections=1) as session,
    ):
        futures = [session.submit(spec, "openai/test", [instance]) for instance in instances]
        for future in futures[:3]:
            assert future.result(timeout=20)
        for future in futures[3:]:
            with pytest.raises(BudgetError, match="3 of 3 requests"):
                future.result(timeout=20)
    assert len(server.requests) == 3


def test_stop_sends_nothing_more_and_leaves_nobody_waiting(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 50))
    with (
        model_server(latency_s=0.02) as server,
        open_session(tmp_path, base_url=server.url, max_connections=2) as session,
    ):
        futures = [session.submit(spec, "openai/test", [instance]) for instance in instances]
        futures[0].result(timeout=20)
        session.stop()
        outcomes = [future.exception(timeout=20) for future in futures]
    assert outcomes[0] is None
    assert isinstance(outcomes[-1], SessionError)
    assert len(server.requests) < 50


def test_a_closed_session_takes_nothing(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 1))
    session = open_session(tmp_path)
    session.start()
    session.close()
    with pytest.raises(SessionError, match="ended"):
        session.submit(spec, "replay", instances).result(timeout=20)


def test_a_session_is_recorded(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 3))
    with open_session(tmp_path) as session:
        results = session.submit(spec, "replay", instances).result(timeout=20)
        folder = session.session.log.folder
        assert folder is not None
        # A result is in the journal before anybody counts it.
        kept = sorted(folder.results(), key=lambda result: result.line)
    assert [one.id for one in kept] == [one.id for one in results]
    assert folder.info()["status"] == "complete"


def test_a_session_that_is_cut_short_can_be_resumed(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 2))
    with open_session(tmp_path) as session:
        session.submit(spec, "replay", instances[:1]).result(timeout=20)
        session.is_cut_short = True  # the second instance will not be submitted
    folder = session.session.log.folder
    assert folder is not None
    assert folder.info()["status"] == "interrupted"


def test_a_session_that_is_not_kept_leaves_nothing(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 1))
    with open_session(tmp_path, keep=False) as session:
        session.submit(spec, "replay", instances).result(timeout=20)
    assert not (tmp_path / ".lve").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit for the size of files")
def test_a_full_disk_is_told_to_everybody_and_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would keep half of a compiled module
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 60))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    session = open_session(tmp_path, use_cache=False, max_connections=1)
    session.start()
    folder = session.session.log.folder
    assert folder is not None
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, hard))
    try:
        future = session.submit(spec, "replay", instances)
        with pytest.raises(SessionError, match="can't be written"):
            future.result(timeout=20)
        with pytest.raises(SessionError, match="can't be written"):
            session.close()
        with pytest.raises(SessionError, match="has ended"):
            session.submit(spec, "replay", instances).result(timeout=20)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert folder.info()["status"] == "failed"
    assert 0 < len(list(folder.results())) < 60
    folder.open_journal().close()  # nobody holds its lock


@pytest.mark.parametrize("lost", ["session.json", "results.jsonl"])
def test_a_record_that_cannot_be_finished_is_told_though_nobody_waits(
    tmp_path: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 3))
    session = open_session(tmp_path)
    session.start()
    session.submit(spec, "replay", instances).result(timeout=20)
    folder = session.session.log.folder
    assert folder is not None
    if lost == "session.json":
        (folder.path / lost).unlink()
    else:
        monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(SessionError, match=rf"{lost} can't be"):
        session.close()


def no_space(handle: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_bug_is_told_to_whoever_waits(tmp_path: Path) -> None:
    spec, instances = load(write_sums(workspace(tmp_path) / "sums", 1))
    no_spec: Any = None
    with open_session(tmp_path) as session:
        with pytest.raises(AttributeError):
            session.submit(no_spec, "dummy/dummy", instances).result(timeout=20)
        assert session.submit(spec, "replay", instances).result(timeout=20)


def test_stop_ends_items_that_wait_for_a_checker_to_start(tmp_path: Path) -> None:
    folder = write_test(
        workspace(tmp_path) / "slow",
        checker_args={"checker_name": "Slow"},
        prompt=[{"role": "user", "content": "Say {word}."}],
        prompt_parameters=["word"],
        instances=[{"args": {"word": word}} for word in "abc"],
    )
    begun = tmp_path / "begun"
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(
        f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep(60)\nclass Slow: pass\n",
        encoding="utf-8",
    )
    may = trusted(tmp_path, folder / "checker" / "checker.py", write=(str(tmp_path),))
    spec, instances = load(folder)
    session = open_session(tmp_path, Settings(trust=(may,)))
    session.start()
    futures = [session.submit(spec, "dummy/dummy", [instance]) for instance in instances]
    while not begun.exists():
        assert not session.ends_within(0.01)
    session.stop()
    assert session.ends_within(10)
    for future in futures:
        assert isinstance(future.exception(timeout=1), SessionError)
