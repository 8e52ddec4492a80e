"""What a pass rate decides about the population that a test's instances come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lve.escape import escape_line
from lve.results.records import InstanceResult
from lve.spec.model import Expectation
from lve.verdicts.rates.clusters import Counts, Estimate, population_rate
from lve.verdicts.rates.statistics import Decision
from lve.verdicts.wording import amount

MOST_CLUSTERS = 100_000
"""Clusters that are told apart: they must not fill the memory. Further ones share these."""


@dataclass(slots=True, repr=False, eq=False)
class ClusterCounts:
    """The results of a test by the values of a column."""

    column: str
    by_value: dict[int, list[int]] = field(default_factory=dict)
    """Hash of a value -> [passed, judged, errors]."""

    def add(self, result: InstanceResult) -> None:
        """Count a result that passed, failed or ended in an error."""
        if result.verdict not in ("passed", "failed", "error"):
            return
        key = cluster_of(result.args, self.column)
        if key not in self.by_value and len(self.by_value) >= MOST_CLUSTERS:
            key %= MOST_CLUSTERS
        counts = self.by_value.setdefault(key, [0, 0, 0])
        counts[0] += result.verdict == "passed"
        counts[1] += result.verdict != "error"
        counts[2] += result.verdict == "error"

    def counts(self) -> Counts:
        """Return how many clusters have which results."""
        return Counter((passed, judged) for passed, judged, _ in self.by_value.values())

    def decide(self, expect: Expectation) -> Decision | None:
        """As `decide_about_population`, with every error in the cluster that it belongs to."""
        all_ = self.by_value.values()
        failed = Counter((passed, judged + errors) for passed, judged, errors in all_)
        passed = Counter((passed + errors, judged + errors) for passed, judged, errors in all_)
        return _agreed(expect, self.counts(), failed, passed)


def cluster_of(args: Mapping[str, Any], column: str) -> int:
    """Return what tells the cluster of an instance from others: the hash of its value."""
    return hash(str(args.get(column)))


def decide_about_population(expect: Expectation, counts: Counts, errors: int) -> Decision | None:
    """Return what the rate of clusters like these decides, whatever the runs that ended in an error
    would have been; None where that depends on them.

    Args:
        expect: an expectation of kind `rate`.
        counts: results of the clusters.
        errors: runs that ended in an error. Each might be a cluster of its own.
    """
    none, failed, passed = Counter(counts), Counter(counts), Counter(counts)
    failed[0, 1] += errors
    passed[1, 1] += errors
    return _agreed(expect, none, failed, passed)


def population_text(found: Estimate | None, column: str | None) -> str:
    """Return the pass rate of instances like these, in words.

    Args:
        found: the rate; None without results.
        column: that makes clusters; None: each instance is one.
    """
    if found is None:
        return "instances like these: no runs"
    where = f" by {escape_line(column)}" if column else ""
    units = amount(found.clusters, "cluster" if column else "instance")
    return f"instances like these {found} from {units}{where}"


def _agreed(expect: Expectation, *tried: Counts) -> Decision | None:
    """Return the decision that all of these counts lead to; None if they lead to several."""
    decisions = {_judge(expect, one) for one in tried}
    return decisions.pop() if len(decisions) == 1 else None


def _judge(expect: Expectation, counts: Counts) -> Decision:
    found = population_rate(counts, confidence=expect.confidence, has_bounds=True)
    if found is None:
        return "inconclusive"
    return compared(found.low, found.high, expect)


def compared(low: float, high: float, expect: Expectation) -> Decision:
    """Return what an interval of a rate decides about an expectation of one."""
    threshold = expect.threshold
    holds, fails = {
        ">=": (low >= threshold, high < threshold),
        ">": (low > threshold, high <= threshold),
        "<=": (high <= threshold, low > threshold),
        "<": (high < threshold, low >= threshold),
    }[expect.comparison]
    if holds:
        return "passed"
    return "failed" if fails else "inconclusive"
