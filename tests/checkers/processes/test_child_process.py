"""A process that answers requests: what it answers, and how it ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lve.checkers.processes.child_process import Child, ChildEndedError

ANSWERS = """
import os, time
from lve.checkers.processes.child_side import serve

def answer(request):
    if request["do"] == "exit":
        print("one\\ntwo\\x1b[2J")
        os._exit(3)
    if request["do"] == "hang":
        time.sleep(60)
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
            "ended its process (exit code 3); it printed last: one / two\ufffd[2J",
        ),
        ("list", 30, "gave an answer that can't be read"),
    ],
)
def test_without_an_answer_it_has_ended_and_says_why(
    child: Child, do: str, timeout_s: float, why: str
) -> None:
    child.ask({"do": "start"}, timeout_s=30)
    with pytest.raises(ChildEndedError) as caught:
        child.ask({"do": do}, timeout_s=timeout_s)
    assert str(caught.value) == why
    with pytest.raises(ChildEndedError):
        child.ask({"do": "again"}, timeout_s=30)


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
