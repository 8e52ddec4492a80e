"""The start of the `lve` command and of `python -m lve`."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

GC_THRESHOLD = 100_000
"""New objects after which Python collects garbage. Tests and instances leave no reference cycles,
and Python's default of 700 takes 10 ms of every start and 3 % of a run. A start makes some 50,000
objects: looking through them takes as long as a hundred instances."""


def main() -> NoReturn:
    """Run the command line and exit with a code from docs/cli.md.

    The rest of lve is imported here, so that Ctrl-C during the imports prints no traceback.
    """
    gc.set_threshold(GC_THRESHOLD)  # before the imports, which make most objects of a start
    try:
        from lve.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)  # `ExitCode.interrupted`, which may not be imported yet


if __name__ == "__main__":
    main()
