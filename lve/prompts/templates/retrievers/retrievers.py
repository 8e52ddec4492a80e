"""Which examples go into the prompt of a row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lve.data.tables import Reader, Table, input_text
from lve.documents.json_types import json_type
from lve.errors import TemplateError
from lve.prompts.size import MAX_EXAMPLES
from lve.prompts.templates.dialogue import Row
from lve.prompts.templates.retrievers.bm25 import BM25, words
from lve.prompts.templates.retrievers.chance import numpy_generator, permutation
from lve.prompts.templates.retrievers.embedding import (
    Choose,
    VectorIndex,
    diverse,
    top_k,
    vote_k,
)
from lve.prompts.templates.retrievers.example_texts import example_texts, too_many
from lve.prompts.templates.retrievers.mdl import Choices, Surety, surest

MAX_COMPARED = 2_000
"""Candidates that are compared with each other, or drawn from for each choice."""
MAX_INDEXED = 1_000_000
"""Examples that `BM25Retriever` chooses from."""
MAX_WORDS = 2_000_000
"""Different words of all examples: some 600 MB."""
MAX_ADDED = 50_000_000
"""Words that a row and the examples may share, each counted where it stands: some ten seconds."""
MAX_SHUFFLED = 50_000_000
"""Examples that `RandomRetriever` shuffles: upstream shuffles all of them for each row. Some
hundred seconds, spread over the rows."""
MAX_CHOICES = 1_000
"""Choices of examples that `MDLRetriever` rates for a row."""
MAX_SPREAD = 500_000_000
"""Multiplications by which `DPPRetriever` chooses the examples of a row: some two seconds."""

Select = Callable[[int, Row], list[int]]
"""Position of a test row (from 0) and the row -> positions of its examples."""


@dataclass(frozen=True)
class ModelChoice:
    """Chooses examples with a model's help."""

    needs: str
    """What that takes, such as `vectors of MODEL`."""
    choose: Choose


LabelTexts = Callable[..., tuple[str, list[str]]]
"""A row, positions of examples, and `labels=` (None: the test's) -> the examples as text, and the
prompt per label."""


@dataclass(frozen=True)
class Examples:
    """What a retriever may look at."""

    train: Table
    reader: Reader
    dialect: str = "opencompass"
    test: Table | None = None
    texts: LabelTexts | None = None
    """Writes examples and prompts as text; only `MDLRetriever` rates them."""

    def index(self, model: str | None, retriever: str) -> VectorIndex:
        """Return the examples as vectors of a model, for a retriever of this name."""
        test = self.test if self.test is not None else self.train
        return VectorIndex(model, self.train, test, self.reader, retriever)


@dataclass(frozen=True, kw_only=True)
class Retriever(ABC):
    """Picks examples. Its fields are the arguments of `retriever` in the test document."""

    ice_separator: str = "\n"
    """Stands between examples that are texts."""
    ice_eos_token: str = "\n"
    """Stands after the last example."""

    @abstractmethod
    def prepare(self, examples: Examples) -> Select | ModelChoice:
        """Return what picks the examples of a test row.

        Raises:
            TemplateError: stage `retriever` or `retrieve`.
        """


@dataclass(frozen=True, kw_only=True)
class ZeroRetriever(Retriever):
    """No examples."""

    ice_separator: str = ""
    ice_eos_token: str = ""

    def prepare(self, examples: Examples) -> Select:
        """Pick nothing."""
        return lambda position, row: []


@dataclass(frozen=True, kw_only=True)
class FixKRetriever(Retriever):
    """The same examples for every row."""

    fix_id_list: Any
    ice_num: int = 1
    """Not used; upstream accepts it."""

    def prepare(self, examples: Examples) -> Select:
        """Pick `fix_id_list`."""
        if not isinstance(self.fix_id_list, list):
            raise _failed(f"`fix_id_list` must be a list, not {json_type(self.fix_id_list)}")
        if len(self.fix_id_list) > MAX_EXAMPLES:
            raise _failed(f"`fix_id_list` can't have more than {MAX_EXAMPLES:,} examples")
        for position in self.fix_id_list:
            if not isinstance(position, int):
                raise _failed(f"`fix_id_list` holds {json_type(position)}, it must hold numbers")
        for position in dict.fromkeys(self.fix_id_list):
            self._check(position, examples)
        return lambda position, row: list(self.fix_id_list)

    def _check(self, position: int, examples: Examples) -> None:
        if position < 0 and examples.dialect != "aisbench":
            return  # Counts from the end.
        if position < 0 or not _has(examples.train, position):
            raise _failed(f"`fix_id_list` names example {position}, which there isn't")


@dataclass(frozen=True, kw_only=True)
class RandomRetriever(Retriever):
    """Random examples, drawn anew for each row, the same in every run."""

    ice_num: Any = 1
    seed: Any = 43

    def prepare(self, examples: Examples) -> Select:
        """Pick `ice_num` positions."""
        count = len(examples.train)
        wanted = _number(self.ice_num, "ice_num")
        if wanted > count:
            raise _failed(f"`ice_num` is {wanted}, but there are only {count} examples")
        generator = numpy_generator(_seed(self.seed))
        drawn = array("I")  # One after another, whatever order the rows are asked in.

        def select(position: int, row: Row) -> list[int]:
            if (position + 1) * count > MAX_SHUFFLED:
                raise _failed(
                    f"RandomRetriever shuffles all {count:,} examples for each row: too many for "
                    f"row {position + 1:,}; choose fewer with `train_range`"
                )
            while len(drawn) < (position + 1) * wanted:
                drawn.extend(permutation(count, generator)[:wanted])
            return list(drawn[position * wanted : (position + 1) * wanted])

        return select


