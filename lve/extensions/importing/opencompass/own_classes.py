"""Which evaluators can't run by their own class, and which not for single rows."""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_name("unboxed.txt").read_text(encoding="utf-8").split("\n")
UNBOXED = frozenset(
    line if "." in line else f"opencompass.{line}"
    for line in _LINES
    if line and not line.startswith("#")
)
"""Evaluators, `package.Name`, that can't run in a sandbox with what `--setup` installs."""
IN_PAIRS = frozenset(("AccDropEvaluator",))
"""Evaluators that can't judge a row alone; each row is as accurate as AccEvaluator says."""
IN_SHARES = frozenset(("BFCLSingleTurnEvaluator", "BFCLRelevanceEvaluator", "MMCustomEvaluator"))
"""Evaluators whose scores are of 1, not of 100."""
