"""What `lve site build` takes: seconds, memory and size.

    python benchmarks/sites.py [TESTS ...]

The tests are copies of those in repository/, in twelve categories. The site is built by a process
of its own. The memory is its peak.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lve.spec.discover import discover

REPOSITORY = Path(__file__).parents[1] / "repository"
CATEGORIES = 12


def main(counts: list[int]) -> None:
    """Measure and print a table."""
    print(f"{'tests':>7} {'seconds':>8} {'CPU':>6} {'peak MB':>8} {'site MB':>8} {'list MB':>8}")
    for count in counts:
        with tempfile.TemporaryDirectory() as place:
            root = Path(place)
            copy_tests(root, count)
            row(root, count)


def copy_tests(root: Path, count: int) -> None:
    """Make a workspace of so many tests."""
    (root / ".lverepo").touch()
    folders = [file.parent for file in discover([REPOSITORY], report=print)]
    folders = [one for one in folders if one.parent != REPOSITORY]  # it has others in it
    for number in range(count):
        category = f"repository/c{number % CATEGORIES}"
        shutil.copytree(folders[number % len(folders)], root / category / f"t{number}")


def row(root: Path, count: int) -> None:
    """Build a site and print what it took."""
    command = [sys.executable, "-m", "lve", "site", "build", "repository", "-o", "site"]
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    assert status == 0
    size = sum(file.stat().st_size for file in (root / "site").rglob("*") if file.is_file())
    listed = (root / "site" / "index.html").stat().st_size
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(f"{count:7,} {seconds:8.1f} {cpu:6.1f} {peak:8.0f} {size / 1e6:8.1f} {listed / 1e6:8.1f}")


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or [100, 5_000])
