"""Dropping examples from prompts that are too long."""

from __future__ import annotations

from typing import Any

import pytest

from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.extensions.opencompass.retrievers.offline import FixKRetriever
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.opencompass.rows.row_writer import generation_prompt, label_prompts, word_count
from lve.extensions.opencompass.template import PromptTemplate

TRAIN: Any = [{"q": "one two", "a": "x"}, {"q": "three four", "a": "y"}]
TEXT = ModelFormat("lm")


def writer() -> PromptWriter:
    prompt = PromptTemplate("</E>{q}", "</E>")
    return PromptWriter(TRAIN, PromptTemplate("{q}"), prompt, FixKRetriever(fix_id_list=[]), "a")


@pytest.mark.parametrize(
    ("most", "expected"),
    [(5, "one two\nthree four\n?"), (3, "one two\n?"), (1, "\n?"), (0, "\n?")],
)
def test_examples_are_dropped_from_the_end_and_the_prompt_is_never_cut(
    most: int, expected: str
) -> None:
    found = generation_prompt(writer(), {"q": "?"}, [0, 1], model=TEXT, max_length=most)
    assert found == expected


def test_a_label_that_is_too_long_drops_examples_for_those_after_it() -> None:
    template = {"x": "</E>a b c {q}", "y": "</E>{q}"}
    made = PromptWriter(
        TRAIN,
        PromptTemplate("{q}"),
        PromptTemplate(template, "</E>"),
        FixKRetriever(fix_id_list=[]),
        "a",
    )
    long, short = label_prompts(made, {"q": "?"}, [0, 1], ["x", "y"], model=TEXT, max_length=5)
    assert (long, short) == ("one two\na b c ?", "one two\n?")


def test_words_and_chinese_characters_are_counted() -> None:
    assert word_count("two words, \u4e24\u4e2a") == 4
