"""The models whose recorded answers were replayed."""

from __future__ import annotations

import pytest

from lve.verdicts.answer_counts import MAX_MODELS, AnsweringModels


def counted(*models: str) -> AnsweringModels:
    answering = AnsweringModels()
    for model in models:
        answering.add(model)
    return answering


@pytest.mark.parametrize(
    ("models", "text"),
    [
        (["m"] * 2 + ["n"], "answers of 2 models: m 2, n 1;"),
        (["m", "", ""], "answers of 1 model: m 1, no named model 2;"),
        (["a\nb", "n"], "answers of 2 models: a b 1, n 1;"),
        ([*"abcdefg"], "answers of 7 models: a 1, b 1, c 1, d 1, e 1, others 2;"),
    ],
)
def test_several_are_named(models: list[str], text: str) -> None:
    assert counted(*models).are_several
    assert str(counted(*models)).startswith(text)


@pytest.mark.parametrize("models", [[], ["m", "m"], ["", ""]])
def test_one_alone_covers_for_none(models: list[str]) -> None:
    assert not counted(*models).are_several


def test_only_so_many_names_are_kept() -> None:
    names = [f"m{number}" for number in range(MAX_MODELS + 3)]
    answering = counted(*names)
    answering.merge(counted("m0", "late", ""))
    assert len(answering.counts) == MAX_MODELS
    assert (answering.counts["m0"], answering.of_others, answering.unnamed) == (2, 4, 1)
    assert str(answering).startswith(f"answers of {MAX_MODELS} models or more: m0 2, ")
    assert "others 19, no named model 1;" in str(answering)
