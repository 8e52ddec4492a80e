"""Reporters of plugins, broken ones among them."""

from __future__ import annotations

import json
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
        stream.write(detail + ":")
    def on_result(self, result, expect):
        {body}
    def on_tally(self, tally):
        self.stream.write("tally ")
    def finish(self, report):
        self.stream.write("end")
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    write_test(Path("t"))
    return Installed(tmp_path / "site", monkeypatch)


def add(installed: Installed, source: str) -> None:
    installed.add("lve-r", {"lve_r": source}, {"lve.reporters": {"own": "lve_r:Report"}})


def test_it_hears_everything_and_how_much_is_wanted(installed: Installed) -> None:
    add(installed, SOURCE.format(body="self.stream.write(result.verdict + ' ')"))
    assert call("run", "t", "--reporter", "own", "-q")[:2] == (0, "quiet:passed tally end")


def test_lves_own_reports_have_names_too(installed: Installed) -> None:
    assert json.loads(call("run", "t", "--reporter", "json")[1])["tests"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def Report(stream): pass", "can't make a reporter: TypeError"),
        ("def Report(stream, detail): return 3", "made something else than a reporter: no on_resu"),
        ("import sys\ndef Report(*_): sys.exit(0)", "can't make a reporter: SystemExit: 0"),
        ("import gone", "can't be loaded: ModuleNotFoundError"),
    ],
)
def test_one_that_cannot_be_made_starts_no_run(
    installed: Installed, source: str, said: str
) -> None:
    add(installed, source)
    result = lve("run", "t", "--reporter", "own", code=2)
    assert isinstance(result.exception, PluginError)
    assert f"the reporter plugin 'own' of lve-r 1.0 {said}" in str(result.exception)
    assert not Path(".lve").exists()


@pytest.mark.parametrize(
    "error", ["KeyError(1)", "OSError(28, 'No space left on device')", "SystemExit(5)"]
)
def test_one_that_fails_does_not_stop_the_run(installed: Installed, error: str) -> None:
    add(installed, SOURCE.format(body=f"raise {error}"))
    result = lve("run", "t", "--reporter", "own", code=2)
    assert isinstance(result.exception, PluginError)
    text = str(result.exception)
    assert "the reporter plugin 'own' of lve-r 1.0 failed while it reported: " in text
    [session] = (Path(".lve") / "runs").iterdir()
    assert text.endswith(f"; {session.as_posix()} has all results")
    assert len((session / "results.jsonl").read_text("utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--reporter", "jsn"], "there is no reporter 'jsn': did you mean `json`?; `lve plugins`"),
        (["--reporter", "xyz"], "there is no reporter 'xyz': there are text, json, jsonl; `lve"),
    ],
)
def test_an_unknown_name_is_told_with_those_that_are_known(
    installed: Installed, arguments: list[str], said: str
) -> None:
    result = lve("run", "t", *arguments, code=2)
    assert isinstance(result.exception, UsageError)
    assert said in str(result.exception)


@pytest.mark.parametrize("other", ["--json", "--jsonl", "--dry-run"])
def test_it_does_not_go_with_another_report(installed: Installed, other: str) -> None:
    result = lve("run", "t", "--reporter", "text", other, code=2)
    assert "don't go together" in result.output
