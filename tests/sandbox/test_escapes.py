"""What a checker or tool tries in its sandbox, and what it may do there. Each case is a file in
tests/cases/sandbox."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with

from lve.checkers.base import Verdict
from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve
from lve.execution.tools.tool_code import ToolProcesses
from lve.sandbox import watch
from lve.sandbox.layers import missing
from lve.settings.trusted_file import CodeRights, rights_of

pytestmark = pytest.mark.skipif(bool(missing()), reason="no whole sandbox on this machine")
CASES = Path(__file__).parents[1] / "cases" / "sandbox"
REFUSED = {file.stem: file.read_text() for file in sorted((CASES / "refused").glob("*.txt"))}
# The parent of the code's process is its supervisor; lve is the parent of that one.
REFUSED |= {
    f"{name}_lve": code.replace("os.getppid()", "given['lve']")
    for name, code in REFUSED.items()
    if "os.getppid()" in code
}
ALLOWED = sorted((CASES / "allowed").glob("*.txt"))

HEAD = '''
import ctypes, os, sys
from lve import Verdict

def called(name, *arguments):
    """Call a function of libc as C programs do."""
    result = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def attempt(code, given):
    exec(code, {**globals(), "given": given})
    return "went through"

class C:
    def check(self, context):
        return Verdict("passed", attempt(context.response, context.args))
'''


class Machine:
    """A test with code, and all that its code must not reach."""

    def __init__(self, root: Path) -> None:
        self.folder, self.home = root / "t", root / "home"
        self.secret = self.home / "id_ed25519"
        for folder in (self.home, self.folder / ".lve", self.folder / "checker"):
            folder.mkdir(parents=True)
        texts = {"data.txt": "data", ".env": "KEY=x", ".lve/cache.db": "x", "program": "#!/bin/sh"}
        for name, text in texts.items():
            (self.folder / name).write_text(text)
        (self.folder / "program").write_text("#!/bin/sh\necho ran\n")
        (self.folder / "program").chmod(0o755)
        (self.folder / "checker" / "checker.py").write_text(HEAD)
        (self.folder / "checker" / "helper.py").write_text("ANSWER = 42\n")
        self.secret.write_text("secret")
        (self.folder / "link").symlink_to(self.secret)
        self.tcp, self.udp = socket.create_server(("127.0.0.1", 0)), socket.socket(type=2)
        self.udp.bind(self.tcp.getsockname())
        self.unix, self.abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
        self.unix.bind(str(root / "s"))
        self.abstract.bind(f"\0lve-test-{os.getpid()}")
        self.opened = os.open(self.secret, os.O_RDONLY)
        os.set_inheritable(self.opened, True)
        self.listening = (self.tcp, self.unix, self.abstract)
        for one in (*self.listening, self.udp):
            one.setblocking(False)
        for one in self.listening:
            one.listen()
        self.given = {
            "lve": os.getpid(),
            "secret": str(self.secret),
            "folder": str(self.folder),
            "inheritable": self.opened,
            "port": self.tcp.getsockname()[1],
            "unix": str(root / "s"),
            "abstract": f"lve-test-{os.getpid()}",
        }

    def state(self) -> dict[str, Any]:
        """Return what code could have changed."""
        files = [*sorted(self.folder.rglob("*")), self.secret]
        found = {str(file): (file.lstat().st_mode, file.lstat().st_mtime_ns) for file in files}
        return {**found, "data": (self.folder / "data.txt").read_text()}

    def heard(self) -> list[object]:
        """Return what has arrived at the servers."""
        found: list[object] = []
        for one in self.listening:
            try:
                connection, sender = one.accept()
            except BlockingIOError:
                continue
            connection.close()
            found.append(sender)
        with suppress(BlockingIOError):
            found.append(self.udp.recv(100))
        return found

    def close(self) -> None:
        os.close(self.opened)
        for one in (*self.listening, self.udp):
            one.close()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    machine = Machine(tmp_path_factory.mktemp("machine"))
    yield machine
    machine.close()


@pytest.fixture(scope="module")
def judge(machine: Machine) -> Iterator[Judge]:
    judge = resolve(spec_with(machine.folder, checker_args={"checker_name": "C"}), trusted=True)
    yield judge
    judge.stop()


@pytest.fixture(scope="module")
def checker(machine: Machine, judge: Judge) -> Callable[[str], Verdict]:
    """What a checker that runs code says."""
    return lambda code: judge_answers(judge, code, args=machine.given)


@pytest.fixture(scope="module")
def tool(machine: Machine) -> Iterator[Callable[[str], str]]:
    """What a tool that runs code says."""
    processes, loop = ToolProcesses(), asyncio.new_event_loop()
    rights = rights_of(None, machine.folder, machine.folder, sandbox_required=True)
    process = processes.of(machine.folder / "tools.py", HEAD.encode(), rights, 20)

    def run(code: str) -> str:
        call = process.call("attempt", {"code": code, "given": machine.given})
        return loop.run_until_complete(call)

    yield run
    processes.close()
    loop.close()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_said(
    name: str,
    machine: Machine,
    checker: Callable[[str], Verdict],
    tool: Callable[[str], str],
) -> None:
    before = machine.state()
    code = REFUSED[name]
    expected = code.splitlines()[0].removeprefix("# ")
    verdict = checker(code)
    assert (verdict.outcome, expected in verdict.reason) == ("error", True), verdict.reason
    told = tool(code)
    assert told.startswith("Error: ")
    assert expected.partition(";")[0] in told
    assert "`trust`" not in told, "settings are none of the model's business"
    assert (machine.state(), machine.heard()) == (before, [])


@pytest.mark.parametrize("file", ALLOWED, ids=lambda file: file.stem)
def test_what_checkers_do_goes_on(
    file: Path, checker: Callable[[str], Verdict], tool: Callable[[str], str]
) -> None:
    if file.stem == "numpy":
        pytest.importorskip("numpy")
    assert checker(file.read_text()).reason == "went through"
    assert tool(file.read_text()) == "went through"


FILL = "import tempfile, time\nopen(tempfile.gettempdir() + '/x', 'wb').write(b'x' * 3_000_000)\n"
MANY = "import tempfile, time\nfor n in range(60): open(f'{tempfile.gettempdir()}/{n}', 'w')\n"
FORK = "import time\nfor _ in range(60):\n    if os.fork() == 0: time.sleep(60); os._exit(0)\n"
DEEP = "import tempfile, time\nos.chdir(tempfile.gettempdir())\n"
DEEP += "for _ in range(60): os.mkdir('d' * 200); os.chdir('d' * 200)\n"


OPEN = "import tempfile, time\nfile = tempfile.TemporaryFile()\nfile.write(b'x' * 3_000_000)\n"
OPEN += "file.flush()\n"
HIDING = OPEN + "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: it can't be looked at\n"
MAPPED = """
import mmap, tempfile, time
with tempfile.TemporaryFile() as file:
    file.write(b'x' * 3_000_000)
    file.flush()
    kept = mmap.mmap(file.fileno(), 4096)
