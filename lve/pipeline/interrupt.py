"""Ctrl-C: once stops sending, twice gives up what is under way. SIGTERM is like the first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lve.pipeline.aside import stop_checkers
from lve.pipeline.engine import Engine


@contextmanager
def handle_interrupts(engine: Engine, say: Callable[[str], None]) -> Iterator[None]:
    """Turn the signals of this process into a stop of the engine, until the block ends.

    Only the main thread gets signals; in any other one this does nothing.
    """
    loop = asyncio.get_running_loop()
    interrupts = 0

    def interrupt() -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts == 1:
            engine.stop()
            say("interrupted: waiting for what is under way (Ctrl-C again to stop now)")
        else:
            engine.cancel()

    signals = 0

    def on_signal(*_: Any) -> None:
        nonlocal signals
        signals += 1
        loop.call_soon_threadsafe(interrupt)
        if signals > 1:  # the loop itself may be waiting for a custom checker to start
            stop_checkers()

    try:
        before = {kind: signal.signal(kind, on_signal) for kind in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
