"""Writing a prompt with its examples."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.retrievers.offline import FixKRetriever
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.opencompass.template import PromptTemplate

TRAIN: Any = [{"q": str(n), "a": "x"} for n in range(5)]


def writer(*, ice: PromptTemplate | None, prompt: PromptTemplate | None) -> PromptWriter:
    return PromptWriter(TRAIN, ice, prompt, FixKRetriever(fix_id_list=[]), "a")


def test_examples_are_joined_anew_when_others_are_wanted() -> None:
    made = writer(ice=PromptTemplate("{q}"), prompt=PromptTemplate("</E>{q}", "</E>"))
    found = [made.ice(positions) for positions in ([0, 1], [0, 1], [1], [1, 0], [], [0, 1])]
    assert found == ["0\n1\n", "0\n1\n", "1\n", "1\n0\n", "\n", "0\n1\n"]


def test_examples_that_are_the_same_for_all_rows_are_joined_once() -> None:
    made = writer(ice=PromptTemplate("{q}"), prompt=None)
    assert made.ice([0, 1]) is made.ice([0, 1])


def test_an_example_that_does_not_exist_is_an_error_of_its_stage() -> None:
    made = writer(ice=PromptTemplate("{q}"), prompt=None)
    with pytest.raises(TemplateError, match="there is no example 5; there are 5") as caught:
        made.ice([5])
    assert caught.value.stage == "ice"


def test_a_prompt_needs_a_template() -> None:
    made = writer(ice=None, prompt=None)
    with pytest.raises(TemplateError, match="neither a prompt_template nor an ice_") as caught:
        made.prompt(TRAIN[0], "")
    assert caught.value.stage == "prompt"


def test_examples_need_a_template_and_a_place() -> None:
    with pytest.raises(TemplateError, match="there is no ice_template"):
        writer(ice=None, prompt=PromptTemplate("{q}")).ice([0])
    with pytest.raises(TemplateError, match="has no ice_token"):
        writer(ice=PromptTemplate("{q}"), prompt=PromptTemplate("{q}")).prompt(TRAIN[0], "")


def test_the_answer_is_masked_in_a_generation_and_not_in_the_prompt_of_a_label() -> None:
    made = writer(ice=None, prompt=PromptTemplate({"x": "{q} {a}", "y": "no {q}"}))
    assert made.prompt(TRAIN[3], "") == "3 "
    assert made.label_prompt(TRAIN[3], "", "x") == "3 x"
    assert made.labels == ["x", "y"]


def test_labels_are_those_of_the_prompt_or_of_examples_that_stand_in_it() -> None:
    labelled = PromptTemplate({"x": "</E>{q} {a}", "y": "</E>no {q}"}, "</E>")
    assert writer(ice=labelled, prompt=PromptTemplate("{q}")).labels == ["x", "y"]
    assert writer(ice=labelled, prompt=None).labels == ["x", "y"]
    assert writer(ice=PromptTemplate({"x": "{q}"}), prompt=PromptTemplate("{q}")).labels is None
