"""The figures of a test beside its verdict: for instances like these, per instance, and for k
answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lve.verdicts.per_instance import Flakiness, PerInstance, flakiness
from lve.verdicts.rates.at_k import AtK, at_k
from lve.verdicts.rates.clusters import Estimate

KEPT_FLAKY = 1000
"""Flaky instances that are named."""
LARGEST_K = 64
"""Of answers, for what isn't asked for."""


class FlakyInstance(NamedTuple):
    """An instance that neither always passes nor always fails."""

    source: str
    line: int
    passed: int
    judged: int


class Figures(NamedTuple):
    """What the repeats of all instances say beside the verdict."""

    population: Estimate | None
    """The pass rate of instances like these; None without results."""
    flakiness: Flakiness
    flaky: tuple[FlakyInstance, ...]
    """The first ones."""
    at_k: tuple[AtK, ...]
    """For 2, 4, 8, ... answers, as far as there are so many."""
    score: Estimate | None
    """The mean score of instances like these; None without scores, or of one instance only."""

    @classmethod
    def of(
        cls,
        instances: PerInstance,
        population: Estimate | None,
        confidence: float,
        *,
        has_shares: bool = False,
    ) -> Figures:
        """Return the figures of a test.

        Args:
            instances: what the repeats of each gave.
            population: the pass rate of instances like these.
            confidence: of the intervals.
            has_shares: whether every score is from 0 to 1.
        """
        counts = instances.counts()
        most = min(max((judged for _, judged in counts), default=0), LARGEST_K)
        several = (at_k(counts, 1 << n, confidence=confidence) for n in range(1, most.bit_length()))
        return cls(
            population,
            flakiness(counts),
            tuple(islice(_flaky(instances), KEPT_FLAKY)),
            tuple(one for one in several if one is not None),
            instances.score(confidence=confidence, is_share=has_shares),
        )

    @property
    def has_repeats(self) -> bool:
        """Whether any instance has more than one result."""
        return any(self.flakiness[:3])


def _flaky(instances: PerInstance) -> Iterator[FlakyInstance]:
    for source, file in sorted(instances.files.items()):
        for line, (passed, judged) in enumerate(zip(file.passed, file.judged, strict=True)):
            if 0 < passed < judged:
                yield FlakyInstance(source, line, passed, judged)
