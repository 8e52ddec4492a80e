"""Commands as a user who isn't root, for tests that root runs: root may read everything, and has no
limit of processes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from support.unprivileged import drop_file_capabilities

ROOT = Path(__file__).parents[2]
USER = 65534
"""nobody"""
OPEN_TO_ALL = 0o005
NEEDED = (sys.base_prefix, sys.prefix, str(Path(sys.executable).parent), str(ROOT))
IS_ROOT = sys.platform == "linux" and os.geteuid() == 0


def run_as_ordinary_user(
    command: list[str], folder: Path, *, timeout_s: float
) -> subprocess.CompletedProcess[str]:
    """Run a command in the root of the repository as a user who isn't root.

    Where that user can't start Python, it is root without its rights to all files.

    Args:
        command: the command.
        folder: an empty folder, which becomes the user's home and temporary folder.
        timeout_s: seconds that it may take.
    """
    start = _start_as_user()
    folder.chmod(0o777)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(
        [*(start or ()), *command],
        cwd=ROOT,
        env={**kept, "HOME": str(folder), "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_s,
        check=False,
        preexec_fn=drop_file_capabilities if IS_ROOT and start is None else None,
    )


@cache
def _start_as_user() -> tuple[str, ...] | None:
    """Return what starts a command as the user; None if that can't start Python."""
    if not IS_ROOT:
        return ()
    if shutil.which("setpriv") is None:
        return None
    start: tuple[str, ...] = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups")
    if hidden := _hidden():
        start = ("unshare", "--mount", "sh", "-euc", _shown(hidden), "sh", *start)
    tried = subprocess.run(
        [*start, sys.executable, "-c", "import lve, pytest"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    return start if tried.returncode == 0 else None


def _hidden() -> dict[str, list[str]]:
    """Return folder that others may not enter -> what of it is needed, such as /root."""
    hidden: dict[str, list[str]] = {}
    for path in dict.fromkeys(os.path.realpath(path) for path in NEEDED):
        above = [*reversed(Path(path).parents), Path(path)]
        closed = [one for one in above if one.stat().st_mode & OPEN_TO_ALL != OPEN_TO_ALL]
        if closed:
            hidden.setdefault(str(closed[0]), []).append(path)
    return hidden


def _shown(hidden: dict[str, list[str]]) -> str:
    """Return a script that puts an open folder with what is needed in the place of each that is
    hidden, for its own processes alone, and then runs its arguments."""
    lines = ["aside=$(mktemp -d)", "mount -t tmpfs none $aside", "umask 022"]
    for number, (folder, needed) in enumerate(hidden.items()):
        for index, path in enumerate(needed):
            place = f"$aside/{number}-{index}"
            lines += [f"mkdir {place}", f"mount --bind {shlex.quote(path)} {place}"]
        lines.append(f"mount -t tmpfs -o mode=755 none {shlex.quote(folder)}")
        for index, path in enumerate(needed):
            target = shlex.quote(path)
            lines += [f"mkdir -p {target}", f"mount --bind $aside/{number}-{index} {target}"]
    return "; ".join([*lines, "umount -l $aside", "rmdir $aside", 'exec "$@"'])
