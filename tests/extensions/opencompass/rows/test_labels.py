"""The labels that a test chooses from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.retrievers.offline import ZeroRetriever
from lve.extensions.opencompass.rows.labels import Labels, choices_of
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.extensions.opencompass.template import PromptTemplate
from lve.prompts.size import MAX_RUNS


class Rows(list[dict[str, Any]]):
    columns = ("q", "a")


def labels(
    template: Any,
    rows: list[dict[str, Any]],
    given: list[object] | None = None,
    gold: str | None = "a",
) -> Labels:
    rows = Rows(rows)
    prompts = PromptWriter(rows, None, PromptTemplate(template), ZeroRetriever(), "a")  # type: ignore[arg-type]
    data: Any = SimpleNamespace(test=rows, reader=SimpleNamespace(output_column=gold))
    return Labels(prompts, data, given)


ROWS = [{"q": "1", "a": "y"}, {"q": "2", "a": "x"}, {"q": "3", "a": "y"}]


def test_labels_are_given_or_the_templates_or_the_answers_of_the_data() -> None:
    assert labels({"n": "{q}"}, ROWS, ["g"]).all == ["g"]
    assert labels({"n": "{q}", "m": "{q}"}, ROWS).all == ["n", "m"]
    assert labels("{q}", ROWS).all == ["y", "x"]


def test_answers_that_are_lists_are_no_labels() -> None:
    with pytest.raises(TemplateError, match="holds lists or objects"):
        _ = labels("{q}", [{"q": "1", "a": []}]).all


def test_without_answers_there_are_no_labels() -> None:
    with pytest.raises(TemplateError, match="no labels to choose from") as caught:
        _ = labels("{q}", ROWS, gold=None).all
    assert caught.value.stage == "prompt"


def test_labels_are_limited() -> None:
    with pytest.raises(TemplateError, match="10,001 labels to choose from"):
        _ = labels("{q}", ROWS, list(range(10_001))).all


def test_prompts_are_texts_also_where_they_are_dialogues() -> None:
    round_ = {"round": [{"role": "HUMAN", "prompt": "{q}?"}, {"role": "BOT", "prompt": "{a}"}]}
    assert labels({"x": round_, "y": "no {q}"}, ROWS).texts(ROWS[0], []) == (
        "", ["1?y", "no 1"]
    )  # fmt: skip


@pytest.mark.parametrize("more", [0, 1])
def test_a_test_chooses_from_at_most_so_many_texts(more: int) -> None:
    texts = [str(number) for number in range(MAX_RUNS + more)]
    data: Any = SimpleNamespace(test=Rows(ROWS), choices=texts)
    if not more:
        assert choices_of(data) == texts
        return
    with pytest.raises(TemplateError, match=r"at most 10,000 choices, not 10,001") as caught:
        choices_of(data)
    assert caught.value.stage == "infer"
