"""Transcripts from the answers in `examples`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

from lve.checkers.static import check_statically
from lve.spec.load import load_spec

PROMPT = [
    {"role": "system", "content": "The codeword is {word}."},
    {"content": "Tell me."},
    {"role": "assistant", "variable": "first"},
    {"content": "Please!"},
]


def problems(folder: Path, check: object, example: dict[str, Any], **more: Any) -> list[str]:
    document = {"prompt": PROMPT, "prompt_parameters": ["word"], "checker_args": None, **more}
    write_test(folder, check=check, examples=[example], **document)
    found = check_statically(load_spec(folder, folder))
    return [f"{problem.message} ({problem.hint})" for problem in found]


@pytest.mark.parametrize(
    ("example", "whole"),
    [
        ({"response": {"first": "a", "response": "b"}, "args": {"word": "owl"}}, True),
        ({"response": {"first": "a", "response": "b"}}, False),
        ({"response": "b", "args": {"word": "owl"}}, False),
        ({"response": {"first": "a"}, "args": {"word": "owl"}}, False),
    ],
)
def test_answers_stand_in_their_conversation(
    example: dict[str, Any], whole: bool, tmp_path: Path
) -> None:
    check = {"contains": "system: The codeword is owl.\n\nuser: Tell me.\n\nassistant: a"}
    given = {**example, "verdict": "passed" if whole else "failed"}
    assert problems(tmp_path, {**check, "on": "transcript"}, given) == []


def test_each_run_has_its_own(tmp_path: Path) -> None:
    runs = [{"prompt": [{"content": "One?"}]}, {"prompt": [{"content": "Two?"}]}]
    example = {"response": ["1", "2"], "verdict": "passed"}
    func = "lambda rs: rs == ['user: One?\\n\\nassistant: 1', 'user: Two?\\n\\nassistant: 2']"
    check = {"MultiRunLambdaChecker": {"func": func}, "on": "transcript"}
    given = {"prompt": None, "prompt_parameters": None, "multi_run_prompt": runs}
    assert problems(tmp_path, check, example, **given) == []


def test_a_run_has_its_name_even_if_nothing_fills_its_prompt(tmp_path: Path) -> None:
    runs = [{"name": n, "prompt": [{"content": "{word}?"}]} for n in ("large", "small")]
    check = {"pairwise_order": ["small", "large"]}
    example = {"response": ["2", "1"], "verdict": "passed"}
    assert problems(tmp_path, check, example, prompt=None, multi_run_prompt=runs) == []


@pytest.mark.parametrize(
    ("name", "hint"), [("frist", "did you mean `first`?"), ("x", "there are first, response")]
)
def test_an_answer_that_the_test_does_not_have(name: str, hint: str, tmp_path: Path) -> None:
    example = {"response": {name: "a"}, "verdict": "passed"}
    (problem,) = problems(tmp_path, {"contains": "a"}, example)
    assert problem == f"the test has no answer '{name}' ({hint})"
