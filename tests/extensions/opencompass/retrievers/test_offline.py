"""Limits on the work of choosing examples without a model."""

from __future__ import annotations

import time
from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.data.tables import Reader
from lve.extensions.opencompass.retrievers.offline import (
    BM25Retriever,
    FixKRetriever,
    RandomRetriever,
)
from lve.extensions.opencompass.retrievers.retriever import Examples


def examples(number: int) -> Examples:
    reader = Reader.from_config({"input_columns": ["q"], "output_column": "a"})
    rows: Any = [{"q": str(n), "a": "x"} for n in range(number)]
    return Examples(rows, reader)


def test_random_rows_have_an_end() -> None:
    select = RandomRetriever(ice_num=2).prepare(examples(30_000))
    assert len(select(2, {})) == 2
    started = time.monotonic()
    with pytest.raises(TemplateError, match=r"all 30,000 examples .* row 30,000; .*`train_range`"):
        select(29_999, {})
    assert time.monotonic() - started < 10


def test_words_without_end_are_not_indexed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.opencompass.retrievers.offline.MAX_WORDS", 1_000)
    BM25Retriever().prepare(examples(1_000))
    with pytest.raises(TemplateError, match=r"1,000 different words at most: .*`train_range`"):
        BM25Retriever().prepare(examples(1_001))


def test_the_first_example_of_none_is_refused() -> None:
    with pytest.raises(TemplateError, match="names example 0, which there isn't") as caught:
        FixKRetriever(fix_id_list=[0]).prepare(examples(0))
    assert caught.value.stage == "retrieve"
