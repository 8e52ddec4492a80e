"""Statistics of the latency of results, by model."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from itertools import chain

BINS_PER_DECADE = 8
SHARES = (("p50", 0.5), ("p95", 0.95))
SHORTEST = 0.0005
"""In seconds. A faster result wasn't sent to a model."""


class Latencies:
    """Collects latencies in seconds, four bytes each."""

    def __init__(self) -> None:
        self._of: dict[int, array[float]] = {}

    def add(self, model: int, seconds: float) -> None:
        """Add the latency of a result. Results from the cache, which take no time, are ignored."""
        if SHORTEST <= seconds < math.inf:
            self._of.setdefault(model, array("f")).append(seconds)

    def to_json(self) -> dict[str, object]:
        """Return quantiles by model, and a histogram with logarithmic bins."""
        bins: list[dict[str, object]] = []
        quantiles: list[dict[str, object]] = []
        for model, latencies in sorted(self._of.items()):
            ordered = sorted(latencies)
            quantiles.append(
                {
                    "model": model,
                    **{name: _quantile(ordered, share) for name, share in SHARES},
                    "max": ordered[-1],
                }
            )
            counts = Counter(
                math.floor(math.log10(latency) * BINS_PER_DECADE) for latency in ordered
            )
            bins += [
                {"model": model, "low": _edge(n), "high": _edge(n + 1), "count": count}
                for n, count in sorted(counts.items())
            ]
        together = sorted(chain(*self._of.values()))
        whole = {name: _quantile(together, share) for name, share in SHARES} if together else None
        return {"bins": bins, "quantiles": quantiles, "all": whole}


def _quantile(ordered: list[float], share: float) -> float:
    """Return the smallest of the sorted values that at least `share` of them don't exceed."""
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def _edge(number: int) -> float:
    return float(f"{10 ** (number / BINS_PER_DECADE):.6g}")
