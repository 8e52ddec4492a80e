"""Helpers: processes that start on demand, restart after a crash, and stop for good."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lve.child.child_process import ChildEndedError
from lve.child.helper import (
    MAX_CRASHES,
    CrashCounter,
    CrashedTooOftenError,
    Helper,
    HelperGroup,
    HelperStoppedError,
)
from lve.settings.trusted_file import CodeRights

ANSWERS = """
import os, time
from lve.child.child_side import serve

def answer(request):
    if request["do"] == "end":
        os._exit(3)
    if request["do"] == "hang":
        open(request["file"], "w").close()
        time.sleep(60)
    return {"pid": os.getpid(), "do": request["do"]}

def main(lifeline):
    serve(lifeline, answer)
"""
Make = Callable[..., Helper]


class Unloadable(Helper):
    """A helper whose first answer is refused."""

    def loaded(self, answer: Mapping[str, Any]) -> None:
        raise ValueError(answer["do"])


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    (tmp_path / "helper_answers.py").write_text(ANSWERS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    def helper(kind: type[Helper] = Helper, **options: Any) -> Helper:
        options = {"limit_s": 30, "start_limit_s": 30, "load": {"do": "load"}, **options}
        rights = CodeRights(sandbox=None, memory_bytes=None)
        return kind("helper_answers", rights=rights, **options)

    return helper


def pid_of(helper: Helper) -> int:
    return int(helper.request({"do": "answer"})["pid"])


def crash(helper: Helper, crashes: CrashCounter | None = None) -> None:
    with pytest.raises(ChildEndedError, match="exit code 3"):
        helper.request({"do": "end"}, crashes=crashes)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_starts_when_it_is_asked_and_again_after_a_crash(make: Make) -> None:
    helper = make()
    assert not helper.is_running
    assert helper.request() == {}, "only started"
    assert helper.is_running
    first = pid_of(helper)
    assert pid_of(helper) == first
    crash(helper)
    assert not helper.is_running
    assert pid_of(helper) != first
    helper.close()


def test_it_is_given_up_after_crashes_in_a_row(make: Make) -> None:
    helper = make()
    for _ in range(MAX_CRASHES - 1):
        crash(helper)
    pid_of(helper)  # an answer: the crashes are counted anew
    for _ in range(MAX_CRASHES):
        crash(helper)
    with pytest.raises(CrashedTooOftenError):
        helper.request({"do": "answer"})
    assert not helper.is_running
    helper.close()


def test_crashes_while_it_loads_count_too(make: Make) -> None:
    helper = make(load={"do": "end"})
    for _ in range(MAX_CRASHES):
        with pytest.raises(ChildEndedError):
            helper.request()
    with pytest.raises(CrashedTooOftenError):
        helper.request()


def test_each_of_several_users_has_its_own_count(make: Make) -> None:
    helper, unlucky, lucky = make(), CrashCounter(), CrashCounter()
    for _ in range(MAX_CRASHES):
        crash(helper, unlucky)
    with pytest.raises(CrashedTooOftenError):
        helper.request({"do": "answer"}, crashes=unlucky)
    assert helper.request({"do": "answer"}, crashes=lucky)["do"] == "answer"
    helper.close()


def test_a_refused_load_ends_the_process(make: Make) -> None:
    helper = make(Unloadable)
    for _ in range(MAX_CRASHES + 1):  # a refusal is no crash
        with pytest.raises(ValueError, match="load"):
            helper.request({"do": "answer"})
        assert not helper.is_running


def test_the_one_that_was_idle_longest_makes_room(make: Make) -> None:
    group = HelperGroup(most=2)
    helpers = [make(group=group) for _ in range(3)]
    pids = [pid_of(helper) for helper in helpers[:2]]
    pid_of(helpers[0])  # now the second is the one that was idle longest
    pid_of(helpers[2])
    assert [helper.is_running for helper in helpers] == [True, False, True]
    assert not is_alive(pids[1])
    assert pid_of(helpers[1]) != pids[1], "it comes back when it is asked"
    group.stop()
    for helper in helpers:
        with pytest.raises(HelperStoppedError):
            helper.request()
        helper.close()


def test_stopping_ends_a_call_at_once_and_for_good(make: Make, tmp_path: Path) -> None:
    helper = make()
    began = tmp_path / "began"
    ends: list[BaseException] = []

    def wait() -> None:
        try:
            helper.request({"do": "hang", "file": str(began)})
        except HelperStoppedError as error:
            ends.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    while not began.exists():
        time.sleep(0.01)
    helper.rest()
    assert helper.is_running, "it isn't idle"
    helper.stop()
    waiting.join(20)
    assert len(ends) == 1, "no crash: it was stopped"
    with pytest.raises(HelperStoppedError):
        helper.request()


def test_too_late_an_answer_is_a_crash(make: Make, tmp_path: Path) -> None:
    helper = make(limit_s=0.3)
    with pytest.raises(ChildEndedError, match=r"took longer than 0.3 s"):
        helper.request({"do": "hang", "file": str(tmp_path / "began")})
    with pytest.raises(ChildEndedError, match=r"took longer than 0.2 s"):
        helper.request({"do": "hang", "file": str(tmp_path / "began")}, limit_s=0.2)
    helper.close()
