"""Makes written data survive a power loss, without blocking on the disk.

After a `write`, the kernel has the data, so it survives the end of the process (`kill -9`). It
survives a power loss only after an fsync, which takes milliseconds and would block the event loop.
So data is written at once, and a thread calls fsync every half second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

INTERVAL_S = 0.5


class PeriodicSync:
    """Calls a function in a thread, every half second if something was written."""

    def __init__(self, sync: Callable[[], None], *, name: str) -> None:
        """Args:
        sync: makes everything written so far durable. If it raises `OSError`, that is in `error`.
        name: the thread's name.
        """
        self._sync = sync
        self._name = name
        self._dirty = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.error: OSError | None = None
        """The error of the last failed call of `sync`."""

    def mark_dirty(self) -> None:
        """Note that something was written."""
        self._dirty = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Sync once more if needed, and end the thread. Check `error` afterwards."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        stopping = False
        while not stopping:
            stopping = self._stop.wait(INTERVAL_S)
            if self._dirty:
                self._dirty = False
                self._call()

    def _call(self) -> None:
        try:
            self._sync()
        except OSError as error:
            self.error = error
