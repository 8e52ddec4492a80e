"""What one process costs: measured by the kernel, from start to end."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What a process took."""

    wall_s: float
    cpu_s: float
    rss_mb: float
    requests: int = 0
    """That a server got from it, where somebody counted."""


def measure(command: Sequence[str], *, cwd: Path | None = None, **environment: str) -> Cost:
    """Run a command and return what its process took."""
    # Without PYTHONDONTWRITEBYTECODE: pytest would compile its plugins anew every time.
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env={**kept, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{said.decode()[-2000:]}")
    return Cost(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def medians(costs: Sequence[Cost]) -> Cost:
    """Return the median of each figure, and the most requests."""
    return Cost(
        statistics.median(cost.wall_s for cost in costs),
        statistics.median(cost.cpu_s for cost in costs),
        statistics.median(cost.rss_mb for cost in costs),
        max(cost.requests for cost in costs),
    )
