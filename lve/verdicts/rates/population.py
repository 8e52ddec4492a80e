"""Decides expectations about the pass rate of the population that the instances are a sample of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from lve.data_classes import dataclass, field
from lve.escape import escape_line
from lve.plurals import amount
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.rates.clusters import Counts, Estimate, population_rate
from lve.verdicts.rates.statistics import Decision, Rate, pass_rate, rate_bounds

MAX_CLUSTERS = 100_000
"""Number of clusters, to limit the memory. Further ones are merged with these."""


@dataclass(slots=True, repr=False, eq=False)
class ClusterCounts:
    """Counts of a test's results by the values of a column."""

    column: str
    by_value: dict[int, list[int]] = field(default_factory=dict)
    """Hash of a value -> [passed, judged, errors]."""

    def add(self, result: InstanceResult) -> None:
        """Count a result that passed, failed or ended in an error."""
        if result.verdict not in ("passed", "failed", "error"):
            return
        key = cluster_of(result.args, self.column)
        if key not in self.by_value and len(self.by_value) >= MAX_CLUSTERS:
            key %= MAX_CLUSTERS
        counts = self.by_value.setdefault(key, [0, 0, 0])
        counts[0] += result.verdict == "passed"
        counts[1] += result.verdict != "error"
        counts[2] += result.verdict == "error"

    def counts(self) -> Counts:
        """Return the results by cluster."""
        return Counter((passed, judged) for passed, judged, _ in self.by_value.values())

    def decide(self, expect: Expectation, missing: int = 0) -> Decision | None:
        """Decide as in `decide_about_population`, with each error in its own cluster."""
        all_ = self.by_value.values()
        failed = Counter((passed, judged + errors) for passed, judged, errors in all_)
        passed = Counter((passed + errors, judged + errors) for passed, judged, errors in all_)
        failed[0, 1] += missing  # nobody has counted their columns
        passed[1, 1] += missing
        return _agreed(expect, self.counts(), failed, passed)


def observed_rate(
    expect: Expectation, passed: int, judged: int, counts: Callable[[], Counts], *, sequential: bool
) -> Rate:
    """Return the pass rate of a test's own instances: with the bounds that decide, if the test
    expects a rate, else with an interval. Of repeats that are alike, each instance counts once.

    Args:
        expect: the test's expectation.
        passed: results that passed.
        judged: results that passed or failed.
        counts: returns the results of the instances.
        sequential: as in `judge_rate`.
    """
    confidence = expect.confidence
    has_bounds = expect.kind == "rate" and not expect.counts_results
    if expect.has_alike_repeats:
        estimate = population_rate(counts(), confidence=confidence, has_bounds=has_bounds)
        low, high = (estimate.low, estimate.high) if estimate else (0.0, 1.0)
        return Rate(passed, judged, low, high, confidence, has_bounds)
    if has_bounds:
        return rate_bounds(passed, judged, confidence=confidence, sequential=sequential)
    return pass_rate(passed, judged, confidence=confidence)


def cluster_of(args: Mapping[str, object], column: str) -> int:
    """Return the key of an instance's cluster: the hash of its value in a column."""
    return hash(str(args.get(column)))


def decide_about_population(expect: Expectation, counts: Counts, errors: int) -> Decision | None:
    """Return the decision about the rate of the population that is the same if errors are left out,
    count as failed, or count as passed; None if these differ.

    Args:
        expect: an expectation of kind `rate`.
        counts: results of the clusters.
        errors: runs that ended in an error. Each counts as a cluster of its own.
    """
    none, failed, passed = Counter(counts), Counter(counts), Counter(counts)
    failed[0, 1] += errors
    passed[1, 1] += errors
    return _agreed(expect, none, failed, passed)


def population_text(estimate: Estimate | None, column: str | None) -> str:
    """Return the pass rate of the population as a text.

    Args:
        estimate: the rate; None without results.
        column: whose values make clusters; None: each instance is a cluster.
    """
    if estimate is None:
        return "rows like these: no results"
    where = f" by {escape_line(column)}" if column else ""
    units = amount(estimate.clusters, "cluster" if column else "row")
    return f"rows like these {estimate} from {units}{where}"


def _agreed(expect: Expectation, *tried: Counts) -> Decision | None:
    """Return the decision if it is the same for all of these counts, else None."""
    decisions = {_judge(expect, counts) for counts in tried}
    return decisions.pop() if len(decisions) == 1 else None


def _judge(expect: Expectation, counts: Counts) -> Decision:
    estimate = population_rate(counts, confidence=expect.confidence, has_bounds=True)
    if estimate is None:
        return "inconclusive"
    return decide_by_bounds(estimate.low, estimate.high, expect)


def decide_by_bounds(low: float, high: float, expect: Expectation) -> Decision:
    """Compare the bounds of a rate with an expectation of kind `rate`."""
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
