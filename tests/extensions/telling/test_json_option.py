"""`--json` on every verb: what was done as facts, and all that would have been said."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from extensions.telling.leaves import leaves
from support.command_line import call, lve
from support.folders import workspace, write_test
from support.server import model_server

from lve.cli.main import cli
from lve.errors import LveError

SPEAKING_ONLY = {
    "view": "serves until Ctrl-C",
    "watch": "runs again until Ctrl-C",
    "new": "its --json is the format of the document",
    "help": "its text is for people",
    "completion": "prints a script",
    "schema print": "prints a document",
    "export avid": "prints a document",
    "export inspect": "writes a document, and says nothing",
    "export jsonl": "prints a document",
    "export openai-batch": "prints a document",
    "export promptfoo": "prints a document",
}
"""Verb without `--json` -> why."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a test and its recorded answer, and a session."""
    monkeypatch.chdir(workspace(tmp_path))
    row = {"args": {}, "response": "Hello.", "is_safe": True}
    write_test(
        tmp_path / "greeting", checker_args=None, check={"contains": "Hello"}, instances=[row]
    )
    call("run", "greeting", "--model", "replay")
    return tmp_path


def document(*words: str) -> Any:
    """Return the document that a verb prints, on stdout and alone."""
    code, out, err = call(*words, "--json")
    printed = json.loads(out)
    assert printed.get("exit_code", code) == code
    assert err == ""
    return printed


def test_every_verb_that_says_something_has_json() -> None:
    without = {
        words
        for words, command in leaves(cli)
        if not any(option.name == "as_json" for option in command.params)
    }
    assert without == set(SPEAKING_ONLY)


def test_reports_are_named_with_their_sizes(root: Path) -> None:
    told = document("report", "-o", "a.html", "-o", "b.csv")
    assert {name: Path(name).stat().st_size for name in told["written"]} == told["written"]
    assert list(told["written"]) == ["a.html", "b.csv"]
    assert [text.split()[:2] for text in told["messages"]] == [
        ["wrote", "a.html"],
        ["wrote", "b.csv"],
    ]


def test_a_workspace_and_a_site_say_what_was_made(root: Path) -> None:
    (root / "lve.yaml").unlink()
    told = document("init", "other")
    assert (told["meaning"], told["exit_code"]) == ("everything came out as expected", 0)
    assert "lve.yaml" in told["made"]
    site = document("site", "build", "greeting", "-o", "site")
    assert (site["folder"], site["tests"]) == ("site", 1)


def test_a_stale_readme_is_a_failure_also_in_json(root: Path) -> None:
    code, out, _ = call("contrib", "readme", "greeting", "--check", "--json")
    told = json.loads(out)
    assert (code, told["exit_code"], told["stale"]) == (1, 1, ["greeting/README.md"])
    assert document("contrib", "readme", "greeting")["written"] == ["greeting/README.md"]


def test_recorded_answers_are_counted_and_nothing_is_asked(root: Path) -> None:
    with model_server("Hello!") as server:
        words = ("record", "greeting", "-m", "openai/m", "--base-url", server.url, "--to", "new")
        told = document(*words)
    assert told["recorded"] == {"greeting/instances/new.jsonl": 1}


def test_an_error_is_a_document_of_its_own(root: Path) -> None:
    (root / "b.csv").mkdir()
    result = lve("report", "--json", "-o", "a.html", "-o", "b.csv", code=2)
    told = json.loads(result.stdout)
    assert told["exit_code"] == 2
    assert "b.csv" in told["error"]["message"]
    assert "b.csv" in result.stderr


def test_what_was_said_before_an_error_is_printed(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lve.extensions.telling.json_option import add_json

    def fail() -> None:
        click.echo("lve: half done", err=True)
        raise LveError("broken")

    command = click.Command("x", callback=fail)
    add_json(command)
    with pytest.raises(LveError):
        command.main(["--json"], standalone_mode=False)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "lve: half done\n")


def test_a_question_ends_the_verb(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from lve.extensions.telling.json_option import add_json

    before = sys.stdin
    command = click.Command("x", callback=lambda: click.confirm("Delete all?"))
    add_json(command)
    with pytest.raises(click.Abort):
        command.main(["--json"], standalone_mode=False)
    assert sys.stdin is before


def test_facts_of_one_verb_are_not_those_of_the_next(root: Path) -> None:
    document("report", "-o", "a.csv")
    assert "written" not in document("site", "build", "greeting", "-o", "site")
