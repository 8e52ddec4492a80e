"""Entry point of the `lve` command and of `python -m lve`."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable
from types import FunctionType

GC_THRESHOLD = 100_000
"""Number of new objects after which Python collects garbage. Tests and instances leave no reference
cycles, and Python's default of 700 costs 10 ms per start and 3 % of a run. A start makes some
50,000 objects; scanning them takes as long as a hundred instances."""
STACK_SLOTS = 33_000
"""Slots of the outermost frame, all of them unused. Python allocates frames in chunks of 16 KB (or
the next power of two, if one frame is larger) and frees a chunk when its first frame returns. So a
loop whose calls cross the end of a chunk allocates memory in every iteration: reading a large JSON
document took 6.3 s when the calls around it happened to fill a chunk, and 1.9 s otherwise. After
this frame, the chunk has room for some 800 more."""


def main() -> None:
    """Run the command line and exit with a code from docs/cli.md."""
    below_large_frame(_main)


def below_large_frame(function: Callable[[], object]) -> None:
    """Call `function` from a frame with `STACK_SLOTS` unused slots."""
    code = _call.__code__.replace(co_stacksize=STACK_SLOTS)
    FunctionType(code, {})(function)


def _call(function: Callable[[], object]) -> None:
    function()


def _main() -> None:
    """Import the rest of lve and run it. Ctrl-C and SIGTERM end it without a traceback from the
    beginning."""
    gc.set_threshold(GC_THRESHOLD)  # before the imports, which make most of the objects
    try:
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        from lve.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)  # `ExitCode.interrupted`, which may not be imported yet


if __name__ == "__main__":
    main()
