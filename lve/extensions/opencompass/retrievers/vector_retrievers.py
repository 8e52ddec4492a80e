"""Retrievers that compare rows and examples by the vectors of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lve.data_classes import dataclass
from lve.extensions.opencompass.retrievers.embedding import (
    Choose,
    VectorIndex,
    diverse,
    top_k,
    vote_k,
)
from lve.extensions.opencompass.retrievers.mdl import ExampleSets, LabelEntropy, least_entropy
from lve.extensions.opencompass.retrievers.retriever import (
    Examples,
    ModelChoice,
    Retriever,
    retrieve_error,
    seed_number,
    whole_number,
)

MAX_COMPARED = 2_000
"""Limit of `candidate_num`."""
MAX_CHOICES = 1_000
"""Sets of examples that `MDLRetriever` scores for a row."""
MAX_SPREAD = 500_000_000
"""Multiplications for the examples that `DPPRetriever` chooses for a row: about two seconds."""


@dataclass(frozen=True, kw_only=True)
class TopkRetriever(Retriever):
    """Chooses the examples whose vectors are nearest to the row's."""

    ice_num: object = 1
    embedding_model: str | None = None

    def prepare(self, examples: Examples) -> ModelChoice:
        """Return what picks `ice_num` positions, the nearest first."""
        index = self._index(examples)
        return _by_vectors(index, top_k(index, whole_number(self.ice_num, "ice_num")))

    def _index(self, examples: Examples) -> VectorIndex:
        return examples.index(self.embedding_model, type(self).__name__)


@dataclass(frozen=True, kw_only=True)
class VotekRetriever(TopkRetriever):
    """Chooses the same examples for every row: those near to many others."""

    votek_k: object = 3
    seed: object = 1

    def prepare(self, examples: Examples) -> ModelChoice:
        """Return what picks `ice_num` positions once."""
        index, number = self._index(examples), whole_number(self.ice_num, "ice_num")
        neighbours, seed = (
            whole_number(self.votek_k, "votek_k"),
            whole_number(self.seed, "seed", most=2**64),
        )
        return _by_vectors(index, vote_k(index, number, neighbours=neighbours, seed=seed))


@dataclass(frozen=True, kw_only=True)
class DPPRetriever(TopkRetriever):
    """Chooses some of the nearest examples that differ from each other."""

    candidate_num: object = 1
    scale_factor: float = 0.1

    def prepare(self, examples: Examples) -> ModelChoice:
        """Return what picks `ice_num` of `candidate_num` positions, the nearest first."""
        index, number = self._index(examples), whole_number(self.ice_num, "ice_num")
        candidates = whole_number(self.candidate_num, "candidate_num", most=MAX_COMPARED)
        if min(number, candidates) ** 2 * candidates > MAX_SPREAD:
            raise retrieve_error(
                f"DPPRetriever can't choose {number:,} of {candidates:,} examples for each row: "
                "lower `ice_num` or `candidate_num`"
            )
        scale = float(self.scale_factor)
        return _by_vectors(index, diverse(index, number, candidates=candidates, scale=scale))


@dataclass(frozen=True, kw_only=True)
class MDLRetriever(TopkRetriever):
    """Chooses the set of examples, among several drawn from the nearest ones, after which a
    language model is most certain of the label (https://arxiv.org/abs/2212.10375)."""

    candidate_num: object = 1
    select_time: object = 5
    labels: Sequence[object] | None = None
    scoring_model: str | None = None
    seed: object = 1

    def prepare(self, examples: Examples) -> ModelChoice:
        """Return what picks `ice_num` of `candidate_num` positions."""
        index, number = self._index(examples), whole_number(self.ice_num, "ice_num")
        candidates = whole_number(self.candidate_num, "candidate_num", most=MAX_COMPARED)
        candidates = min(candidates, len(examples.train))
        if number > candidates:
            raise retrieve_error(
                f"`ice_num` is {number}, but `candidate_num` gives only {candidates}"
            )
        if examples.texts is None or self.scoring_model is None:
            raise retrieve_error("MDLRetriever needs a `scoring_model` that rates prompts")
        times = whole_number(self.select_time, "select_time", most=MAX_CHOICES)
        sets = ExampleSets.drawn(candidates, number, max(1, times), seed_number(self.seed))
        entropy = LabelEntropy(self.scoring_model, partial(examples.texts, labels=self.labels))
        return _by_vectors(index, least_entropy(index, sets, entropy))


def _by_vectors(index: VectorIndex, choose: Choose) -> ModelChoice:
    return ModelChoice(f"vectors of {index.model}", choose)
