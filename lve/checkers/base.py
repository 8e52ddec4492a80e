"""The names that custom checkers import.

The contract itself is in `lve.checkers.contract`; the base classes of the original LVE tools are in
`lve.checkers.custom.original_imports`.
"""

from __future__ import annotations

from lve.checkers.contract import CheckContext, Checker, Outcome, Verdict
from lve.checkers.custom.original_imports import BaseChecker, MultiRunBaseChecker

__all__ = ["BaseChecker", "CheckContext", "Checker", "MultiRunBaseChecker", "Outcome", "Verdict"]
