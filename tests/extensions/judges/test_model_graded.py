"""A judge with a template of one's own, whose choices are read as OpenAI's `evals` reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, ask, text_of
from support.judging import judge_of

from lve.checkers.arguments import ArgumentError
from lve.errors import SpecError
from lve.extensions.judges.model_graded import ModelGraded, conversation_text
from lve.messages import Message, Role

VECTORS = json.loads(
    (Path(__file__).parents[2] / "cases" / "openai_evals" / "vectors.json").read_text("utf-8")
)
CHECK: dict[str, Any] = {
    "model_graded": "Is it right? {{Yes or No}}\n{input}\n{completion}\n{ideal}",
    "choices": {"Yes": 1, "Unsure": 0.5, "No": 0},
}
ROW = {"ideal": "four"}


def test_choices_are_read_as_the_package_reads_them() -> None:
    differing = []
    for reply, choices, line, match, choice, score in VECTORS["choices"]:
        check = ModelGraded("{completion}", choices, None, line, match)
        read = check._choice(reply)
        scored = min(choices.values()) if read is None else choices[read]
        if (read, scored) != (choice, score):
            differing.append((reply, line, match, choice, read))
    assert len(VECTORS["choices"]) > 400
    assert differing == []


def test_a_conversation_is_shown_as_the_package_shows_it() -> None:
    for messages, text in VECTORS["conversations"]:
        turns = [Message(message["content"], Role(message["role"])) for message in messages]
        assert conversation_text(turns) == text


@pytest.mark.parametrize(
    ("reply", "threshold", "expected", "score"),
    [
        ("Hm.\nYes", None, "passed", 1.0),
        ("Yes\nUnsure.", None, "failed", 0.5),
        ("Unsure", 0.5, "passed", 0.5),
        ("No", 0.5, "failed", 0.0),
        ("what?", 0.5, "failed", 0.0),
        ("", None, "failed", 0.0),
    ],
)
def test_verdict(
    reply: str, threshold: float | None, expected: str, score: float, tmp_path: Path
) -> None:
    check = {**CHECK, **({"threshold": threshold} if threshold else {})}
    panel = Panel([reply])
    verdict = ask(judge_of(check, tmp_path, dataset=[ROW]), panel, "a {x}", args=ROW)
    assert (verdict.outcome, verdict.score) == (expected, score), verdict.reason


def test_the_judge_sees_the_filled_template_and_nothing_else(tmp_path: Path) -> None:
    panel = Panel(["Yes"])
    ask(judge_of(CHECK, tmp_path, dataset=[ROW]), panel, "a {ideal}", args=ROW)
    [question] = panel.asked
    assert len(question.messages) == 1
    asked = text_of(question)
    assert asked.startswith("Is it right? {Yes or No}\n")
    assert asked.endswith("\na {ideal}\nfour"), "what an answer says is no placeholder"


def test_a_name_that_no_row_has_is_told_at_load(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"'model_graded' has \{ideal\}: no "):
        judge_of(CHECK, tmp_path)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"choices": {"Yes": 1}}, "from 2 to 100 words"),
        ({"choices": {"Yes!": 1, "No": 0}}, "has punctuation"),
        ({"choices": {"Yes": 1, "No": 1}}, "above the lowest score"),
        ({"threshold": 2}, "above the lowest score"),
        ({"threshold": 0}, "above the lowest score"),
        ({"model_graded": "{input}"}, "wouldn't see the answer"),
    ],
)
def test_what_could_never_fail_or_pass_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        ModelGraded(**{**CHECK, **more})
