"""What is offered for a word, by what the word is for."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from support.command_line import call
from support.folders import workspace, write_test

from lve.cli.main import cli
from lve.cli.verbs import COMPLETION_VARIABLE, VERBS
from lve.extensions.completion.completers import BY_NAME, BY_PLACEHOLDER

SETTINGS = """\
model: mine/default
models: {mine/other: {base_url: "http://localhost:1/v1"}}
roles: {helper: mine/helper}
"""


@pytest.fixture
def here(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workspace(root, SETTINGS)
    tags = [{"name": "severity", "value": "high"}, {"name": "paper", "value": "Lin (2021)"}]
    write_test(root / "a", model="tests/one", tags=tags)
    write_test(root / "b", model=None, models=["tests/two:1b", {"model": "tests/three"}])
    (root / "c").mkdir()
    (root / "c/test.json").write_text('{"model": 3, "tags": [3, {"name": 1}], "models": {}}')
    (root / "d").mkdir()
    (root / "d/test.json").write_text("{")
    monkeypatch.setenv(COMPLETION_VARIABLE, "bash_complete")
    return root


def offered(*words: str) -> list[str]:
    """Return what is offered for the last word; `<file>` where the shell looks for files."""
    *before, word = words
    found = ShellComplete(cli, {}, "lve", COMPLETION_VARIABLE).get_completions(list(before), word)
    return ["<file>" if one.type == "file" else one.value for one in found]


def test_models_of_settings_and_tests_and_known_ones(here: Path) -> None:
    assert offered("run", "--model", "mine/") == ["mine/default", "mine/other", "mine/helper"]
    assert offered("run", "-m", "tests/") == ["tests/one", "tests/two:1b", "tests/three"]
    assert offered("record", "-m", "repl") == ["replay"]
    assert offered("render", "--model", "dummy/") == ["dummy/dummy"]
    assert "openai/gpt-6-luna" in offered("models", "show", "openai/gpt-6")
    assert all("/" in name or name == "replay" for name in offered("run", "-m", ""))


def test_roles_have_models(here: Path) -> None:
    assert offered("run", "--role", "helper=mine/d") == ["helper=mine/default"]
    assert "judge=replay" in offered("score", "last", "--role", "ju")


def test_tags_with_and_without_values(here: Path) -> None:
    assert offered("run", "--tag", "sev") == ["severity", "severity=high"]
    assert offered("list", "--tag", "severity=") == ["severity=high"]
    assert offered("new", "--tag", "pap") == ["paper"]  # its value has what a shell reads


def test_sessions_the_latest_first(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered("run", "--failed-in", "") == ["<file>"]
    monkeypatch.delenv(COMPLETION_VARIABLE)
    for _ in range(2):
        call("run", "a", "--model", "dummy/dummy")
    monkeypatch.setenv(COMPLETION_VARIABLE, "bash_complete")
    ids = sorted((path.name for path in (here / ".lve/runs").iterdir()), reverse=True)
    for words in (("report",), ("score",), ("compare",), ("run", "--resume"), ("merge",)):
        assert offered(*words, "") == ["last", *ids]
    assert offered("show", ids[0][:8]) == ids
    assert offered("show", "last", "") == ["<file>"]
    assert offered("compare", "la") == ["last"]
    assert offered("report", "--session-dir", "nowhere", "") == ["<file>"]


def test_patterns_schemas_checkers_and_files(here: Path) -> None:
    assert "capitals" in offered("new", "--from", "ca")
    assert offered("new", "--from", "repos") == ["<file>"]
    assert offered("schema", "print", "sui") == ["suite"]
    assert offered("schema", "install", "--editor", "vs") == ["vscode"]
    assert offered("calibrate", "contains_a") == ["contains_any", "contains_all"]
    for words in (("run",), ("score", "last"), ("run", "-o"), ("commit",), ("run", "--baseline")):
        assert offered(*words, "x") == ["<file>"]


@pytest.mark.parametrize("name", ["$(touch x)", "`id`", "a;b", "a b", "-x", "~root", "a\nb", "a'"])
def test_a_name_that_a_shell_would_run_is_not_offered(here: Path, name: str) -> None:
    write_test(here / "e", model=name, tags=[{"name": name, "value": "1"}])
    begin = name[0]
    assert not [one for one in offered("run", "--tag", begin) if one.startswith(name)]
    assert name not in offered("run", "--model", begin)


def test_broken_settings_offer_nothing_and_say_nothing(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "lve.yaml").write_text("models: [")
    assert offered("run", "--model", "") == []
    assert capfd.readouterr() == ("", "")


def test_the_tables_name_what_there_is(here: Path) -> None:
    placeholders, names = set(), set()
    for verb in VERBS:
        command = cli.get_command(cli.make_context("lve", ["--help"], resilient_parsing=True), verb)
        for name, one in [(verb, command), *_inner(verb, command)]:
            for parameter in one.params:  # type: ignore[union-attr]
                placeholders.add(parameter.metavar)
                names.add(f"{name}:{parameter.name}")
    assert set(BY_PLACEHOLDER) <= placeholders
    assert set(BY_NAME) <= names


def _inner(verb: str, command: object) -> list[tuple[str, object]]:
    return [(f"{verb} {word}", one) for word, one in getattr(command, "commands", {}).items()]
