"""Runs a command of lve under limits, watched by an audit hook: `python -m hostile.watched JOB`.

The job is JSON (`Doors.run` of hostile/doors.py writes it). The report has the number of
the process group, a line for each finding, and at the end what the command has used.
"""

from __future__ import annotations

import atexit
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

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
MOST_FINDINGS = 100
STARTED = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn")


class Watch:
    """Notes what no contributed folder may bring about. Audit hooks can't be taken off again."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.report = os.open(job["report"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.left = MOST_FINDINGS
        self.folder = job["folder"]
        self.workspace = job["workspace"]
        self.port = job["port"]
        self.readable = (*READABLE, *sys.path, job["workspace"], *job["readable"])
        self.busy = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if self.busy:
            return
        self.busy = True
        try:
            finding = self.finding(event, args)
            if finding and self.left:
                self.left -= 1
                self.note(f"{event}: {finding}")
        finally:
            self.busy = False

    def note(self, line: str) -> None:
        """Write a line of the report."""
        os.write(self.report, json.dumps(line[:500]).encode() + b"\n")

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


def main() -> None:
    """Become the command."""
    job = json.loads(sys.argv[1])
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
    del os.environ["PYTHONPATH"]
    sys.path = [path for path in sys.path if path not in (str(Path.cwd()), str(PROJECT / "tests"))]
    watch = Watch(job)
    watch.note(str(os.getpid()))
    atexit.register(lambda: watch.note(json.dumps(_usage())))
    sys.argv = job["argv"]
    sys.addaudithook(watch)
    if sys.argv[0] == "pytest":
        import pytest

        sys.exit(int(pytest.main(sys.argv[1:])))
    from lve.__main__ import main as lve

    lve()


def _usage() -> tuple[float, float]:
    """Return the seconds of processor time, and the MB of the largest process."""
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(usage.ru_utime + usage.ru_stime for usage in (own, others))
    return seconds, max(own.ru_maxrss, others.ru_maxrss) / 1024


if __name__ == "__main__":
    main()
