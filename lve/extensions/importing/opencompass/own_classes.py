"""Which evaluators of OpenCompass can't run by their own class, and which not for single rows."""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_name("unboxed.txt").read_text(encoding="utf-8").split("\n")
UNBOXED = frozenset(line for line in _LINES if line and not line.startswith("#"))
"""Evaluators that can't run in a sandbox with what `lve import --setup opencompass` installs."""
IN_PAIRS = frozenset(("AccDropEvaluator",))
"""Evaluators that can't judge a row alone; each row is as accurate as AccEvaluator says."""
