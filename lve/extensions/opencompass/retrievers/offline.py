"""Retrievers that choose examples without a model."""

from __future__ import annotations

from array import array
from typing import Any

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.extensions.opencompass.data.tables import Table, input_text
from lve.extensions.opencompass.dialogue import Cells
from lve.extensions.opencompass.retrievers.bm25 import BM25, words
from lve.extensions.opencompass.retrievers.example_texts import example_texts, too_many
from lve.extensions.opencompass.retrievers.numpy_random import numpy_generator, permutation
from lve.extensions.opencompass.retrievers.retriever import (
    MAX_STEPS,
    Examples,
    Retriever,
    retrieve_error,
    seed_number,
    whole_number,
)
from lve.extensions.opencompass.retrievers.slow_select import Select, SlowSelect
from lve.json_types import json_type
from lve.prompts.size import MAX_EXAMPLES

MAX_INDEXED = 1_000_000
"""Examples that `BM25Retriever` can choose from."""
MAX_WORDS = 2_000_000
"""Different words of all examples: about 600 MB."""


@dataclass(frozen=True, kw_only=True)
class ZeroRetriever(Retriever):
    """Chooses no examples."""

    ice_separator: str = ""
    ice_eos_token: str = ""

    def prepare(self, examples: Examples) -> Select:
        """Return what picks nothing."""
        return lambda position, row: []


@dataclass(frozen=True, kw_only=True)
class FixKRetriever(Retriever):
    """Chooses the same examples for every row."""

    fix_id_list: Any
    ice_num: int = 1
    """Not used; upstream accepts it."""

    def prepare(self, examples: Examples) -> Select:
        """Return what picks `fix_id_list`."""
        if not isinstance(self.fix_id_list, list):
            raise retrieve_error(f"`fix_id_list` must be a list, not {json_type(self.fix_id_list)}")
        if len(self.fix_id_list) > MAX_EXAMPLES:
            raise retrieve_error(f"`fix_id_list` can't have more than {MAX_EXAMPLES:,} examples")
        for position in self.fix_id_list:
            if not isinstance(position, int):
                raise retrieve_error(
                    f"`fix_id_list` holds {json_type(position)}, it must hold numbers"
                )
        for position in dict.fromkeys(self.fix_id_list):
            self._check(position, examples)
        return lambda position, row: list(self.fix_id_list)

    def _check(self, position: int, examples: Examples) -> None:
        if position < 0 and examples.dialect != "aisbench":
            return  # It counts from the end.
        if position < 0 or not _has(examples.train, position):
            raise retrieve_error(f"`fix_id_list` names example {position}, which there isn't")


@dataclass(frozen=True, kw_only=True)
class RandomRetriever(Retriever):
    """Chooses random examples for each row, the same in every run."""

    ice_num: object = 1
    seed: object = 43

    def prepare(self, examples: Examples) -> Select:
        """Return what picks `ice_num` positions."""
        count = len(examples.train)
        number = whole_number(self.ice_num, "ice_num")
        if number > count:
            raise retrieve_error(f"`ice_num` is {number}, and there are {count} to choose from")
        generator = numpy_generator(seed_number(self.seed))
        drawn = array("I")  # In the order of the rows, in whatever order these are rendered.

        def select(position: int, row: Cells) -> list[int]:
            if (position + 1) * count > MAX_STEPS:
                raise retrieve_error(
                    f"RandomRetriever shuffles all {count:,} examples for each row: too many for "
                    f"row {position + 1:,}; choose fewer with `train_range`"
                )
            while len(drawn) < (position + 1) * number:
                drawn.extend(permutation(count, generator)[:number])
            return list(drawn[position * number : (position + 1) * number])

        def steps(position: int, row: Cells) -> int:
            return count * (position + 1 - len(drawn) // max(1, number))

        return SlowSelect(select, steps)


@dataclass(frozen=True, kw_only=True)
class SlidingWindowRetriever(Retriever):
    """Chooses the `k` examples before the row's position; for the first rows also the last ones."""

    k: object
    ice_num: int = 1
    """Not used; upstream accepts it."""

    def prepare(self, examples: Examples) -> Select:
        """Return what picks `k` positions."""
        k, count = whole_number(self.k, "k"), len(examples.train)

        def select(position: int, row: Cells) -> list[int]:
            missing = max(0, k - position)
            return [*range(count - missing, count), *range(max(0, position - k), position)]

        return select


@dataclass(frozen=True, kw_only=True)
class BM25Retriever(Retriever):
    """Chooses the examples whose input columns match the row's best (Okapi BM25)."""

    ice_num: object = 1

    def prepare(self, examples: Examples) -> Select:
        """Return what picks `ice_num` positions, the best first."""
        number = whole_number(self.ice_num, "ice_num")
        columns = examples.reader.input_columns
        texts = example_texts(examples.train, columns, "BM25Retriever", MAX_INDEXED)
        try:
            index = BM25(map(words, texts), most_words=MAX_WORDS)
        except OverflowError:
            raise too_many(
                f"BM25Retriever takes examples of {MAX_WORDS:,} different words at most"
            ) from None
        if not index.postings:
            raise TemplateError("BM25Retriever finds no word in the examples", stage="retriever")

        def select(position: int, row: Cells) -> list[int]:
            query = words(input_text(row, columns))
            if index.work(query) > MAX_STEPS:
                raise retrieve_error("the row shares too many words with too many examples")
            return index.top(query, number)

        def steps(position: int, row: Cells) -> int:
            return index.count + index.work(words(input_text(row, columns)))

        return SlowSelect(select, steps)


def _has(table: Table, position: int) -> bool:
    try:
        table[position]
    except IndexError:
        return False
    return True
