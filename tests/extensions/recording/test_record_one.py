"""`lve record` of one test, without a terminal: what says which answers are recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import write_test
from support.server import model_server

from lve.errors import LveError

HELLO: dict[str, Any] = {
    "prompt": [{"content": "Say hello to {name}."}],
    "prompt_parameters": ["name"],
}


def names(folder: Path) -> list[str]:
    files = (folder / "instances").glob("*.jsonl")
    lines = (line for file in sorted(files) for line in file.read_text().splitlines())
    return [json.loads(line)["args"]["name"] for line in lines]


def test_examples_say_what_to_record_where_nothing_else_does(root: Path) -> None:
    examples = [{"verdict": "passed", "response": "Hello", "args": {"name": "Ana"}}]
    folder = write_test(root / "t", **HELLO, examples=examples)
    result = lve("record", "t")
    assert "recorded 1 in t/instances/dummy--dummy.jsonl" in result.stdout
    assert names(folder) == ["Ana"]


def test_a_number_goes_around_and_asks_anew(root: Path) -> None:
    folder = write_test(root / "t", **HELLO, model="openai/test")
    (root / "p.csv").write_text("name\nAna\nBob\n")
    with model_server("Hello") as server:
        words = ("--params", "p.csv", "-n", "5", "-j", "1", "--base-url", server.url)
        lve("record", "t", *words)
        assert len(server.requests) == 5, "none comes from the cache"
    assert sorted(names(folder)) == ["Ana", "Ana", "Ana", "Bob", "Bob"]


def test_a_number_also_ends_early(root: Path) -> None:
    folder = write_test(root / "t", **HELLO)
    (root / "p.csv").write_text("name\n" + "".join(f"n{n}\n" for n in range(100)))
    lve("record", "t", "--params", "p.csv", "-n", "40")
    assert names(folder) == [f"n{n}" for n in range(40)]


def test_several_models_are_recorded(root: Path) -> None:
    folder = write_test(root / "t", **HELLO, model=None, models=["dummy/dummy", "dummy/other"])
    lve("record", "t", "-p", "name=Ana", "-n", "1")
    assert len(list((folder / "instances").iterdir())) == 2


def test_what_fails_is_told_and_the_rest_is_kept(root: Path) -> None:
    folder = write_test(root / "t", **HELLO, model="openai/test")
    (root / "p.csv").write_text("name\nAna\nBob\n")
    with model_server("Hello", faults=iter(["400"])) as server:
        words = ("--params", "p.csv", "-j", "1", "--base-url", server.url)
        result = lve("record", "t", *words, code=3)
    assert "error: " in result.stdout
    assert names(folder) == ["Bob"]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["t", "--loop"], "needs a terminal to ask on"),
        (["t", "u", "-n", "2"], "are for one test, but there are 2"),
        (["t", "--dataset"], "has no data set"),
        (["t", "-n", "2"], "nothing to record"),
        (["t", "-n", "2", "-m", "replay", "-p", "name=Ana"], "name the model to record"),
        (["t", "-n", "2", "-p", "nam=Ana"], "no parameter 'nam': did you mean `name`?"),
        (["skipped", "-n", "2"], "skipped is skipped: too slow"),
        (["t", "-n", "2", "-m", "openai", "-p", "name=Ana"], "openai"),
    ],
)
def test_mistakes_are_one_clear_line(root: Path, words: list[str], what: str) -> None:
    write_test(root / "t", **HELLO)
    write_test(root / "u", **HELLO)
    write_test(root / "skipped", skip="too slow")
    with pytest.raises(LveError, match=what.replace("?", r"\?")):
        call("record", *words)
    assert not (root / "t" / "instances").exists()


@pytest.mark.parametrize("words", [["--params", "x", "--dataset"], ["--yes", "--loop"]])
def test_options_that_contradict_each_other(root: Path, words: list[str]) -> None:
    write_test(root / "t", **HELLO)
    result = lve("record", "t", *words, code=2)
    assert "don't go together" in result.stderr


def test_a_secret_among_the_args_is_not_recorded(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-very-secret-1234")
    folder = write_test(root / "t", **HELLO)
    result = lve("record", "t", "-p", "name=sk-very-secret-1234", "-n", "1")
    assert "its args contain a secret" in result.stderr
    assert not (folder / "instances").exists()


def test_a_folder_that_cannot_be_written_is_an_error(root: Path) -> None:
    folder = write_test(root / "t", **HELLO)
    (root / "other").mkdir()
    (folder / "instances").symlink_to(root / "other")
    lve("record", "t", "-p", "name=Ana", "-n", "1", code=3)
    assert list((root / "other").iterdir()) == []
