"""Judging what a model answered."""

from lve.checkers.base import BaseChecker, CheckContext, Checker, MultiRunBaseChecker, Verdict

__all__ = ["BaseChecker", "CheckContext", "Checker", "MultiRunBaseChecker", "Verdict"]
