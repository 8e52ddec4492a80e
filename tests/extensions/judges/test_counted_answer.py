"""What of an answer a judge gets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from extensions.judges.quotations import CHECKS
from support.judges import Panel, ask, text_of, yes
from support.judging import judge_of

from lve.extensions.judges.counted_answer import counted_text

HIDDEN = "SECRET"
PAIR: Mapping[str, Any] = {"pairwise": "It is clearer.", "against": "Rome."}
SIMILAR: Mapping[str, Any] = {"similar": "Paris."}
OF_CONTEXTS = ("context_recall", "context_relevance")
JUDGING_ANSWERS = [
    *(kind.check for name, kind in CHECKS.items() if name not in OF_CONTEXTS),
    PAIR,
    SIMILAR,
    {"answer_correctness": "Paris.", "question": "Which city?"},
    {"noise_sensitivity": ["It is Lyon."], "reference": "Paris.", "question": "Which city?"},
]


@pytest.mark.parametrize(
    ("answer", "counted"),
    [
        ("Paris.", "Paris."),
        (" Paris.\n", " Paris.\n"),
        ("", ""),
        ("<think>SECRET</think>\n\nParis.", "Paris."),
        ("SECRET</think>Paris.", "Paris."),
        ("<think>SECRET</think>", ""),
        ("<think>SECRET", None),
        ("<think>\nSECRET\n\nParis.", None),
        ("Paris.\n<think>SECRET", "Paris."),
        ("The <think> tag begins it.", "The <think> tag begins it."),
        ("<answer>Paris</answer> SECRET", "<answer>Paris</answer>"),
        ("As it is so: <answer>Paris</answer>\nSECRET", "As it is so: <answer>Paris</answer>"),
        ("<answer>Paris</answer>\n", "<answer>Paris</answer>\n"),
        ("<a><answer>Paris</answer><why>x</why></a>", "<a><answer>Paris</answer><why>x</why></a>"),
        ("End it with </answer> then.", "End it with </answer> then."),
        ('{"reasoning": "so", "answer": "Paris"}', '{"reasoning": "so", "answer": "Paris"}'),
        ("Paris.\n\nQ: Which?\nA: Rome.", "Paris.\n\nQ: Which?\nA: Rome."),
    ],
)
def test_what_counts(answer: str, counted: str | None) -> None:
    assert counted_text(answer) == counted


@pytest.mark.parametrize("check", JUDGING_ANSWERS, ids=lambda check: next(iter(check)))
def test_no_judge_gets_reasoning(check: Mapping[str, Any], tmp_path: Path) -> None:
    judge = judge_of(dict(check), tmp_path, prompt_parameters=["text"])
    thought, plain = Panel([yes()]), Panel([yes()])
    if check is SIMILAR:
        thought, plain = Panel([(1.0, 0.0)]), Panel([(1.0, 0.0)])
    answer = f"<think>{HIDDEN}</think>\n<answer>Paris.</answer> {HIDDEN}"
    ask(judge, thought, answer, args={"text": "t"})
    ask(judge, plain, "<answer>Paris.</answer>", args={"text": "t"})
    assert thought.asked, "nobody was asked"
    assert [question.key for question in thought.asked] == [q.key for q in plain.asked]
    assert not any(HIDDEN in text_of(q) + (q.text or "") for q in thought.asked)


@pytest.mark.parametrize("check", JUDGING_ANSWERS, ids=lambda check: next(iter(check)))
def test_reasoning_that_was_cut_off_fails_unasked(check: Mapping[str, Any], tmp_path: Path) -> None:
    panel = Panel([yes()])
    judge = judge_of(dict(check), tmp_path, prompt_parameters=["text"])
    verdict = ask(judge, panel, f"<think>{HIDDEN}", args={"text": "t"})
    assert (verdict.outcome, panel.asked) == ("failed", [])
    assert "the reasoning was cut off" in verdict.reason


def test_a_recorded_answer_is_compared_without_reasoning(tmp_path: Path) -> None:
    panel = Panel([yes()])
    judge = judge_of({"pairwise": "It is clearer.", "recorded": True}, tmp_path)
    ask(judge, panel, "Paris.", recorded=(f"<think>{HIDDEN}</think>Rome.",))
    assert panel.asked
    assert not any(HIDDEN in text_of(question) for question in panel.asked)
