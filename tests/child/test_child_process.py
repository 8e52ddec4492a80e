"""Child processes: their environment, their time and memory limits, and their end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lve.child.answers import AnswerLimits
from lve.child.child_command import child_command, child_environment
from lve.child.child_process import Child, ChildEndedError

MEGABYTE = 1_000_000
TAKES_MEMORY = """
import sys
from lve.child.child_side import limit_memory

def main(wanted):
    limit_memory(200_000_000)
    try:
        sys.exit(0 if len(bytearray(int(wanted))) == wanted else 2)
    except MemoryError:
        sys.exit(1)
"""
SAYS_PATH = "import json, sys\ndef main(_): print(json.dumps([sys.path, sys.argv]))\n"


def test_a_process_finds_the_modules_that_this_one_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "says_path.py").write_text(SAYS_PATH, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    said = subprocess.run(
        child_command("says_path", 0), capture_output=True, check=True, cwd=tmp_path
    )
    path, arguments = json.loads(said.stdout)
    assert path == sys.path
    assert arguments == ["-c"]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is the system's")
@pytest.mark.parametrize(("wanted", "code"), [(50 * MEGABYTE, 0), (400 * MEGABYTE, 1)])
def test_a_process_gets_so_much_memory_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: int, code: int
) -> None:
    (tmp_path / "takes_memory.py").write_text(TAKES_MEMORY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    command = child_command("takes_memory", wanted)
    assert subprocess.run(command, env=child_environment(os.environ)).returncode == code


def test_it_sees_what_programs_need_and_no_keys() -> None:
    needed = {"PATH": "/bin", "LC_ALL": "C", "PYTHONUTF8": "1", "LD_LIBRARY_PATH": "/opt/lib"}
    keys = {"OPENAI_API_KEY": "k", "HF_TOKEN": "k", "HTTPS_PROXY": "http://me:k@proxy"}
    assert child_environment({**needed, **keys, "MINE": "x"}, ["MINE"]) == {**needed, "MINE": "x"}


ANSWERS = """
import os, stat, time
from contextlib import suppress
from lve.child.child_side import serve

def answer(request):
    if request["do"] == "exit":
        print("one\\ntwo\\x1b[2J")
        os._exit(3)
    if request["do"] == "hang":
        time.sleep(60)
    if request["do"] == "deep":  # what runs here can write into the pipe
        for number in range(3, 20):
            with suppress(OSError):
                if stat.S_ISFIFO(os.fstat(number).st_mode):
                    os.write(number, b"[" * 60_000 + b"\\n")
    if request["do"] == "list":
        return ["no object"]
    return {"heard": request["do"], "see": dict(os.environ)}

def main(lifeline):
    serve(lifeline, answer)
"""


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Child]:
    (tmp_path / "answering_child.py").write_text(ANSWERS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MY_API_KEY", "secret")
    monkeypatch.setenv("ALLOWED", "yes")
    child = Child("answering_child", ["ALLOWED"], shortest_s=0.05)
    yield child
    child.end()


def test_every_request_gets_its_answer_and_no_key_is_there(child: Child) -> None:
    assert [child.ask({"do": word}, timeout_s=30)["heard"] for word in ("a", "b\n")] == ["a", "b\n"]
    seen = child.ask({"do": ""}, timeout_s=30)["see"]
    assert (seen.get("ALLOWED"), seen.get("MY_API_KEY")) == ("yes", None)


def test_what_is_no_json_is_sent_as_text(child: Child) -> None:
    assert child.ask({"do": Path("x")}, timeout_s=30)["heard"] == "x"


@pytest.mark.parametrize(
    ("do", "timeout_s", "why"),
    [
        ("hang", 0.3, "took longer than 0.3 s and was stopped"),
        (
            "exit",
            30,
            r"ended its process \(exit code 3\); it printed last: one / two\ufffd\[2J",
        ),
        ("deep", 30, "gave several answers to one request|gave an answer of more than .* values"),
        ("list", 30, "gave an answer that can't be read: no JSON object"),
    ],
)
def test_without_an_answer_it_has_ended_and_says_why(
    child: Child, do: str, timeout_s: float, why: str
) -> None:
    child.ask({"do": "start"}, timeout_s=30)
    with pytest.raises(ChildEndedError) as caught:
        child.ask({"do": do}, timeout_s=timeout_s)
    assert re.fullmatch(why, str(caught.value))
    with pytest.raises(ChildEndedError):
        child.ask({"do": "again"}, timeout_s=30)


def test_an_answer_that_is_too_long_is_not_read(child: Child) -> None:
    assert child.ask({"do": "a"}, timeout_s=30, limits=AnswerLimits(100_000))["heard"] == "a"
    with pytest.raises(ChildEndedError, match="gave an answer of more than 1,000 bytes"):
        child.ask({"do": "a" * 1000}, timeout_s=30, limits=AnswerLimits(1000))


def test_a_signal_that_ended_it_is_named(child: Child) -> None:
    child.ask({"do": "start"}, timeout_s=30)
    child.kill()
    with pytest.raises(ChildEndedError, match=rf"signal {signal.SIGKILL:d}"):
        child.ask({"do": "again"}, timeout_s=30)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_of_lve_does_not_end_the_process_of_its_parent(child: Child) -> None:
    child.ask({"do": "start"}, timeout_s=30)
    pid = os.fork()
    if pid == 0:
        child.kill()
        os._exit(0)
    assert os.waitpid(pid, 0) == (pid, 0)
    assert child.ask({"do": "still here"}, timeout_s=30)["heard"] == "still here"


def test_a_program_that_is_not_there_is_an_error_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(OSError, match="No such file"):
        Child("answering_child", shortest_s=1)
