"""Makes what was written survive power loss, without making anybody wait for the disk.

A `write` that has returned survives the death of the process (`kill -9`): the data is the
kernel's. It survives power loss only after an fsync, which takes milliseconds and would stop the
event loop. So files are written at once by whoever has something to write, and fsynced here, by a
thread, at least once a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

INTERVAL_S = 0.5


class PeriodicSync:
    """Calls a function every half second in a thread, as long as something was written."""

    def __init__(
        self, sync: Callable[[], None], *, name: str, interval_s: float = INTERVAL_S
    ) -> None:
        """
        Args:
            sync: makes durable what was written so far. An `OSError` of it is kept for `error`.
            name: of the thread.
            interval_s: seconds between two calls.
        """
        self._sync = sync
        self._name = name
        self._interval_s = interval_s
        self._dirty = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.error: OSError | None = None
        """What the last call of `sync` failed with."""

    def mark_dirty(self) -> None:
        """Say that something was written."""
        self._dirty = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Sync what is left and end the thread. Look at `error` afterwards."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        stopping = False
        while not stopping:
            stopping = self._stop.wait(self._interval_s)
            if self._dirty:
                self._dirty = False
                self._call()

    def _call(self) -> None:
        try:
            self._sync()
        except OSError as error:
            self.error = error
