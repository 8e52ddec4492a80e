"""What would decide a pass rate that is inconclusive, in words."""

from __future__ import annotations

from collections import Counter

from lve.spec.model import Expectation
from lve.verdicts.rates.clusters import Counts
from lve.verdicts.rates.population import decide_about_population
from lve.verdicts.reach import MOST, least, runs_that_decide
from lve.verdicts.wording import amount


def what_would_decide(expect: Expectation, counts: Counts, is_sequential: bool) -> str:
    """Return how much more would decide, if it came out as what there is.

    Args:
        expect: an expectation of kind `rate`.
        counts: results of the clusters so far, which don't decide.
        is_sequential: whether repeats end as soon as the numbers can decide.
    """
    clusters = sum(counts.values())
    if expect.counts_clusters:
        return _more_clusters(expect, counts, clusters)
    passed = sum(good * times for (good, _), times in counts.items())
    judged = sum(total * times for (_, total), times in counts.items())
    runs = runs_that_decide(expect, passed, judged, sequential=is_sequential)
    if runs is None:
        return f"at this rate {MOST:,} runs wouldn't decide"
    repeats = amount(-(-runs // clusters), "repeat")
    return f"at this rate about {amount(runs, 'run')} would decide ({repeats} of all instances)"


def _more_clusters(expect: Expectation, counts: Counts, clusters: int) -> str:
    def decide(times: int) -> bool:
        more = Counter({key: number * times for key, number in counts.items()})
        return decide_about_population(expect, more, 0) != "inconclusive"

    times = least(decide)
    unit = "cluster" if expect.cluster else "instance"
    if times is None:
        return f"{amount(MOST * clusters, unit)} like these wouldn't decide"
    return f"about {amount(times * clusters, unit)} like these would decide"
