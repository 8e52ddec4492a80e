"""What checkers that people write import, also those of the original LVE tools: this name is kept.

`lve.checkers.contract` has the contract, `lve.checkers.custom.legacy` the original base classes.
"""

from __future__ import annotations

from lve.checkers.contract import CheckContext, Checker, Outcome, Verdict
from lve.checkers.custom.legacy import BaseChecker, MultiRunBaseChecker

__all__ = [
    "BaseChecker",
    "CheckContext",
    "Checker",
    "MultiRunBaseChecker",
    "Outcome",
    "Verdict",
]
