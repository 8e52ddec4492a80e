"""The process that uses Ray is a child, whose end is understood; nothing of it is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux ends and adopts processes")
START = """
import os, signal, subprocess, sys, time
from pathlib import Path
from lve.extensions.ray import driver
driver.EXIT_S = driver.REST_S = 0.5
def work():
    print("child", os.getpid(), flush=True)
    {body}
sys.exit(driver.in_child(work))
"""


def start(body: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START.format(body=body.replace("\n", "\n    "))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(body: str) -> tuple[int, str, str]:
    """Return the exit code, what was said, and the warnings."""
    with start(body) as process:
        out, err = process.communicate(timeout=60)
    assert out.count("child") == 1, "the work is done once"
    return process.returncode, out, err


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ("return 0", 0, ""),
        ("return 1", 1, ""),
        ("raise SystemExit(2)", 2, ""),
        ("raise SystemExit(1)", 1, ""),
        ("os._exit(1)", 3, "Ray has ended the run, because its raylet or an agent died"),
        ("os._exit(7)", 7, ""),
        ("import atexit; atexit.register(time.sleep, 99); return 4", 4, ""),
        ("import atexit; atexit.register(os._exit, 1); return 0", 0, ""),
        ("os.kill(os.getpid(), signal.SIGSEGV)", -signal.SIGSEGV, ""),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
    ],
)
def test_the_childs_end_is_the_commands(body: str, code: int, says: str) -> None:
    started = time.monotonic()
    returned, _, told = ended(body)
    assert returned == code, told
    assert (says in told) if says else ("Ray has ended" not in told)
    assert time.monotonic() - started < 30


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_the_child_leaves_behind_ends_and_its_folder_goes(tmp_path: Path) -> None:
    folder = tmp_path / "lve-ray-x"
    (folder / "r").mkdir(parents=True)
    code, out, _ = ended(
        f"driver.note_folder(Path({str(folder)!r}))\n"
        "agent = subprocess.Popen(['sleep', '99'], start_new_session=True)\n"
        "print('agent', agent.pid, flush=True)\n"
        "os._exit(1)"
    )
    assert code == 3
    assert not is_running(int(out.split("agent")[1]))
    assert not folder.exists()


def test_other_children_of_the_command_stay() -> None:
    code = START.replace("def work", "other = subprocess.Popen(['sleep', '20'])\ndef work").replace(
        "sys.exit(driver.in_child(work))",
        "code = driver.in_child(work)\nif other.poll() is None: print('it lives'); other.kill()",
    )
    done = subprocess.run(
        [sys.executable, "-c", code.format(body="os._exit(1)")], capture_output=True, text=True
    )
    assert "it lives" in done.stdout


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_command_reaches_the_child_once(kind: signal.Signals) -> None:
    body = (
        "count = []\n"
        "for kind in (signal.SIGINT, signal.SIGTERM):\n"
        "    signal.signal(kind, lambda *_: count.append(1))\n"
        "print('ready', flush=True)\n"
        "until = time.monotonic() + 20\n"
        "while not count and time.monotonic() < until: time.sleep(0.01)\n"
        "time.sleep(0.5)\n"
        "return 100 + len(count)"
    )
    with start(body) as process:
        assert process.stdout is not None
        while "ready" not in process.stdout.readline():
            pass
        process.send_signal(kind)
        process.communicate(timeout=60)
    assert process.returncode == 101


def test_the_child_ends_with_the_command() -> None:
    with start("time.sleep(99)\nreturn 0") as process:
        assert process.stdout is not None
        child = int(process.stdout.readline().split()[1])
        process.kill()
        process.wait()
    until = time.monotonic() + 10
    while is_running(child):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert os.getpid() != child


@pytest.mark.parametrize(("leaves", "code"), [(False, 3), (True, 4)])
def test_a_raylet_that_dies_ends_the_child_even_if_ray_waits_for_it(
    tmp_path: Path, leaves: bool, code: int
) -> None:
    (tmp_path / "raylet").symlink_to("/bin/sleep")
    returned, _, told = ended(
        "import threading\n"
        "driver.WATCH_S = 0.05\n"
        "def start():\n"
        f"    raylet = subprocess.Popen([{str(tmp_path / 'raylet')!r}, '99'])\n"
        "    threading.Timer(0.3, raylet.kill).start()\n"
        f"    driver.end_with_raylet(threading.Event(), lambda: {leaves})\n"
        "threading.Thread(target=start, daemon=True).start()\n"
        "time.sleep(2)\n"
        "return 4"
    )
    assert returned == code, told
    assert ("Ray has ended the run" in told) == (code == 3)
