"""Reporters of plugins write files whose suffix is their name."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test
from support.installed import Installed

from lve.errors import PluginError, UsageError

SOURCE = """
class Report:
    def __init__(self, stream, detail):
        self.stream = stream
    def on_result(self, result, expect):
        {body}
    def on_tally(self, tally):
        self.stream.write(f"{{tally.test}} {{tally.verdict()[0]}}\\n")
    def finish(self, report):
        self.stream.write(f"exit {{report.exit_code}}\\n")
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    write_test(Path("t"), expect="fail")
    return Installed(tmp_path / "site", monkeypatch)


def add(installed: Installed, source: str) -> None:
    installed.add("lve-r", {"lve_r": source}, {"lve.reporters": {"own": "lve_r:Report"}})


def test_it_hears_of_a_session_what_it_hears_of_a_run(installed: Installed) -> None:
    add(
        installed,
        SOURCE.format(body="self.stream.write(result.verdict + expect.kind + ' \\ud800')"),
    )
    assert call("run", "t", "-o", "a.own")[0] == 1
    assert Path("a.own").read_text() == "passedfail \\ud800t failed\nexit 1\n"
    call("report", "last", "-o", "b.own")
    assert Path("b.own").read_text() == Path("a.own").read_text()


def test_one_that_fails_writes_nothing_and_costs_no_result(installed: Installed) -> None:
    add(installed, SOURCE.format(body="raise KeyError(1)"))
    result = lve("run", "t", "-o", "a.own", code=1)
    assert "failed while it reported: KeyError: 1" in result.stderr
    assert "`lve report " in result.stderr
    assert not Path("a.own").exists()


def test_one_that_cannot_be_loaded_stops_a_run_before_it_begins(installed: Installed) -> None:
    add(installed, "import gone")
    with pytest.raises(PluginError, match="can't be loaded"):
        call("run", "t", "-o", "a.own")
    assert not Path(".lve").exists()


def test_it_reports_one_session(installed: Installed) -> None:
    add(installed, SOURCE.format(body="pass"))
    for _ in range(2):
        call("run", "t")
    with pytest.raises(UsageError, match="reports one session: name one"):
        call("report", "last", "last~1", "-o", "a.own")
    assert not Path("a.own").exists()
