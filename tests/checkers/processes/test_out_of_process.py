"""Processes of built-in checkers, and how long they stay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.shared_processes import stop_shared_processes

from lve.checkers.processes.checker_process import MEMORY_BYTES
from lve.checkers.processes.judging_process import JudgingProcess
from lve.checkers.processes.out_of_process import OutOfProcessChecker
from lve.checkers.processes.wire import packed
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


def test_what_a_check_imports_late_is_no_part_of_the_first_judgement(tmp_path: Path) -> None:
    """On a busy machine the imports alone take longer than a judgement may."""
    schema = {"type": "array", "items": {"type": "string", "format": "date"}}
    config = packed(("json", {"json": {"schema": schema}}, tmp_path))
    begin = {"do": "begin", "config": config, "memory": MEMORY_BYTES}
    code = (
        "import json, sys; from lve.checkers import builtin_child;"
        "assert builtin_child._answer(json.loads(sys.argv[1])) == {};"
        "print('jsonschema' in sys.modules)"
    )
    command = [sys.executable, "-c", code, json.dumps(begin)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "True\n"
