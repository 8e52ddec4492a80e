"""`lve run --trace FILE`: what a run did and why, without a key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import key_server
from support.command_line import call, lve
from support.server import ModelServer

from lve.errors import UsageError

Traced = Callable[..., str]


def test_it_says_what_was_read_and_where_each_value_comes_from(
    root: Path, server: ModelServer, traced: Traced
) -> None:
    (root / "suite.yaml").write_text("repeats: 2\n", encoding="utf-8")
    log = traced("--model-arg", "temperature=1")
    for line in (
        "  settings: lve.yaml",
        "  models.m.price.input = 1  (lve.yaml)",
        "  --model-arg = temperature=1  (command line)",
        "# test t",
        "  read: test.json, suite.yaml",
        "  top_p = 0.5  (lve.yaml)",
        "  seed = 1  (test.json)",
        "  temperature = 1  (command line)",
        "  repeats = 2  (suite.yaml)",
        "  m: $1 in, $2 out per million tokens (the settings)",
    ):
        assert f"{line}\n" in log


def test_a_run_that_does_not_trace_is_not_followed(
    root: Path, server: ModelServer, traced: Traced
) -> None:
    from lve.execution.completer import Completer

    before = dict(vars(Completer))
    traced()
    assert dict(vars(Completer)) == before


def test_only_its_owner_can_read_it(root: Path, server: ModelServer, traced: Traced) -> None:
    traced()
    assert (root / "log.txt").stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_written_ends_the_run_before_it_begins(
    root: Path, server: ModelServer, traced: Traced
) -> None:
    with pytest.raises(UsageError, match="can't be written"):
        call("run", "t", "--trace", "nothing/log.txt")
    assert not (root / ".lve").exists()
    assert "don't go together" in lve("run", "t", "--trace", "log.txt", "--dry-run", code=2).output


def test_no_key_gets_into_it(tmp_path: Path) -> None:
    with key_server.written(tmp_path, key_server.answer):
        account = ["--trace", "log.txt", "--model-arg", f"user={key_server.KEY}"]
        printed = key_server.call(tmp_path, "lve", "run", "t", "-v", *account)
        printed += key_server.call(tmp_path, "lve", "run", "t", "--explain", "2")
    assert (tmp_path / "log.txt").read_text(encoding="utf-8").count("[redacted]") > 10
    key_server.check(tmp_path, printed)
