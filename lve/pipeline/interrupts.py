"""The signals that stop a session: Ctrl-C, SIGTERM and SIGHUP, once and twice."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lve.pipeline.engine import Engine
from lve.pipeline.threads import stop_checkers


def _signals() -> Iterator[signal.Signals]:
    """Yield the signals that stop a session. SIGHUP isn't one if the process ignores it, as under
    `nohup`."""
    yield from (signal.SIGINT, signal.SIGTERM)
    hangup = getattr(signal, "SIGHUP", None)  # not on Windows
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        yield hangup


@contextmanager
def handle_interrupts(engine: Engine, say: Callable[[str], None]) -> Iterator[None]:
    """Context manager that lets Ctrl-C (and SIGTERM, SIGHUP) stop the engine: the first one lets
    requests in flight end, the second one cancels them.

    Only the main thread gets signals; in other threads this does nothing.
    """
    loop = asyncio.get_running_loop()
    interrupts = 0

    def interrupt() -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts == 1:
            engine.stop()
            say("interrupted: waiting for pending requests (Ctrl-C again to stop now)")
        else:
            engine.cancel()

    signals = 0

    def on_signal(*_: object) -> None:
        nonlocal signals
        signals += 1
        loop.call_soon_threadsafe(interrupt)
        if signals > 1:  # the loop itself may be waiting for a custom checker to start
            stop_checkers()

    try:
        before = {kind: signal.signal(kind, on_signal) for kind in _signals()}
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
