"""A judge with a `rubricPrompt`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, ask
from support.judging import judge_of

from lve.checkers.arguments import ArgumentError
from lve.errors import SpecError
from lve.extensions.judges.promptfoo_judge import PromptfooJudge

CHECK: dict[str, Any] = {
    "promptfoo_judge": 'Is it {rubric}, {city}? {{"pass": bool}}\n{output}',
    "rubric": "polite",
}
ROW = {"city": "Paris"}


def test_the_judge_sees_the_filled_template(tmp_path: Path) -> None:
    template = [
        {"role": "system", "content": "Is it {rubric}? {{pass}}"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "{output}"},
                {"type": "image_url", "image_url": {"url": "https://a.example/{city}.png"}},
            ],
        },
    ]
    panel = Panel(['{"pass": true, "score": 0.5}'])
    check = {"promptfoo_judge": template, "rubric": "polite to {city}"}
    verdict = ask(judge_of(check, tmp_path, dataset=[ROW]), panel, '{"a": "{city}"}', args=ROW)
    assert (verdict.outcome, verdict.score) == ("passed", 0.5)
    system, user = panel.asked[0].messages
    assert system.content == "Is it polite to Paris? {pass}"
    assert user.content == [
        {"type": "text", "text": '{"a":"{city}"}'},
        {"type": "image_url", "image_url": {"url": "https://a.example/Paris.png"}},
    ]


@pytest.mark.parametrize(
    ("kind", "template"),
    [
        ("factuality", "{ideal} {completion} {input}"),
        ("model-graded-closedqa", "{criteria} {completion} {input}"),
    ],
)
def test_names_of_the_other_kinds(kind: str, template: str, tmp_path: Path) -> None:
    panel = Panel(["(A) Y"])
    check = {"promptfoo_judge": template, "kind": kind, "rubric": "polite"}
    assert ask(judge_of(check, tmp_path, dataset=[ROW]), panel, "hi", args=ROW).passed
    [message] = panel.asked[0].messages
    assert message.content == "polite hi Say it."


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"promptfoo_judge": " "}, "is a text, or a list of messages"),
        ({"promptfoo_judge": []}, "is a text, or a list of messages"),
        ({"promptfoo_judge": [{"role": "tool", "content": "x"}]}, "is a text, or a list"),
        ({"promptfoo_judge": [{"role": "user", "image": "/etc/passwd"}]}, "is a text, or a list"),
        (
            {"promptfoo_judge": [{"content": [{"type": "image", "image": "x.png"}]}]},
            "is a text, or a list",
        ),
        ({"promptfoo_judge": "x", "scores": {"A": 1}}, "'scores' has letters"),
        ({"promptfoo_judge": "x", "kind": "factuality", "scores": {"F": 1}}, "'scores' has"),
        ({"promptfoo_judge": "x", "kind": "factuality", "inverse": True}, "'inverse' is for"),
        ({"promptfoo_judge": "x", "kind": "factuality", "threshold": 1}, "'threshold' is for"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        PromptfooJudge(**arguments)


def test_a_name_that_no_row_has_is_told_at_load(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"'promptfoo_judge' has \{city\}: no "):
        judge_of(CHECK, tmp_path)
