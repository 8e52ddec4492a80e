"""Processes of checkers with models, which stay for the next test."""

from __future__ import annotations

from lve.checkers.processes import checker_process


def stop_shared_processes() -> None:
    """End what a test before has left: it has other variables, and what it asks isn't recorded."""
    for process in checker_process._KEPT:
        process.stop()