"""
ANONYMOUS = "import time\nfile = os.memfd_create('x')\nos.write(file, b'x' * 3_000_000)\n"
LAST_THREAD = """
import tempfile, threading, time
def fill():
    time.sleep(0.2)
    file = tempfile.TemporaryFile()
    file.write(b'x' * 3_000_000)
    file.flush()
    time.sleep(60)
if os.fork() == 0:
    threading.Thread(target=fill).start()
    ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)  # exit
"""


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (OPEN, "filled its temporary folder"),
        (HIDING, "filled its temporary folder"),
        (MAPPED, "filled its temporary folder"),
        (ANONYMOUS, "filled its temporary folder"),
        (LAST_THREAD, "filled its temporary folder"),
        (FILL, "filled its temporary folder"),
        (MANY, "filled its temporary folder"),
        (DEEP, "filled its temporary folder"),
        (FORK, "started more than 50 processes"),
    ],
    ids=[
        *("a removed file", "a hidden one", "a mapped one", "one in memory", "a last thread's"),
        *("a large file", "many files", "deep folders", "many processes"),
    ],
)
def test_what_takes_too_much_is_ended(
    code: str, why: str, machine: Machine, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "MAX_FOLDER_BYTES", 2_000_000)
    monkeypatch.setattr(watch, "MAX_FILES", 50)
    monkeypatch.setattr(watch, "MAX_PROCESSES", 50)
    verdict = judge_answers(judge, code + "time.sleep(60)", args=machine.given)
    assert f"{why}" in verdict.reason
    assert "and was stopped" in verdict.reason
    assert judge_answers(judge, "pass", args=machine.given).passed, "the next one goes on"


def test_its_temporary_folder_is_its_own_and_goes_with_it(machine: Machine, judge: Judge) -> None:
    code = "import tempfile; place = tempfile.mkdtemp(); raise OSError(place)"
    place = Path(judge_answers(judge, code, args=machine.given).reason.split("OSError: ")[1])
    assert place.is_dir()
    assert place.parent.stat().st_mode & 0o077 == 0
    judge_answers(judge, "os.mkdir(__import__('tempfile').gettempdir() + '/locked', 0o500)")
    for process in [one.constant.process for one in judge.checkers]:  # type: ignore[union-attr]
        process.rest()
    assert not place.parent.exists()


def test_code_that_the_settings_let_out_is_in_no_sandbox(machine: Machine) -> None:
    code = "def read():\n    return open('" + str(machine.secret) + "').read()\n"
    processes = ToolProcesses()
    process = processes.of(machine.folder / "x.py", code.encode(), CodeRights(sandbox=None), 20)
    try:
        assert asyncio.run(process.call("read", {})) == "secret"
    finally:
        processes.close()


OLD_KERNEL = """
import os, sys
from lve.sandbox.enter import enter
from lve.sandbox.rights import Sandbox
enter(Sandbox(folder=sys.argv[1]), sys.argv[2], abi=int(sys.argv[3]))
def tried(do):
    try:
        do()
        return "done"
    except OSError as error:
        return type(error).__name__
