"""The bytes that modules of lve set as they run, for `mutation.py`: one for each statement.

All processes of one worker of pytest share them: also those that are forked, sandboxed or killed,
for they need no file later. A process that isn't of a worker marks nothing that anybody reads.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

STATEMENTS = 1 << 17
"""More than lve has."""


def shared_marks() -> mmap.mmap:
    """Return the bytes of this process and of those that it starts.

    Their file is named by a variable: processes of checkers keep what begins with PYTHON.
    """
    name = os.environ.get("PYTHON_LVE_REACHED")
    if name is None:
        return mmap.mmap(-1, STATEMENTS)
    with Path(name).open("r+b") as file:
        file.truncate(STATEMENTS)
        return mmap.mmap(file.fileno(), STATEMENTS)


MARKS = shared_marks()
