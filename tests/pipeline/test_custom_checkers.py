"""Runs with custom checkers that end, hang or wait."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_test
from support.forked import python
from support.trust import trust_settings, trusted

from lve.models.scripted import ScriptedModel
from lve.options.run_options import RunOptions
from lve.pipeline.run import run_tests


def _test(folder: Path, body: str, **document: Any) -> Path:
    write_test(
        folder,
        prompt=[{"role": "user", "content": "Say {word}."}],
        prompt_parameters=["word"],
        checker_args={"checker_name": "C"},
        instances=[{"args": {"word": word}} for word in ("exit", "a", "b", "c")],
        **document,
    )
    (folder / "checker").mkdir()
    code = "import os, time\nclass C:\n    def check(self, context):\n"
    code += textwrap.indent(textwrap.dedent(body), " " * 8)
    file = folder / "checker" / "checker.py"
    file.write_text(code, encoding="utf-8")
    return folder


def _trust_markers(root: Path) -> None:
    """Have the checkers write into the workspace, which their sandbox doesn't allow."""
    files = sorted(root.rglob("checker.py"))
    entries = [trusted(root, file, write=(str(root),)) for file in files]
    workspace(root, trust_settings(*entries))


def _run(folder: Path) -> Any:
    model = ScriptedModel({}, default="x", name="echo")
    options = RunOptions(models=("echo",), own_models={"echo": model}, keep=False, trust=True)
    return asyncio.run(run_tests([folder], options, warn=lambda text: None, keep_results=True))


def test_checker_that_exits_spoils_one_instance_not_the_run(tmp_path: Path) -> None:
    body = "if context.parameters['word'] == 'exit': os._exit(0)\nreturn True"
    result = _run(_test(tmp_path / "t", body))
    assert sorted(one.verdict for one in result.results) == ["error"] + ["passed"] * 3
    assert result.exit_code() != 0


def test_slow_checker_does_not_hold_up_other_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow one waits for what the other one does: they would wait forever in one thread."""
    done = tmp_path / "done"
    slow = f"while not os.path.exists({str(done)!r}): time.sleep(0.01)\nreturn True"
    quick = f"open({str(done)!r}, 'w').close()\nreturn True"
    _test(tmp_path / "tests" / "a_slow", slow, timeout_s=20)
    _test(tmp_path / "tests" / "b_quick", quick)
    _trust_markers(tmp_path)
    monkeypatch.chdir(tmp_path)
    result = _run(tmp_path / "tests")
    assert {one.verdict for one in result.results} == {"passed"}


def test_run_that_waits_for_a_checker_can_be_interrupted(tmp_path: Path) -> None:
    marker = tmp_path / "judging"
    _test(tmp_path / "t", f"open({str(marker)!r}, 'w').close()\ntime.sleep(600)")
    _trust_markers(tmp_path)
    command = [*python(), "-m", "lve", "run", "t"]
    lve = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        _interrupt_twice(lve, marker)
        _, said = lve.communicate(timeout=20)
    finally:
        lve.kill()
    assert lve.returncode == 130, said
    assert "Traceback" not in said


def _interrupt_twice(lve: subprocess.Popen[str], marker: Path) -> None:
    until = time.monotonic() + 20
    while not marker.exists() and lve.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert lve.stderr is not None
    assert marker.exists(), lve.stderr.read() if lve.poll() is not None else "it doesn't judge"
    lve.send_signal(signal.SIGINT)
    said = ""
    while "interrupted" not in said:
        line = lve.stderr.readline()
        assert line, said
        said += line
    lve.send_signal(signal.SIGINT)