data = sys.argv[1] + "/data.txt"
print(
    tried(lambda: open(data).read()),
    tried(lambda: open(sys.argv[2] + "/new", "w").write("x")),
    tried(lambda: open(sys.argv[4])),
    tried(lambda: open(data, "w")),
    tried(lambda: os.truncate(data, 0)),
    tried(lambda: os.open(data, os.O_RDONLY | os.O_TRUNC)),
    tried(lambda: os.kill(os.getppid(), 0)),
    tried(lambda: os.kill(os.getpid(), 0)),
)
"""


NETWORK = """
import socket, sys
from lve.sandbox.enter import enter
from lve.sandbox.rights import Sandbox
enter(Sandbox(network=True))
print("localhost" in socket.getaddrinfo("localhost", 80, flags=socket.AI_CANONNAME)[0][3])
socket.create_connection(("127.0.0.1", int(sys.argv[1]))).send(b"x")
try:
    socket.socket(socket.AF_UNIX)
except OSError as error:
    print(error)
"""


def test_with_the_network_come_no_sockets_of_the_machine(machine: Machine) -> None:
    command = [sys.executable, "-c", NETWORK, str(machine.given["port"])]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["True", "[Errno 101] Network is unreachable"], done.stderr
    assert len(machine.heard()) == 1


@pytest.mark.parametrize("abi", [1, 2, 3, 4, 5, 6])
def test_what_an_old_landlock_lacks_the_filter_does(
    abi: int, machine: Machine, tmp_path: Path
) -> None:
    arguments = [str(machine.folder), str(tmp_path), str(abi), str(machine.secret)]
    done = subprocess.run(
        [sys.executable, "-c", OLD_KERNEL, *arguments], capture_output=True, text=True
    )
    no = "PermissionError"
    assert done.stdout.split() == ["done", "done", no, no, no, no, no, "done"], done.stderr
