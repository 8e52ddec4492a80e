"""A session's cache: a file of its folder, or the team's store."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import lve
from lve.errors import MissingExtraError, UsageError
from lve.execution.stop import StopSignal
from lve.options.run_options import RunOptions
from lve.pipeline.resources.resources import SessionCache
from lve.sessions.storage import STORE_VARIABLE
from lve.settings.settings import Settings

WRONG = "postgresql://me:s3cret word@db/x?nosuch=1"


def made(options: RunOptions, settings: Settings) -> SessionCache:
    return SessionCache(options, settings, StopSignal(), warn=pytest.fail)


def test_a_wrong_store_is_refused_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lve.yaml").write_text("")
    (tmp_path / "test.json").write_text(
        '{"description": "d", "prompt": "hi", "checks": [{"contains": "hi"}]}'
    )
    monkeypatch.setenv(STORE_VARIABLE, WRONG)
    # A model whose answers aren't kept would never look at it.
    with pytest.raises(UsageError, match="is no URL of a PostgreSQL server") as caught:
        lve.run("test.json", model="dummy/echo")
    assert "s3cret" not in str(caught.value)
    assert not (tmp_path / ".lve").exists()


def test_settings_may_name_it_and_no_cache_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    wrong = Settings(cache="postgresql://[::1/x")
    with pytest.raises(UsageError, match="is no URL"):
        made(RunOptions(), wrong)
    without = made(RunOptions(use_cache=False), wrong)
    assert without.opened(lambda: Path("nowhere")) is None


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STORE_VARIABLE, "postgresql://db/x")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match="psycopg"):
        made(RunOptions(), Settings())
