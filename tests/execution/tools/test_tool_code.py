"""Tools that are code: their processes, whatever the code does."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from lve.child.helper import MAX_CRASHES
from lve.execution.tools.tool_code import LONGEST_RESULT, ToolProcesses
from lve.settings.trusted_file import CodeRights

CODE = """\
import os, time
count = 0

def add(a, b=1):
    return a + b

def counted():
    global count
    count += 1
    return {"count": count}

def half():
    return "\\ud800"

def number():
    return float("nan")

def huge():
    return "x" * 5_000_000

def memory():
    return len(bytearray(8_000_000_000))

def fail():
    raise ValueError("no such city")

def end():
    os._exit(3)

def leave():
    raise SystemExit(1)

def sleep():
    time.sleep(60)

def fork():
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)

def talk():
    print("x" * 100_000)
    return os.read(0, 10).decode()

def keys():
    return sorted(name for name in os.environ if "KEY" in name)
"""


def results(
    tmp_path: Path, *calls: str, code: str = CODE, limit_s: float = 20, **arguments: object
) -> list[str]:
    """Return the results of calls, one after the other, all with the same arguments."""

    async def call() -> list[str]:
        processes = ToolProcesses()
        process = processes.of(tmp_path / "tools.py", code.encode(), CodeRights(), limit_s)
        try:
            return [await process.call(name, arguments) for name in calls]
        finally:
            processes.close()

    return asyncio.run(call())


def test_a_function_answers(tmp_path: Path) -> None:
    assert results(tmp_path, "add", a=1) == ["2"]
    assert results(tmp_path, "add", a="x", b="y") == ["xy"]
    assert results(tmp_path, "counted", "counted") == ['{"count": 1}', '{"count": 2}']


def test_what_goes_wrong_the_model_is_told(tmp_path: Path) -> None:
    (missing,) = results(tmp_path, "add", c=1)
    assert missing.startswith("Error: tools.py: TypeError: ")
    told = results(tmp_path, "fail", "leave", "number", "half", "counted")
    assert told[:2] == [
        "Error: tools.py:25: ValueError: no such city",
        "Error: tools.py:31: SystemExit: 1",
    ]
    assert told[2].startswith("Error: tools.py: ValueError: ")
    assert told[3:] == ["?", '{"count": 1}'], "the process went on"
    assert str(tmp_path) not in "".join(told), "where files are is none of the model's business"


def test_a_file_that_can_not_be_run_is_told(tmp_path: Path) -> None:
    told = results(tmp_path, "x", "x", code="import no_such_module_at_all")
    assert told == ["Error: tools.py:1: ModuleNotFoundError: No module named"
                    " 'no_such_module_at_all'"] * 2  # fmt: skip


def test_a_process_that_ends_is_started_again_but_not_for_ever(tmp_path: Path) -> None:
    told = results(tmp_path, "end", "counted", *["end"] * MAX_CRASHES, "counted")
    assert told[0].startswith("Error: the tool ended its process (exit code 3)")
    assert told[1] == '{"count": 1}'
    assert told[-1] == "Error: the tool isn't run any more, its process ended too often"


def test_a_call_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    told = results(tmp_path, "sleep", limit_s=1)
    assert told == ["Error: the tool took longer than 1 s and was stopped"]


@pytest.mark.skipif(sys.platform == "win32", reason="processes of its own")
def test_what_it_starts_ends_with_it(tmp_path: Path) -> None:
    (told,) = results(tmp_path, "fork", limit_s=20)
    assert told == "Error: the tool ended its process (exit code 0)"


def test_results_are_limited(tmp_path: Path) -> None:
    (huge,) = results(tmp_path, "huge")
    assert len(huge) == LONGEST_RESULT


@pytest.mark.skipif(sys.platform != "linux", reason="the limit holds there")
def test_memory_is_limited(tmp_path: Path) -> None:
    (told,) = results(tmp_path, "memory")
    assert told.startswith("Error: tools.py:22: MemoryError")


def test_it_has_no_keys_no_input_and_no_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert "OPENAI_API_KEY" in os.environ
    assert results(tmp_path, "keys", "talk") == ["[]", ""]
    assert capfd.readouterr() == ("", "")
