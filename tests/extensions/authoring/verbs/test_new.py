"""`lve new` with options, as scripts use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from support.command_line import call, lve
from support.folders import write_test
from support.unprivileged import run_unprivileged

from lve.errors import LveError

GREETING = [
    *("--description", "Greets back.", "--prompt", "Hello, I am {name}."),
    *("--check", "contains: '{name}'", "-p", "name=Ana"),
]


def document(folder: Path) -> dict[str, object]:
    loaded = yaml.safe_load((folder / "test.yaml").read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_every_answer_is_an_option(root: Path) -> None:
    result = lve(
        *("new", "repository/manners/greeting", *GREETING, "--model", "openai/gpt-6-luna"),
        *("--tag", "severity=low", "--tag", "jailbreak=no", "--author", "Ana"),
        *("--passes", "Hello Ana!", "--fails", "Go away.", "--at-least", "0.9"),
    )
    folder = root / "repository/manners/greeting"
    assert document(folder) == {
        "description": "Greets back.",
        "author": "Ana",
        "model": "openai/gpt-6-luna",
        "prompt_file": "prompt.prompt",
        "prompt_parameters": ["name"],
        "check": {"contains": "{name}"},
        "expect": {"at_least": 0.9},
        "tags": [{"name": "severity", "value": "low"}, {"name": "jailbreak", "value": "no"}],
        "examples": [
            {"verdict": "passed", "response": "Hello Ana!", "args": {"name": "Ana"}},
            {"verdict": "failed", "response": "Go away.", "args": {"name": "Ana"}},
        ],
    }
    assert (folder / "prompt.prompt").read_text() == "Hello, I am {name}."
    assert (folder / "README.md").read_text().startswith("# Greeting\n\nGreets back.\n")
    first = (folder / "test.yaml").read_text().splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=https://")
    assert lve("check", folder).stdout.endswith("1 test: all valid\n")
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_the_schema_of_the_workspace_is_used(root: Path) -> None:
    (root / "schemas").mkdir()
    (root / "schemas/test.schema.json").write_text("{}")
    lve("new", "repository/x/json", *GREETING, "--json")
    found = json.loads((root / "repository/x/json/test.json").read_text())
    assert found["$schema"] == "../../../schemas/test.schema.json"
    lve("new", "repository/x/yaml/test.yaml", *GREETING)
    first = (root / "repository/x/yaml/test.yaml").read_text().splitlines()[0]
    assert first.endswith("$schema=../../../schemas/test.schema.json")


def test_a_documents_name_says_its_format(root: Path) -> None:
    lve("new", "a/test.json", *GREETING)
    assert [entry.name for entry in sorted((root / "a").iterdir())] == [
        *("README.md", "prompt.prompt", "test.json"),
    ]


def test_category_and_name_make_the_path(root: Path) -> None:
    lve("new", "--category", "trust", "--name", "one", *GREETING)
    (root / "repository").mkdir()
    lve("new", "--category", "trust", "--name", "two", *GREETING)
    assert (root / "trust/one/test.yaml").exists()
    assert (root / "repository/trust/two/test.yaml").exists()


def test_parameters_come_from_prompt_and_check(root: Path) -> None:
    (root / "ask.prompt").write_text(
        '{"role": "system", "content": "Be {mood}."}\n'
        '{"content": "Say {{x}} to {name}"}\n'
        '{"role": "assistant", "variable": "first"}\n'
        '{"content": "Again: {first}"}\n'
    )
    lve(
        *("new", "t", "--description", "d", "--prompt-file", "ask.prompt"),
        *("--check", "all: [{contains: '{name}'}, {contains: '{wanted}'}]"),
    )
    assert document(root / "t")["prompt_parameters"] == ["mood", "name", "wanted"]


def test_a_copy_is_changed_by_options(root: Path) -> None:
    lve("new", "t", "--from", "capitals", "--model", "dummy/dummy", "--check", "text: Rome")
    made = document(root / "t")
    assert (made["model"], made["check"]) == ("dummy/dummy", {"text": "Rome"})
    assert "examples" not in made, "they were about another check"
    assert not (root / "t/instances").exists()


MISTAKES = [
    (["t"], "on a terminal, `lve new` asks", "--description, --prompt or --prompt-file, --check"),
    (["--from", "capitals"], "on a terminal, `lve new` asks", "PATH (or --category and --name)"),
    (["t", "--from", "capital"], "there is neither", "did you mean"),
    (["t", "--name", "x"], "PATH and --category or --name", "don't go together"),
    (["there", *GREETING], "there exists", "nothing is overwritten"),
    (["there/test.json/x", *GREETING], "is not a folder", ""),
    (["t/instances", *GREETING], "can't be in a folder", "doesn't search folders"),
    (["t/.hidden", *GREETING], "can't be in a folder", "begins with a letter"),
    (["a\nb", *GREETING], "can't be in a folder", ""),
    (["a" * 81, *GREETING], "81 characters", "at most 80"),
    (["--category", "..", "--name", "x", *GREETING], "can't be called", ""),
    (["--name", "a/b", *GREETING], "can't be called", ""),
    (["t", *GREETING, "-p", "nmae=Bea"], "no parameter 'nmae'", "did you mean `name`"),
    (["t", "--from", "capitals", "-p", "x=1"], "no parameter 'x'", "it has country, capital"),
    *((["t", *GREETING, "--at-least", x], "'--at-least'", "as 42") for x in ("nan", "-1", "2.5")),
    (["t", *GREETING, "--tag", "severity"], "not NAME=VALUE", ""),
    (["t", *GREETING, "--tag", "severity=huge"], "$.tags[0].value", "`low`"),
    (["t", *GREETING, "--passes", "Bye"], "$.examples[0]", "this answer must pass"),
    (["t", *GREETING[:4], "--check", "contain: x"], "did you mean `contains`", ""),
    (["t", *GREETING[:4], "--check", "Paris"], "name of a check", ""),
    (["t", *GREETING[:4], "--check", "regex: '('"], "$.check", ""),
    (["t", "--description", "d", "--prompt", "{a", "--check", "text: x"], "expected }", ""),
    (["t", "--description", "d", "--prompt", "", "--check", "text: x"], "not been filled in", ""),
    (["t", "--description", "d", "--prompt-file", "no", "--check", "text: x"], "can't be read", ""),
    (["t", "--description", "d\udcff", "--prompt", "p", "--check", "text: x"], "not UTF-8", ""),
]


@pytest.mark.parametrize(("words", "what", "hint"), MISTAKES, ids=lambda value: str(value)[-30:])
def test_a_mistake_is_told_and_nothing_is_written(
    root: Path, words: list[str], what: str, hint: str
) -> None:
    write_test(root / "there")
    before = sorted(root.rglob("*"))
    result = lve("new", *words, code=2)
    told = f"{result.stderr}{result.exception}"
    assert what in told
    assert hint in told
    assert sorted(root.rglob("*")) == before


def test_a_secret_is_never_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-very-secret-1234")
    with pytest.raises(LveError, match="would contain a secret"):
        call("new", "t", *GREETING, "--passes", "Ana has sk-very-secret-1234")
    assert not (root / "t").exists()


def test_unicode_names_are_names(root: Path) -> None:
    lve("new", "sprache/größe", *GREETING)
    assert lve("check", "sprache").stdout.endswith("1 test: all valid\n")


def test_a_read_only_folder_is_told_before_anything(root: Path) -> None:
    locked = root / "locked"
    locked.mkdir(mode=0o555)
    done = run_unprivileged("lve", "new", "locked/a/b", "--from", "capitals", cwd=root)
    assert done.returncode == 2
    assert done.stderr == "lve: locked can't be written to: it is read-only [unwritable]\n"


def test_an_empty_folder_may_become_a_test_but_not_the_current_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "here").mkdir()
    monkeypatch.chdir(root / "here")
    for name in (".", "../here"):
        with pytest.raises(LveError, match="name a folder in it"):
            call("new", name, *GREETING)
    (root / "empty").mkdir()
    lve("new", "../empty", *GREETING)


def test_the_next_step_names_what_is_still_missing(root: Path) -> None:
    """A matrix gives its parameters, and a judge has to be named."""
    out = call("new", "repository/mine/polite", "--from", "polite_reply")[1]
    assert "lve record repository/mine/polite --role judge=MODEL\n" in out
    (root / "lve.yaml").write_text("roles: {judge: dummy/dummy}\n")
    out = call("new", "repository/mine/other", "--from", "polite_reply")[1]
    assert "lve record repository/mine/other\n" in out
