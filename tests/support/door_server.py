"""Runs commands of lve in forked children, under limits and watched by an audit hook.

Two hundred folders through four doors each are a thousand processes. Starting Python and importing
lve for each would take ten minutes; so this process imports everything once and forks. It reads a
job per line of stdin (`Job` as JSON) and answers with a line (`Outcome` as JSON).
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from imported import import_everything

PROJECT = Path(__file__).parents[2]
CPU_SECONDS = 40
"""The process is killed; the test asks for less."""
DATA_BYTES = 2_000_000_000
"""Likewise."""
READABLE = (
    *(sys.prefix, sys.base_prefix, str(PROJECT / "lve"), str(PROJECT / "schemas")),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/dev/null", "/dev/urandom", "/dev/tty"),
    *("/usr/lib", "/usr/share", "/lib", "/etc/localtime", "/etc/mime.types", "/sys/fs/cgroup"),
    *("/sys/devices/system", "/etc/ld.so.cache", "/etc/ssl", "/etc/hosts"),
)
STARTED = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn")


class Watch:
    """Notes what no contributed folder may bring about. Audit hooks can't be taken off again."""

    def __init__(self, job: dict[str, Any], report: int) -> None:
        self.folder = job["folder"]
        self.workspace = job["workspace"]
        self.port = job["port"]
        self.report = report
        self.readable = (*READABLE, *sys.path[1:], job["workspace"], *job["readable"])
        self.busy = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if self.busy:
            return
        self.busy = True
        try:
            finding = self.finding(event, args)
            if finding:
                self.note(f"{event}: {finding}\n"[:500])
        finally:
            self.busy = False

    def note(self, line: str) -> None:
        """Write a finding. The pipe holds a hundred of them: enough."""
        with contextlib.suppress(BlockingIOError):
            os.write(self.report, line.encode("utf-8", "replace"))

    def finding(self, event: str, args: tuple[Any, ...]) -> str | None:
        """Return what is wrong about an event, None if nothing is."""
        if event == "open":
            return self.opened(*args)
        if event in STARTED:
            return self.started(args)
        if event == "exec":
            return self.ran(args)
        if event == "socket.connect":
            return self.connected(args[1])
        if event == "socket.getaddrinfo":
            return None if args[0] in ("127.0.0.1", "localhost", None) else str(args[0])
        return None

    def opened(self, path: Any, mode: Any, flags: int) -> str | None:
        """A file outside, or one that is written where nothing may be written."""
        if not isinstance(path, str | bytes):
            return None
        text = os.fsdecode(path)
        if not text.startswith("/"):
            return None  # relative to an open folder, or to the workspace
        text = os.path.normpath(text)
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and text.startswith(self.folder):
            return f"wrote {text}"
        return None if text.startswith(self.readable) else text

    def started(self, args: tuple[Any, ...]) -> str | None:
        """A program other than our own Python."""
        program = os.fsdecode(args[0]) if isinstance(args[0], str | bytes) else str(args[0])
        return None if program == sys.executable else f"{program} {args[1:2]}"

    def ran(self, args: tuple[Any, ...]) -> str | None:
        """Code that stands in the folder."""
        name = str(getattr(args[0], "co_filename", ""))
        return name if name.startswith(self.workspace) else None

    def connected(self, address: Any) -> str | None:
        """A socket to anybody but the model."""
        if isinstance(address, tuple) and address[:2] == ("127.0.0.1", self.port):
            return None
        return repr(address)


def _child(job: dict[str, Any], report: int) -> None:
    """Become the command."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    sys.argv = job["argv"]
    sys.addaudithook(Watch(job, report))


def _run(argv: list[str]) -> None:
    if argv[0] == "pytest":
        import pytest

        sys.exit(int(pytest.main(argv[1:])))
    from lve.__main__ import main

    main()


def _wait(pid: int, seconds: float) -> tuple[int, Any]:
    """Wait for a child; kill it, and what it started, when the time is up."""
    timer = threading.Timer(seconds, lambda: _kill(pid))
    timer.start()
    try:
        _, status, usage = os.wait4(pid, 0)
    finally:
        timer.cancel()
    _kill(pid)  # whatever it left behind
    return status, usage


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _outcome(job: dict[str, Any], pid: int, report: int, started: float) -> dict[str, Any]:
    status, usage = _wait(pid, job["seconds"])
    wall = time.monotonic() - started
    with os.fdopen(report, "rb") as findings:
        found = findings.read(100_000).decode("utf-8", "replace").splitlines()
    return {
        "exit": os.waitstatus_to_exitcode(status),
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "memory_mb": usage.ru_maxrss / 1024,
        "wall_s": wall,
        "found": found,
    }


def serve() -> None:
    """Answer jobs until stdin ends."""
    import_everything()
    gc.freeze()  # or each child would look through everything that is imported here
    print("ready", flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _child(job, writing)
            _run(job["argv"])
            sys.exit(0)
        os.close(writing)
        print(json.dumps(_outcome(job, pid, reading, started)), flush=True)


if __name__ == "__main__":
    serve()
