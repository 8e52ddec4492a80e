"""Sandboxed processes end for sure before their folder is removed, and with lve."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lve.child import started_process
from lve.child.child_process import Child, ChildEndedError
from lve.sandbox.rights import Sandbox

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has supervisors"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]
CODE = """
import os, signal, tempfile, time
from lve.child.child_side import serve

def leave(own_group=False):
    '''Start a process whose parent ends.'''
    read, write = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            if own_group:
                os.setsid()
            os.write(write, str(os.getpid()).encode())
            os.closerange(0, 64)
            time.sleep(600)
        os._exit(0)
    os.wait()
    return int(os.read(read, 20))

def answer(request):
    do = request["do"]
    if do == "exit":
        os._exit(7)
    if do == "die":
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    left = leave(do == "leave its group") if do.startswith("leave") else None
    return {"box": os.getpid(), "left": left, "folder": tempfile.gettempdir()}

def main(lifeline):
    serve(lifeline, answer)
"""
LVE = """
import sys, time
sys.path.insert(0, sys.argv[1])
from lve.child.child_process import Child
from lve.sandbox.rights import Sandbox
child = Child("boxed_child", shortest_s=1, sandbox=Sandbox())
print(child.ask({"do": "leave"}, timeout_s=60), flush=True)
time.sleep(600)
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "boxed_child.py").write_text(CODE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.fixture
def child(code: Path) -> Iterator[Child]:
    child = Child("boxed_child", shortest_s=1, sandbox=Sandbox())
    yield child
    child.end()


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def wait_until(happened: Callable[[], bool]) -> None:
    ends = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_all_that_it_started_has_ended_before_its_folder_goes(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = child.ask({"do": "leave"}, timeout_s=60)
    assert child._watch is not None
    closed, alive = child._watch.close, list[bool]()

    def close(*, remove: bool) -> None:
        alive.extend([is_alive(said["box"]), is_alive(said["left"]), not remove])
        closed(remove=remove)

    monkeypatch.setattr(child._watch, "close", close)
    child.end()
    assert alive == [False] * 3
    assert not Path(said["folder"]).exists()


@pytest.mark.parametrize(
    ("do", "why"),
    [("exit", r"ended its process \(exit code 7\)"), ("die", r"ended its process \(signal 15\)")],
)
def test_its_own_end_is_told_and_ends_what_it_left(child: Child, do: str, why: str) -> None:
    said = child.ask({"do": "leave"}, timeout_s=60)
    with pytest.raises(ChildEndedError, match=why):
        child.ask({"do": do}, timeout_s=60)
    assert not is_alive(said["left"])


def test_a_killed_lve_leaves_nothing(code: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LVE, str(code)], stdout=subprocess.PIPE, text=True
    ) as lve:
        assert lve.stdout is not None
        said = eval(lve.stdout.readline())
        assert Path(said["folder"]).is_dir()
        lve.kill()
    wait_until(lambda: not Path(said["folder"]).exists())
    assert not is_alive(said["box"])
    assert not is_alive(said["left"])


def test_without_proof_the_folder_stays_until_the_supervisor_has_it(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stopped supervisor stands for a box that the kernel doesn't end."""
    monkeypatch.setattr(started_process, "PROOF_S", 0.2)
    said = child.ask({"do": "leave"}, timeout_s=60)
    supervisor = child._process.pid
    os.kill(supervisor, signal.SIGSTOP)
    with pytest.warns(RuntimeWarning, match="can't be removed now"):
        child.end()
    assert Path(said["folder"]).is_dir()
    assert is_alive(said["left"])
    os.kill(supervisor, signal.SIGCONT)
    wait_until(lambda: not Path(said["folder"]).exists())
    assert not is_alive(said["left"])


def test_a_killed_supervisor_proves_nothing(child: Child) -> None:
    said = child.ask({"do": "start"}, timeout_s=60)
    os.kill(child._process.pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(said["box"]))
    with pytest.warns(RuntimeWarning, match="can't be removed now"):
        child.end()
    assert Path(said["folder"]).is_dir()
    Path(said["folder"]).rmdir()


def test_it_ends_also_before_it_has_begun(code: Path) -> None:
    for pause in (0, 0.005, 0.02, 0.05, 0.1, 0.2):
        child = Child("boxed_child", shortest_s=1, sandbox=Sandbox())
        assert child._watch is not None
        folder = Path(child._watch.folder)
        time.sleep(pause)
        child.end()
        assert not folder.exists()
        assert child._process.returncode is not None


def test_no_answer_is_waited_for_after_a_kill(child: Child) -> None:
    child.ask({"do": "start"}, timeout_s=60)
    child.kill()
    with pytest.raises(ChildEndedError, match="signal 9"):
        child.ask({"do": "again"}, timeout_s=60)


def test_what_left_the_group_is_ended_too(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine lacks the layer that prevents it."""
    patched = CODE.replace(
        "from lve.child.child_side import serve",
        "from lve.child.child_side import serve\nfrom lve.sandbox import seccomp\n"
        "seccomp.is_available = lambda: False",
    )
    (code / "boxed_child.py").write_text(patched, encoding="utf-8")
    child = Child("boxed_child", shortest_s=1, sandbox=Sandbox())
    said = child.ask({"do": "leave its group"}, timeout_s=60)
    assert os.getpgid(said["left"]) == said["left"]
    child.end()
    assert not is_alive(said["left"])
    assert not Path(said["folder"]).exists()