@dataclass(frozen=True, kw_only=True)
class SlidingWindowRetriever(Retriever):
    """The `k` rows before this one; for the first rows filled up with the last ones."""

    k: Any
    ice_num: int = 1
    """Not used; upstream accepts it."""

    def prepare(self, examples: Examples) -> Select:
        """Pick `k` positions."""
        k, count = _number(self.k, "k"), len(examples.train)

        def select(position: int, row: Row) -> list[int]:
            missing = max(0, k - position)
            return [*range(count - missing, count), *range(max(0, position - k), position)]

        return select


@dataclass(frozen=True, kw_only=True)
class BM25Retriever(Retriever):
    """The examples whose input columns have the most in common with the row's (Okapi BM25)."""

    ice_num: Any = 1

    def prepare(self, examples: Examples) -> Select:
        """Pick `ice_num` positions, best first."""
        wanted = _number(self.ice_num, "ice_num")
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

        def select(position: int, row: Row) -> list[int]:
            query = words(input_text(row, columns))
            if index.work(query) > MAX_ADDED:
                raise _failed("the row shares too many words with too many examples")
            return index.top(query, wanted)

        return select


@dataclass(frozen=True, kw_only=True)
class TopkRetriever(Retriever):
    """The examples whose vectors are nearest to the row's."""

    ice_num: Any = 1
    embedding_model: str | None = None

    def prepare(self, examples: Examples) -> ModelChoice:
        """Pick `ice_num` positions, nearest first."""
        index = self._index(examples)
        return _by_vectors(index, top_k(index, _number(self.ice_num, "ice_num")))

    def _index(self, examples: Examples) -> VectorIndex:
        return examples.index(self.embedding_model, type(self).__name__)


@dataclass(frozen=True, kw_only=True)
class VotekRetriever(TopkRetriever):
    """The same examples for every row: those that many others are near to."""

    votek_k: Any = 3
    seed: Any = 1

    def prepare(self, examples: Examples) -> ModelChoice:
        """Pick `ice_num` positions once."""
        index, wanted = self._index(examples), _number(self.ice_num, "ice_num")
        neighbours, seed = _number(self.votek_k, "votek_k"), _number(self.seed, "seed", most=2**64)
        return _by_vectors(index, vote_k(index, wanted, neighbours=neighbours, seed=seed))


@dataclass(frozen=True, kw_only=True)
class DPPRetriever(TopkRetriever):
    """Of the nearest examples, some that differ from each other."""

    candidate_num: Any = 1
    scale_factor: float = 0.1

    def prepare(self, examples: Examples) -> ModelChoice:
        """Pick `ice_num` of `candidate_num` positions, nearest first."""
        index, wanted = self._index(examples), _number(self.ice_num, "ice_num")
        candidates = _number(self.candidate_num, "candidate_num", most=MAX_COMPARED)
        if min(wanted, candidates) ** 2 * candidates > MAX_SPREAD:
            raise _failed(
                f"DPPRetriever can't choose {wanted:,} of {candidates:,} examples for each row: "
                "lower `ice_num` or `candidate_num`"
            )
        scale = float(self.scale_factor)
        return _by_vectors(index, diverse(index, wanted, candidates=candidates, scale=scale))


@dataclass(frozen=True, kw_only=True)
class MDLRetriever(TopkRetriever):
    """Of several choices among the nearest examples, the one after which a language model is
    surest of the label (https://arxiv.org/abs/2212.10375)."""

    candidate_num: Any = 1
    select_time: Any = 5
    labels: Sequence[Any] | None = None
    scoring_model: str | None = None
    seed: Any = 1

    def prepare(self, examples: Examples) -> ModelChoice:
        """Pick `ice_num` of `candidate_num` positions."""
        index, wanted = self._index(examples), _number(self.ice_num, "ice_num")
        candidates = _number(self.candidate_num, "candidate_num", most=MAX_COMPARED)
        candidates = min(candidates, len(examples.train))
        if wanted > candidates:
            raise _failed(f"`ice_num` is {wanted}, but `candidate_num` gives only {candidates}")
        if examples.texts is None or self.scoring_model is None:
            raise _failed("MDLRetriever needs a `scoring_model` that rates prompts")
        times = _number(self.select_time, "select_time", most=MAX_CHOICES)
        choices = Choices.drawn(candidates, wanted, max(1, times), _seed(self.seed))
        rate = Surety(self.scoring_model, partial(examples.texts, labels=self.labels))
        return _by_vectors(index, surest(index, choices, rate))


def _by_vectors(index: VectorIndex, choose: Choose) -> ModelChoice:
    return ModelChoice(f"vectors of {index.model}", choose)


def _has(table: Table, position: int) -> bool:
    try:
        table[position]
    except IndexError:
        return False
    return True


def _number(value: Any, name: str, *, most: int = MAX_EXAMPLES) -> int:
    if not isinstance(value, int) or value < 0:
        raise _failed(f"`{name}` must be a whole number from 0, not {value!r:.60}")
    if value > most:
        raise _failed(f"`{name}` can't be more than {most:,}")
    return value


def _seed(value: Any) -> int:
    if isinstance(value, int) and 0 <= value < 2**32:
        return int(value)
    raise _failed("`seed` must be a number from 0 to 4294967295")


def _failed(message: str) -> TemplateError:
    return TemplateError(message, stage="retrieve")
