"""A worker runs what it gets, with the keys that it gets, and cleans up."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_test

from lve.execution.traffic import Traffic
from lve.extensions.ray.files import files_of, sent
from lve.extensions.ray.messages import (
    Cancel,
    Done,
    Ended,
    NewTest,
    Refused,
    Setup,
    Stop,
    TrafficCount,
    Variables,
    Work,
)
from lve.extensions.ray.worker import PREFIX, Worker, forget_variables
from lve.options.run_options import RunOptions
from lve.secrets.redaction import redact
from lve.secrets.secret_values import REDACTED
from lve.settings.settings import Settings
from lve.spec.load import load_spec
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Instance


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have workers make their folders here, and give the environment back."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


class Ran:
    """A worker with a test, and what it said."""

    def __init__(self, root: Path, *, model: str = "replay", **settings: Any) -> None:
        folder = write_test(workspace(root / "w") / "t", model=model)
        spec = load_spec(folder / "test.json", root / "w")
        files = files_of(spec, ())
        assert files is not None
        self.key, self.content = files.packed()
        self.said: list[Any] = []
        setup = Setup(RunOptions(keep=False), Settings(), processes=1, has_cache=False, **settings)
        self.worker = Worker(setup, self.said.extend)
        variables = Variables(TEAM_KEY="sk-1")
        self.about = (0, sent(spec), self.key, model, frozenset[int](), variables)
        self.worker.receive([NewTest(*self.about)])

    def work(self, number: int, text: str) -> None:
        recorded = Recorded(responses=(text,), passed=None)
        instance = Instance({}, {}, {}, "instances/main.jsonl", number + 1, recorded)
        self.worker.receive([Work(number, 0, instance, 0)])

    async def until(self, is_so: Callable[[], object]) -> None:
        for _ in range(1000):
            if is_so():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(self.said)

    def of(self, kind: type) -> list[Any]:
        return [one for one in self.said if isinstance(one, kind)]


def folders(place: Path) -> list[Path]:
    return [one for one in place.iterdir() if one.name.startswith(PREFIX)]


def test_it_runs_what_it_gets_when_the_files_are_there(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path)
        ran.work(0, "Hello!")
        ran.work(1, "Bye")
        await asyncio.sleep(0.05)
        assert not ran.of(Done)
        ran.worker.add_files(ran.key, ran.content)
        await ran.until(lambda: len(ran.of(Done)) == 2)
        found = {one.number: one.result for one in ran.of(Done)}
        assert (found[0].verdict, found[1].verdict) == ("passed", "failed")
        assert found[0].test == "t"
        assert os.environ["TEAM_KEY"] == "sk-1"
        assert len(folders(tmp_path)) == 1
        await ran.worker.close()
        assert not folders(tmp_path)

    asyncio.run(scenario())


def test_models_that_exist_redact_the_keys_of_later_tests(tmp_path: Path) -> None:
    """A completer and a role get the redactor once."""

    async def scenario() -> None:
        ran = Ran(tmp_path)
        assert redact("sk-of-a-later-test") == "sk-of-a-later-test"
        later = NewTest(1, *ran.about[1:-1], Variables(LATER_KEY="sk-of-a-later-test"))
        ran.worker.receive([later])
        assert redact("sk-of-a-later-test") == REDACTED
        await ran.worker.close()

    asyncio.run(scenario())


def test_a_model_that_it_cannot_make_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path, model="nobody/knows-it")
        ran.work(0, "Hello!")
        await ran.until(lambda: ran.of(Refused))
        assert "nobody/knows-it" in ran.of(Refused)[0].reason
        await ran.worker.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("message", [Stop("budget"), Cancel()])
def test_when_it_is_stopped_it_says_that_it_has_ended(tmp_path: Path, message: Any) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path)
        ran.work(0, "Hello!")  # its files never come
        await asyncio.sleep(0.02)
        ran.worker.receive([message])
        await ran.until(lambda: ran.of(Ended))
        assert ran.of(Ended)[0].reason == ("budget" if message else "interrupted")
        assert not ran.of(Done)
        await ran.worker.close()

    asyncio.run(scenario())


def test_it_says_what_it_has_sent_with_the_results(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path, model="dummy/dummy")
        ran.worker.add_files(ran.key, ran.content)
        ran.work(0, "x")
        await ran.until(lambda: ran.of(Done))
        total = Traffic()
        for one in ran.of(TrafficCount):
            assert one.completer == "dummy/dummy"
            total.add(one.traffic)
        assert total.requests == 1
        await ran.worker.close()

    asyncio.run(scenario())


def test_it_has_the_run_s_own_table_of_models(tmp_path: Path) -> None:
    async def scenario() -> None:
        ran = Ran(tmp_path, known_models=b'{"models": {}}')
        file = ran.worker.engine.settings.known_models
        assert file is not None
        assert file.read_bytes() == b'{"models": {}}'
        await ran.worker.close()

    asyncio.run(scenario())


def test_folders_of_workers_that_were_killed_are_removed(tmp_path: Path) -> None:
    left = tmp_path / f"{PREFIX}999999999-abc"
    own = tmp_path / f"{PREFIX}{os.getpid()}-abc"
    left.mkdir()
    own.mkdir()

    async def scenario() -> None:
        await Ran(tmp_path).worker.close()

    asyncio.run(scenario())
    assert not left.exists()
    assert own.exists()


def test_it_forgets_the_keys_of_its_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("RAY_SOMETHING", "1")
    forget_variables(("RAY_SOMETHING",))
    assert "OPENAI_API_KEY" not in os.environ
    assert {"PATH", "RAY_SOMETHING"} <= set(os.environ)
