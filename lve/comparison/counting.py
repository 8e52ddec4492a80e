"""Counts the pairs of a comparison by test and cluster, as the statistics need them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lve.comparison.pairing import MISSING, Pair, Pairing
from lve.comparison.side import FAILED, NO_VERDICT, PASSED
from lve.data_classes import dataclass, field
from lve.named_tuples import NamedTuple
from lve.verdicts.rates.clusters import Counts
from lve.verdicts.rates.difference import PairCounts
from lve.verdicts.rates.paired import Differences

KEPT_FLIPS = 2000
"""The most flips of each kind whose positions are kept."""
VERDICTS = (FAILED, PASSED, NO_VERDICT)
_BITS = 32
_MASK = (1 << _BITS) - 1


def _code(before: int, now: int) -> int:
    """Return a number for a pair of verdicts."""
    return before << 2 | now


_FIXED, _BROKEN = _code(FAILED, PASSED), _code(PASSED, FAILED)


class FlipPosition(NamedTuple):
    """Positions of the two results of a flip."""

    group: int
    before_at: int
    now_at: int


class Pairs(NamedTuple):
    """The pairs of a test, or of all tests together, by their clusters."""

    counts: PairCounts
    clusters: int
    differences: Differences
    before: Counts
    now: Counts


@dataclass(slots=True)
class _Group:
    """The pairs of one test and model."""

    has_repeats: bool
    codes: list[int] = field(default_factory=lambda: [0] * 16)
    """Number of pairs, by the code of both verdicts (`_code`)."""
    advisory: int = 0
    instances: dict[int, int] = field(default_factory=dict)
    """Instance -> counts of pairs, passed before and passed now, packed into one number of 3 * 32
    bits. Only used with repeats."""

    @property
    def fixed(self) -> int:
        """Pairs that failed before and pass now."""
        return self.codes[_FIXED]

    @property
    def broken(self) -> int:
        """Pairs that passed before and fail now."""
        return self.codes[_BROKEN]

    @property
    def passed(self) -> int:
        """Pairs that passed on both sides."""
        return self.codes[_code(PASSED, PASSED)]

    @property
    def failed(self) -> int:
        """Pairs that failed on both sides."""
        return self.codes[_code(FAILED, FAILED)]

    @property
    def pairs(self) -> int:
        """Pairs with a verdict on both sides."""
        return self.fixed + self.broken + self.passed + self.failed

    @property
    def new(self) -> int:
        """Results that only the later side has."""
        return sum(self.codes[_code(MISSING, now)] for now in VERDICTS)

    @property
    def gone(self) -> int:
        """Results that only the earlier side has."""
        return sum(self.codes[_code(before, MISSING)] for before in VERDICTS)

    @property
    def no_verdict(self) -> int:
        """Pairs without a verdict on one side or both."""
        return sum(self.codes) - self.pairs - self.new - self.gone

    @property
    def lost(self) -> int:
        """Pairs that had a verdict before and have none now."""
        return self.codes[_code(PASSED, NO_VERDICT)] + self.codes[_code(FAILED, NO_VERDICT)]

    @property
    def counts(self) -> PairCounts:
        """The counts of all its pairs."""
        return PairCounts(self.pairs, self.fixed, self.broken)

    def add_repeat(self, pair: Pair) -> None:
        """Count a pair of a group with repeats for its instance."""
        if pair.before in (FAILED, PASSED) and pair.now in (FAILED, PASSED):
            more = 1 | pair.before << _BITS | pair.now << 2 * _BITS
            self.instances[pair.instance] = self.instances.get(pair.instance, 0) + more

    def by_instance(self) -> Pairs:
        """Return the pairs, with an instance as cluster."""
        if not self.has_repeats:
            before = {(1, 1): self.passed + self.broken, (0, 1): self.failed + self.fixed}
            now = {(1, 1): self.passed + self.fixed, (0, 1): self.failed + self.broken}
            same = self.passed + self.failed
            differences = {(1, 1): self.fixed, (-1, 1): self.broken, (0, 1): same}
            return Pairs(self.counts, self.pairs, _nonzero(differences), before, now)
        each = (
            (packed & _MASK, packed >> _BITS & _MASK, packed >> 2 * _BITS)
            for packed in self.instances.values()
        )
        return _clustered(self.counts, each)


@dataclass(slots=True)
class CountedPairs:
    """Counts of all pairs of a comparison."""

    groups: list[_Group]
    broken: list[FlipPosition] = field(default_factory=list)
    """The first broken flips."""
    fixed: list[FlipPosition] = field(default_factory=list)

    @property
    def has_repeats(self) -> bool:
        """Whether a compared instance has several results."""
        return any(group.has_repeats for group in self.groups if group.pairs)

    def together(self) -> Pairs:
        """Return the pairs of all tests, with an instance as cluster. Each is compared with itself,
        so tests that differ are no source of error. Advisory tests are left out."""
        differences: Counter[tuple[int, int]] = Counter()
        before: Counter[tuple[int, int]] = Counter()
        now: Counter[tuple[int, int]] = Counter()
        total = PairCounts(0, 0, 0)
        for group in self.groups:
            if group.advisory or not group.pairs:
                continue
            pairs = group.by_instance()
            differences.update(pairs.differences)
            before.update(pairs.before)
            now.update(pairs.now)
            total = PairCounts(*map(sum, zip(total, pairs.counts, strict=True)))
        return Pairs(total, differences.total(), differences, before, now)


def count_pairs(pairing: Pairing) -> CountedPairs:
    """Count the pairs."""
    repeated = pairing.repeated
    counted = CountedPairs([_Group(index in repeated) for index in range(len(pairing.groups))])
    groups = counted.groups
    flips = {_FIXED: counted.fixed, _BROKEN: counted.broken}
    for pair in pairing:  # up to millions, so this loop calls functions only for rare cases
        group = groups[pair.group]
        code = pair.before << 2 | pair.now
        group.codes[code] += 1
        if code in flips and len(flips[code]) < KEPT_FLIPS:
            flips[code].append(FlipPosition(pair.group, pair.before_at, pair.now_at))
        if pair.is_advisory:
            group.advisory += 1
        if group.has_repeats:
            group.add_repeat(pair)
    return counted


def _clustered(counts: PairCounts, each: Iterable[tuple[int, int, int]]) -> Pairs:
    """Return pairs by clusters.

    Args:
        counts: the counts of all pairs.
        each: for each cluster, its pairs, passed before and passed now.
    """
    differences: Counter[tuple[int, int]] = Counter()
    before: Counter[tuple[int, int]] = Counter()
    now: Counter[tuple[int, int]] = Counter()
    for pairs, old, new in each:
        differences[new - old, pairs] += 1
        before[old, pairs] += 1
        now[new, pairs] += 1
    return Pairs(counts, differences.total(), differences, before, now)


def _nonzero(differences: Differences) -> Differences:
    return {key: times for key, times in differences.items() if times}
