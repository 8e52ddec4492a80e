"""`lve watch`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from support.command_line import lve
from support.folders import write_test

from lve.cli.run.command import run
from lve.cli.run.command_options import RUN_ONCE, RunRequest
from lve.extensions.watching import verb


def test_it_is_run_with_watch(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_test(root / "t")
    requests: list[RunRequest] = []

    def once(request: RunRequest) -> int:
        requests.append(request)
        return 4

    monkeypatch.setattr(verb, "run_and_watch", once)
    lve("watch", "t", "--model", "dummy/dummy", "-q", "--fail-fast", code=4)
    (request,) = requests
    assert request.watch
    assert (request.paths, request.detail) == (("t",), "quiet")
    assert request.fields == {"models": ("dummy/dummy",), "fail_fast": 1}


def test_it_has_the_options_of_a_run_that_can_repeat() -> None:
    def names(command: click.Command) -> set[Any]:
        return {option.name for option in command.params}

    assert names(run) - names(verb.watch) == {"watch", "show_config", *RUN_ONCE}
    for option in ("--resume", "--dry-run", "--json"):
        lve("watch", option, code=2)
