"""The names that custom checkers import, including those of the original LVE tools.

`lve.checkers.contract` has the contract, `lve.checkers.custom.original` the original base classes.
"""

from __future__ import annotations

from lve.checkers.contract import CheckContext, Checker, Outcome, Verdict
from lve.checkers.custom.original import BaseChecker, MultiRunBaseChecker

__all__ = [
    "BaseChecker",
    "CheckContext",
    "Checker",
    "MultiRunBaseChecker",
    "Outcome",
    "Verdict",
]
