"""`lve new` on a real terminal of 80 columns."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import yaml
from support.command_line import lve
from support.folders import write_test
from support.terminal import Terminal

from lve.extensions.authoring.verbs import new

PLACE = (("Category", "trust"), ("Name of the test", "rivers"))
TEXTS = (
    ("What does the test show", "The model knows rivers."),
    ("A model or your application", ""),
    ("Model to test", "dummy/dummy"),
    ("Prompt:", "Which river flows through {city}?"),
)
CHECK = (("Check (number", "contains"), ("contains:", "{river}"), ("Another argument", ""))
REST = (
    ("How many rows have", "90%"),
    ("Tags", ""),
    ("A value of city", "Paris"),
    ("A value of river", "Seine"),
    ("must pass", "The Seine."),
    ("must fail", "The Rhine."),
)
ALL = (*PLACE, *TEXTS, *CHECK, *REST)


@pytest.fixture
def terminal(root: Path) -> Terminal:
    return Terminal("new", cwd=root)


def test_a_test_is_made_from_answers(root: Path, terminal: Terminal) -> None:
    for question, line in ALL:
        terminal.answer(question, line)
    assert terminal.end() == 0, terminal.shown
    assert all(len(line) <= 80 for line in terminal.lines), terminal.shown
    document = yaml.safe_load((root / "trust/rivers/test.yaml").read_text("utf-8"))
    assert document["prompt_parameters"] == ["city", "river"]
    assert document["check"] == {"contains": "{river}"}
    assert document["expect"] == {"at_least": "90%"}
    assert [example["args"]["river"] for example in document["examples"]] == ["Seine", "Seine"]
    assert lve("check", "trust").stdout.endswith("1 test: all valid\n")
    assert "made trust/rivers/test.yaml" in terminal.shown


def test_a_bad_answer_is_asked_again_with_the_reason(root: Path, terminal: Terminal) -> None:
    wrong = {
        "Category": [("../x", "letters, digits"), ("node_modules", "doesn't search folders")],
        "Name of the test": [("a/b", "letters, digits")],
        "What does the test show": [("   ", "a sentence is needed")],
        "A model or your application": [("robot", "model or application")],
        "Model to test": [("a b", "a name such as openai/NAME")],
        "Prompt:": [("{city", "expected }"), ("@nothing.txt", "can't be read"), ("{}", "")],
        "Check (number": [("contain", "did you mean `contains`"), ("99", "there is no check")],
        "How many rows have": [
            ("many", "a share such as 90%"),
            ("101%", "or 0.9"),
            ("1.5", "such as 42"),
        ],
        "Tags": [("severity", "NAME=VALUE"), ("severity=huge", "must be `low`")],
        "must pass": [("The Rhine.", "doesn't occur in the answer")],
        "must fail": [("The Seine.", "must fail")],
    }
    for question, line in ALL:
        for bad, reason in wrong.get(question, ()):
            terminal.answer(question, bad)
            terminal.wait_for("Error: ")
            terminal.wait_for(reason) if reason else None
        terminal.answer(question, line)
    assert terminal.end() == 0, terminal.shown
    assert "Traceback" not in terminal.shown
    assert lve("check", "trust").stdout.endswith("1 test: all valid\n")


def test_arguments_are_asked_from_the_fields_of_the_check(root: Path, terminal: Terminal) -> None:
    answers = (
        *(*PLACE, *TEXTS, ("Check (number", "?"), ("Check (number", "number")),
        *(("number:", "12"), ("Another argument", "tolerance"), ("tolerance:", "much")),
        *(("tolerance:", "0.5"), ("Another argument", "toleranz"), ("Another argument", "")),
        *(("How many rows have", ""), ("Tags", "severity=high, mine=x"), ("A value of city", "")),
        *(("must pass", ""), ("must fail", "")),
    )
    for question, line in answers:
        terminal.answer(question, line)
    assert terminal.end() == 0, terminal.shown
    document = yaml.safe_load((root / "trust/rivers/test.yaml").read_text("utf-8"))
    assert document["check"] == {"number": 12, "tolerance": 0.5}
    assert document["tags"][1] == {"name": "mine", "value": "x"}
    assert "expect" not in document
    assert "examples" not in document
    assert "max_toxicity" in terminal.shown, "`?` lists all"


def test_what_is_given_is_not_asked(root: Path) -> None:
    terminal = Terminal("new", "--from", "capitals", "--category", "trust", cwd=root)
    terminal.answer("Name of the test", "mine")
    assert terminal.end() == 0, terminal.shown
    assert "What does the test show" not in terminal.shown
    assert (root / "trust/mine/test.yaml").exists()


def test_the_prompt_may_come_from_an_editor(root: Path) -> None:
    editor = root / "editor.sh"
    editor.write_text('#!/bin/sh\nprintf "Two lines\\nfor {name}\\n" > "$1"\n')
    editor.chmod(0o755)
    words = ("new", "t", "--description", "d", "--check", "contains: x")
    terminal = Terminal(*words, cwd=root, env={"EDITOR": str(editor), "VISUAL": str(editor)})
    questions = ("A model or", "Model to", "Prompt:", "How many rows have", "Tags", "A value of")
    for question, line in ((one, "") for one in questions):
        terminal.answer(question, line)
    for question in ("must pass", "must fail"):
        terminal.answer(question, "")
    assert terminal.end() == 0, terminal.shown
    assert (root / "t/prompt.prompt").read_text() == "Two lines\nfor {name}"


def test_when_input_ends_at_any_question_nothing_is_written(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new, "can_ask", lambda: True)
    before = sorted(root.rglob("*"))
    for step, (question, _) in enumerate(ALL):
        done = lve("new", answers="".join(f"{line}\n" for _, line in ALL[:step]), code=130)
        last = done.stderr[done.stderr.rindex(question) :]
        assert not [later for later, _ in ALL[step + 1 :] if later in last], question
        assert "nothing was written" in last, question
        assert sorted(root.rglob("*")) == before, question


@pytest.mark.parametrize(
    ("step", "key"), [(0, "c"), (0, "d"), (5, "c"), (7, "d"), (len(ALL) - 1, "c")]
)
def test_leaving_at_a_question_writes_nothing(
    root: Path, terminal: Terminal, step: int, key: str
) -> None:
    """What all questions have in common, on a terminal; the one before has all questions."""
    before = sorted(root.rglob("*"))
    for question, line in ALL[:step]:
        terminal.answer(question, line)
    terminal.wait_for(ALL[step][0])
    terminal.press(key)
    assert terminal.end() == 130
    assert "nothing was written" in terminal.shown
    assert sorted(root.rglob("*")) == before


def test_killed_at_the_last_question_it_leaves_nothing(root: Path, terminal: Terminal) -> None:
    before = sorted(root.rglob("*"))
    for question, line in ALL[:-1]:
        terminal.answer(question, line)
    terminal.wait_for(ALL[-1][0])
    os.kill(terminal.child.pid, signal.SIGKILL)
    terminal.end()
    assert sorted(root.rglob("*")) == before


def test_what_others_have_named_is_shown_harmlessly(root: Path) -> None:
    write_test(root / "repository" / "evil\x1b]0;owned\x07" / "t")
    terminal = Terminal("new", "--description", "d", cwd=root)
    terminal.wait_for("Category")
    terminal.wait_for(": ")
    terminal.interrupt()
    assert "\x1b]0" not in terminal.shown
