"""Contexts, questions and references of the checks of retrieval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.judges import Panel, ask, text_of
from support.judging import context_of, judge_of

from lve.checkers.arguments import ArgumentError
from lve.errors import CheckerError, SpecError
from lve.extensions.judges.rag_inputs import contexts_of, numbered, question_texts, reference_of

USEFUL = {"reason": "r", "verdict": 1}


@pytest.mark.parametrize(
    ("value", "contexts"),
    [
        ("one text", ["one text"]),
        (("a", "b"), ["a", "b"]),
        ("['a', \"it's b\"]", ["a", "it's b"]),
        ('["a", "b\\nc"]', ["a", "b\nc"]),
        ('\n["a"]\n', ["a"]),
        (("['a', 'b']",), ["a", "b"]),
        ("[1] A footnote.", ["[1] A footnote."]),
        ("[1, 2]", ["[1, 2]"]),
        ("[" * 5000, ["[" * 5000]),
        (("['a']", "b"), ["['a']", "b"]),
    ],
)
def test_contexts(value: Any, contexts: list[str]) -> None:
    assert contexts_of("c", value) == contexts


@pytest.mark.parametrize("value", ["", " ", (), "[]", ("a", ""), '["a", ""]'])
def test_there_is_no_context(value: Any) -> None:
    with pytest.raises(ArgumentError, match="'c' has no context, or an empty one"):
        contexts_of("c", value)


@pytest.mark.parametrize("column", [["P one", "P two"], '["P one", "P two"]'])
def test_contexts_come_from_a_column_of_the_row(column: Any, tmp_path: Path) -> None:
    check = {"context_precision": "{passages}", "reference": "{ideal}", "question": "{q}"}
    judge = judge_of(check, tmp_path, prompt_parameters=["passages", "ideal", "q"])
    panel = Panel([USEFUL])
    args = {"passages": column, "ideal": "R", "q": "What?"}
    assert ask(judge, panel, "x", args=args).passed
    first, second = map(text_of, panel.asked)
    assert "\nP one\n" in first
    assert "P two" not in first
    assert "\nP two\n" in second
    assert all("\nR\n" in text and "\nWhat?\n" in text for text in (first, second))


def test_a_row_without_contexts_is_an_error(tmp_path: Path) -> None:
    check = {"context_recall": "{passages}", "reference": "R"}
    judge = judge_of(check, tmp_path, prompt_parameters=["passages"])
    verdict = ask(judge, Panel([USEFUL]), "x", args={"passages": []})
    assert verdict.outcome == "error"
    assert "no context" in verdict.reason
    with pytest.raises(SpecError, match="no context"):
        judge_of({"context_recall": [], "reference": "R"}, tmp_path)


def test_the_reference_is_the_right_answer_of_the_data_set() -> None:
    context = context_of("x", reference="R")
    assert reference_of(None, context) == "R"
    assert reference_of("other", context) == "other"
    for given, right in ((None, None), (None, " "), ("", "R")):
        with pytest.raises(CheckerError, match="no right answer"):
            reference_of(given, context_of("x", reference=right))


def test_the_question_is_the_conversation_or_a_text() -> None:
    context = context_of("x")
    assert question_texts("What?", context, 0) == {"QUESTION": "What?"}
    assert question_texts(None, context, 0) == {"QUESTION": "Say it."}


def test_statements_are_numbered() -> None:
    assert numbered(["a", "b"]) == "1. a\n2. b"
    assert json.dumps(numbered([])) == '""'
