"""What a workspace's settings say about comparisons."""

from __future__ import annotations

from typing import NamedTuple

BASELINE = "lve.baseline.json"


class ComparisonSettings(NamedTuple):
    """The key `comparison` of the settings."""

    alpha: float = 0.05
    """The chance of calling any test different if none is."""
    threshold: float = 0.0
    """A drop of a pass rate up to this is no regression, however significant."""
    baseline: str = BASELINE
    """File of the baseline, relative to the workspace root."""
