"""The start of the `lve` command and of `python -m lve`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FunctionType

GC_THRESHOLD = 100_000
"""New objects after which Python collects garbage. Tests and instances leave no reference cycles,
and Python's default of 700 takes 10 ms of every start and 3 % of a run. A start makes some 50,000
objects: looking through them takes as long as a hundred instances."""
STACK_SLOTS = 33_000
"""Size of the frame below all others. Python takes memory for frames in pieces of 16 KB, or of the
next power of two if one frame is larger, and gives a piece back when its first frame ends: a loop
whose calls cross the end of a piece asks the system for memory in every turn. Reading a large JSON
document took 6.3 s where the calls around it happened to fill a piece, and 1.9 s otherwise. Below
this frame, of which nothing is used, a piece has room for some 800 more."""


def main() -> None:
    """Run the command line and exit with a code from docs/cli.md."""
    below_large_frame(_main)


def below_large_frame(function: Callable[[], object]) -> None:
    """Call a function below a frame of `STACK_SLOTS`."""
    code = _call.__code__.replace(co_stacksize=STACK_SLOTS)
    FunctionType(code, {})(function)


def _call(function: Callable[[], object]) -> None:
    function()


def _main() -> None:
    """Import the rest of lve and run it: so that Ctrl-C during the imports prints no traceback."""
    gc.set_threshold(GC_THRESHOLD)  # before the imports, which make most objects of a start
    try:
        from lve.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)  # `ExitCode.interrupted`, which may not be imported yet


if __name__ == "__main__":
    main()
