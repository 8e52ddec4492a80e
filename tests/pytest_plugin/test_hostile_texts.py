"""Texts of tests and names of files that want to do something to the terminal or the CI runner,
through pytest."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.pytest_runs import sessions
from test_escape_commands import obeyed

Write = Callable[..., Path]

EVIL = "\x1b]0;title\x07\x9b2J\u202e"
COMMAND = "::add-mask::all"
VSO = "##vso[task.setvariable variable=x]y"
TEXTS = [EVIL, COMMAND, VSO, f"x\n{COMMAND}", f"x\r{COMMAND}\n  {VSO}\n{EVIL}"]
PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "skip": lambda text: {"skip": text},
    "checker": lambda text: {"checker_args": {"checker_name": text}},
    "key": lambda text: {text: 1},
    "dataset": lambda text: {"dataset": f"{text}.jsonl"},
    "prompt file": lambda text: {"prompt": None, "prompt_file": f"{text}.prompt"},
    "description": lambda text: {"description": text},
    "model": lambda text: {"model": f"x/{text}"},
    "models": lambda text: {"model": None, "models": ["replay", f"x/{text}"]},
    "tag": lambda text: {"tags": [{"name": text, "value": text}]},
    "parameter": lambda text: {"prompt_parameters": [text]},
    "pattern": lambda text: {
        "checker_args": {"checker_name": "RegexChecker", "pattern": text, "match_safe": True}
    },
    "message": lambda text: {"prompt": [{"role": "user", "content": text + "{country}"}]},
    "author": lambda text: {"author": text},
}


def assert_harmless(result: pytest.RunResult) -> None:
    """Check everything that a pytest run has printed."""
    said = result.stdout.str() + "\n" + result.stderr.str()
    assert "INTERNALERROR" not in said
    assert obeyed(said) == []
    assert [character for character in "\x1b\x07\x9b\u202e\r" if character in said] == []


def test_nothing_raw_from_documents(pytester: pytest.Pytester, write_test: Write) -> None:
    for place, keys in PLACES.items():
        for number, text in enumerate(TEXTS):
            write_test(f"{place}/t{number}", [("Paris", True), (text, False)], **keys(text))
    for more in (["-rA", "-v", "--junitxml=out.xml"], ["--collect-only"]):
        arguments = ["repository", "--continue-on-collection-errors", "--color=no", *more]
        assert_harmless(pytester.runpytest(*arguments))
    ElementTree.parse(pytester.path / "out.xml")


@pytest.mark.parametrize("native", [False, True])
def test_nothing_raw_from_names(pytester: pytest.Pytester, write_test: Write, native: bool) -> None:
    texts = [EVIL, COMMAND, VSO, f"x\n{COMMAND}"]
    for text in texts:
        good = write_test(f"{text}", [("Paris", True), ("Lyon", False)])
        (good / "instances" / "instances.jsonl").rename(good / "instances" / f"{text}.jsonl")
        write_test(f"{text}-bad", nonsense=1)
        if native:
            (good / "test_evil.py").touch()
    looked, ran = (
        pytester.runpytest("repository", "--continue-on-collection-errors", "--color=no", *more)
        for more in (["--collect-only"], ["-rA", "-v"])
    )
    assert_harmless(looked)
    assert_harmless(ran)
    ran.assert_outcomes(passed=len(texts), failed=len(texts), errors=len(texts))


def test_nothing_raw_from_the_name_of_a_test_that_no_model_answers(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    """Such a failure names the document instead of its checkers."""
    texts = [EVIL, COMMAND, VSO, f"x\n{COMMAND}"]
    for text in texts:
        folder = write_test(text, [("Paris", True)])
        row = {"args": {"country": "France"}, "response": "Paris", "sent": "sha256:0"}
        (folder / "instances" / "instances.jsonl").write_text(json.dumps(row))
    result = pytester.runpytest("repository", "--color=no", "-rA", "--lve-model=replay")
    assert_harmless(result)
    result.assert_outcomes(errors=len(texts))
    assert r"x\n\x3a:add-mask::all/test.json: was recorded" in result.stdout.str(), "in one line"


def test_nothing_raw_from_rows_and_answers(pytester: pytest.Pytester, write_test: Write) -> None:
    folder = write_test("a", [(text, False) for text in TEXTS])
    file = folder / "instances" / "instances.jsonl"
    file.write_text(file.read_text().replace("France", "::error::France"))
    result = pytester.runpytest("repository", "--color=no", "-rA", "-v")
    result.assert_outcomes(failed=len(TEXTS))
    assert_harmless(result)


def test_workers_say_nothing_raw(pytester: pytest.Pytester, write_test: Write) -> None:
    for number, text in enumerate(TEXTS):
        write_test(f"t{number}{text}", [(text, False)], skip=text if number % 2 else None)
    assert_harmless(pytester.runpytest("repository", "-n1", "-rA", "-v"))


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names are texts there")
@pytest.mark.parametrize("more", [{}, {"conftest.py": "", "in.txt": ""}], ids=["tests", "mixed"])
def test_a_folder_whose_name_is_no_text_ends_no_worker(
    pytester: pytest.Pytester, write_test: Write, more: dict[str, str]
) -> None:
    """pytest-xdist sends texts that are UTF-8, and what can't be sent ends the worker."""
    write_test("good", [("Paris", True)] * 4)
    name = os.fsdecode(b"odd\xff\x1b")
    write_test(f"{name}/in", [("Paris", True), ("Lyon", False)])
    (pytester.path / "repository" / name / "in" / "conftest.py").write_text("x = ")
    for file, text in more.items():
        (pytester.path / "repository" / name / file).write_text(text)
    result = pytester.runpytest("repository", "-n1", "-rA", "--lve-model=replay")
    assert_harmless(result)
    assert "DumpError" not in result.stderr.str()
    result.assert_outcomes(passed=5, failed=1)
    assert len(sessions(pytester)) == 1
