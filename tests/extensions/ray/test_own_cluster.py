"""Which variables of Ray a run's own cluster gets."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest
from support.packages import needs

from lve.extensions.ray import own_cluster
from lve.extensions.ray.own_cluster import (
    MODE,
    TOKEN,
    TOKEN_FILE,
    leave,
    make_folder,
    require_token,
)

pytestmark = needs("ray")
NAMES = (MODE, TOKEN, TOKEN_FILE)


@pytest.fixture(autouse=True)
def _variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray._raylet.Config", type("Config", (), {"initialize": str}))
    for name in NAMES:
        monkeypatch.setenv(name, "")  # so that it is restored
        monkeypatch.delenv(name)


def _required() -> list[str | None]:
    require_token()
    return [os.environ.get(name) for name in NAMES]


def test_each_cluster_has_a_token_of_its_own() -> None:
    mode, token, file = _required()
    assert (mode, file) == ("token", None)
    assert token is not None
    assert len(token) == 64
    assert _required()[1] == token, "one for all clusters of a process"


@pytest.mark.parametrize("name", [TOKEN, TOKEN_FILE])
def test_the_users_own_token_is_used(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "mine")
    assert _required() == ["token", *("mine" if one == name else None for one in NAMES[1:])]


def test_the_users_mode_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODE, "disabled")
    assert _required() == ["disabled", None, None]


def test_the_folder_is_private() -> None:
    folder: Path = make_folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.rmdir()


def test_a_raylet_that_never_answers_does_not_keep_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(own_cluster, "SHUTDOWN_S", 0.2)
    folder = tmp_path / "r"
    folder.mkdir()
    stopped = threading.Event()
    started = time.monotonic()
    asyncio.run(leave(stopped.wait, folder))
    stopped.set()
    assert 0.2 <= time.monotonic() - started < 5
    assert not folder.exists()
