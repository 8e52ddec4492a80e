"""Checkers with very many mistakes: the first are described, and the rest of the test is checked in
bounded work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import write_test

import lve.checkers.arguments as arguments
import lve.checkers.usable_names as names

MANY = 5_000
LINES = 110
"""Lines that a test may print: the first 100 problems, and some more of other kinds."""
REGEX = {"checker_name": "RegexChecker", "pattern": "x", "match_safe": True}
TEXT = "".join(f"{{n{number}}}" for number in range(MANY))
WRONG: dict[str, dict[str, Any]] = {
    "arguments": {"checker_args": {**REGEX, **{f"a{number}": 1 for number in range(MANY)}}},
    "arguments in the short form": {
        "check": {"contains": "x", **{f"a{n}": 1 for n in range(MANY)}}
    },
    "arguments inside": {"check": {"all": [{"RegexChecker": {f"a{n}": 1 for n in range(MANY)}}]}},
    "checkers inside": {"check": {"all": [{"RegexChecker": {}}] * MANY}},
    "checkers that name nothing": {"check": {"all": [{"on": {"x": 1}}] * MANY}},
    "placeholders": {"check": {"contains": TEXT}},
    "placeholders in a list": {"check": {"contains_any": [TEXT, TEXT]}},
    "names of a lambda": {
        "checker_args": {
            "checker_name": "LambdaChecker",
            "func": f"lambda r, {', '.join(f'n{n}' for n in range(MANY))}: True",
        }
    },
    "examples' args": {
        "examples": [
            {"response": "Hello", "verdict": "passed", "args": {f"a{n}": 1 for n in range(9)}}
        ]
        * MANY
    },
    "examples' verdicts": {"examples": [{"response": "", "verdict": "passed"}] * MANY},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_few_of_the_problems_are_printed(wrong: str, root: Path) -> None:
    keys = {"checker_args": None, **WRONG[wrong]} if "check" in WRONG[wrong] else WRONG[wrong]
    write_test(root / "t", **keys)
    _, output, _ = call("check", "t")
    lines = output.splitlines()
    assert 2 <= len(lines) <= LINES, len(lines)
    assert "this is a bug" not in output


@pytest.mark.parametrize("wrong", ["arguments", "arguments inside", "placeholders"])
def test_the_work_does_not_grow_with_their_number(
    wrong: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = {"errors": 0, "answers": 0}

    class CountedError(arguments.ArgumentError):
        def __init__(self, *args: Any, **named: Any) -> None:
            calls["errors"] += 1
            super().__init__(*args, **named)

    original = names.answer_names

    def answer_names(spec: Any) -> names.AnswerNames:
        calls["answers"] += 1
        return original(spec)

    monkeypatch.setattr(arguments, "ArgumentError", CountedError)
    monkeypatch.setattr(names, "answer_names", answer_names)
    keys = {"checker_args": None, **WRONG[wrong]} if "check" in WRONG[wrong] else WRONG[wrong]
    write_test(root / "t", **keys)
    call("check", "t")
    assert calls["errors"] < 1_500
    assert calls["answers"] < 20


@pytest.mark.parametrize("line", ['{"rol": 1}\n', '{"role": "user", "content": 1}\n'])
def test_a_prompt_file_of_wrong_messages_is_described_in_part(line: str, root: Path) -> None:
    write_test(root / "t", prompt=None, prompt_file="p.prompt")
    (root / "t" / "p.prompt").write_text(line * MANY)
    code, output, _ = call("check", "t")
    lines = output.splitlines()
    assert code == 2
    assert lines[0].startswith("t/p.prompt:1:")
    assert len(lines) == 102, len(lines)
    assert "there are more problems than these" in lines[100]


def test_examples_that_are_all_wrong_are_described_in_part_by_unit_test_too(root: Path) -> None:
    write_test(root / "t", examples=[{"response": "", "verdict": "passed"}] * 1_000)
    _, output, _ = call("check", "--replay", "t")
    assert 100 < len(output.splitlines()) <= LINES
