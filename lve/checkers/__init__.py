"""Judges a model's answers."""

from lve.checkers.base import BaseChecker, CheckContext, Checker, MultiRunBaseChecker, Verdict

__all__ = ["BaseChecker", "CheckContext", "Checker", "MultiRunBaseChecker", "Verdict"]
