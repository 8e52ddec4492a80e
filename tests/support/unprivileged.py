"""Commands run as a user for whom `chmod 000` holds, which it doesn't for root."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from support.forked import python

PR_CAPBSET_DROP = 24
READ_EVERYTHING = (1, 2)
"""CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH."""


def run_unprivileged(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `python -m COMMAND...` where file permissions hold, and return what came of it.

    Args:
        command: a module and its arguments.
        cwd: where.
    """
    is_root = sys.platform == "linux" and os.geteuid() == 0
    return subprocess.run(
        [*python(preexec=drop_file_capabilities if is_root else None), "-m", *command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def drop_file_capabilities() -> None:
    """Let the program that is started next have no more rights over files than their modes say."""
    for capability in READ_EVERYTHING:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
