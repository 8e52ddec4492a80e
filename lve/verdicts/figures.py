"""Statistics of a test beside its verdict: for the population, per instance, and for k answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lve.named_tuples import NamedTuple
from lve.verdicts.per_instance import Flakiness, PerInstance, flakiness
from lve.verdicts.rates.at_k import AtK, at_k
from lve.verdicts.rates.clusters import Estimate

MAX_FLAKY = 1000
"""Flaky instances that are listed."""
MAX_K = 64
"""Largest number of answers for which statistics are computed without being requested."""

LARGEST_SHOWN_K = 8
"""Statistics of more answers than this are only in `--json`."""


class FlakyInstance(NamedTuple):
    """An instance some of whose repeats passed and some failed."""

    source: str
    line: int
    passed: int
    judged: int


class Figures(NamedTuple):
    """Statistics of the repeats of all rows."""

    population: Estimate | None
    """Pass rate of the population of the instances; None without results."""
    flakiness: Flakiness
    flaky: tuple[FlakyInstance, ...]
    """The first `MAX_FLAKY` ones."""
    at_k: tuple[AtK, ...]
    """For k = 2, 4, 8, ... up to the number of repeats."""
    score: Estimate | None
    """Mean score of the population; None if fewer than two instances have scores."""

    @classmethod
    def of(
        cls,
        instances: PerInstance,
        population: Estimate | None,
        confidence: float,
        *,
        has_shares: bool = False,
    ) -> Figures:
        """Compute the statistics of a test.

        Args:
            instances: the results of each instance.
            population: pass rate of the population of the instances.
            confidence: of the intervals.
            has_shares: whether every score is between 0 and 1.
        """
        counts = instances.counts()
        most = min(max((judged for _, judged in counts), default=0), MAX_K)
        several = (at_k(counts, 1 << n, confidence=confidence) for n in range(1, most.bit_length()))
        return cls(
            population,
            flakiness(counts),
            tuple(islice(_flaky(instances), MAX_FLAKY)),
            tuple(statistic for statistic in several if statistic is not None),
            instances.score(confidence=confidence, is_share=has_shares),
        )

    @property
    def shown_at_k(self) -> AtK | None:
        """The statistics of k answers that people are shown: those that rest on the most instances,
        of the most answers up to `LARGEST_SHOWN_K`. None if all passed, or all failed."""
        if self.population is None or self.population.value in (0, 1):
            return None
        few = [statistic for statistic in self.at_k if statistic.k <= LARGEST_SHOWN_K]
        # In a session that was stopped, a few instances may have more repeats than the others.
        return max(few, key=lambda statistic: (statistic.instances, statistic.k), default=None)

    @property
    def has_repeats(self) -> bool:
        """Whether any instance has more than one result."""
        return any(self.flakiness[:3])


def _flaky(instances: PerInstance) -> Iterator[FlakyInstance]:
    for source, file in sorted(instances.files.items()):
        pairs = zip(file.passed, file.judged, strict=True)
        for line, (passed, judged) in enumerate(pairs, file.first):
            if 0 < passed < judged:
                yield FlakyInstance(source, line, passed, judged)
