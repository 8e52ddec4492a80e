"""Processes of built-in checkers, and how long they stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.shared_processes import stop_shared_processes

from lve.checkers.processes.judging_process import JudgingProcess
from lve.checkers.processes.out_of_process import OutOfProcessChecker
from lve.child.child_process import Child
from lve.errors import MissingExtraError
from lve.extensions.hf.classifiers import BiasChecker


def test_a_process_with_models_stays_for_the_next_test(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Under pytest one test ends before the next begins: each would import torch again."""
    stop_shared_processes()
    started: list[Child] = []
    start = JudgingProcess._started

    def counted(process: JudgingProcess) -> Child:
        started.append(start(process))
        return started[-1]

    monkeypatch.setattr(JudgingProcess, "_started", counted)
    for name in ("first", "second", "third"):
        args = {"bias_threshold": 0.5, "model": f"lve-tests/{name}-is-not-here"}
        with pytest.raises(MissingExtraError, match=rf"{name}-is-not-here|lve\[hf\]"):
            OutOfProcessChecker(BiasChecker, args, tmp_path).prepare()
    assert len(started) == 1
