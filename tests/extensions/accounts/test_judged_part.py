"""Which part of an answer a check judges, as `--explain` tells it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

from lve.checkers.contract import CheckContext
from lve.checkers.resolve import resolve
from lve.extensions.accounts.judged_part import parts_judged
from lve.messages import Message, Role, Transcript
from lve.spec.load import load_spec


def parts(root: Path, check: dict[str, Any], *answers: str) -> list[str]:
    """Return the steps of a check of the answers of as many turns."""
    messages = [Message(text, Role.assistant, f"turn_{n}") for n, text in enumerate(answers, 1)]
    filled = tuple(range(len(messages)))
    context = CheckContext((Transcript(tuple(messages), (), None, filled),))
    prompt = [{"content": "Hi"}]
    for n in range(1, len(answers)):
        prompt += [{"role": "assistant", "variable": f"turn_{n}"}, {"content": "And?"}]  # type: ignore[dict-item]
    spec = load_spec(write_test(root / "t", prompt=prompt, checker_args=None, check=check), root)
    (checker,) = resolve(spec).checkers
    return parts_judged(checker, spec.checkers[0].args, context)


@pytest.mark.parametrize(
    ("check", "answers", "steps"),
    [
        ({"contains": "7"}, ("It is 7.",), ["the last answer (no `on` names another): 'It is 7.'"]),
        (
            {"contains": "7", "extract": ["strip-think", "int_last"]},
            ("<think>9</think> 3, then 7.",),
            [
                "the last answer (no `on` names another): '<think>9</think> 3, then 7.'",
                "`extract: strip-think` takes '3, then 7.'",
                "`extract: int_last` takes '7'",
            ],
        ),
        (
            {"contains": "a", "on": "all"},
            ("a", "b"),
            ["answer 'turn_1' (`on: all`): 'a'", "answer 'turn_2' (`on: all`): 'b'"],
        ),
        (
            {"contains": "a", "on": "transcript"},
            ("a",),
            ["the whole conversation (`on: transcript`): 'assistant: a'"],
        ),
        (
            {"number": 7},
            ("<think>5?</think> The answer is 7.",),
            [
                "the last answer (no `on` names another): '<think>5?</think> The answer is 7.'",
                "without reasoning, introduction and marks: 'The answer is 7.'",
                "it looks first where it names its answer: '7.'",
                "then in its first sentence: 'The answer is 7.'",
            ],
        ),
        (
            {"number": 7},
            ("<think>5?",),
            [
                "the last answer (no `on` names another): '<think>5?'",
                "its reasoning was cut off, so there is no answer in it",
            ],
        ),
    ],
)
def test_each_step_is_told(
    check: dict[str, Any], answers: tuple[str, ...], steps: list[str], root: Path
) -> None:
    assert parts(root, check, *answers) == steps
