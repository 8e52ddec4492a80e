"""How many random examples a test has: `make test` has a third of those of `make fuzz`."""

from __future__ import annotations

import os

FUZZING = "LVE_FUZZ_INPUTS" in os.environ


def examples(count: int) -> int:
    """Return how many of so many examples are tried now."""
    return count if FUZZING else max(8, count // 3)
