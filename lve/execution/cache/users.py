"""Which processes use a cache file, and which answers each of them asks a model for.

The locks of a small file beside the cache say it. The kernel ends them with their process, however
that ends. A process that uses the cache alone locks the bytes of all keys at once, which costs
nothing per request. Another one that comes says so by a lock of its own; then the first one keeps
only the bytes of what it is asking for.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from lve.files.owner_only import open_private

KEYS = 1 << 61
"""Number of bytes that stand for keys."""
NO_KEY, ANNOUNCED = KEYS, KEYS + 1
"""The byte that only those lock who use the cache alone, with all keys; and the one of those who
don't."""
ANNOUNCE_S = 1.0
"""Most seconds to announce itself. Others lock that byte for a moment."""
REFUSED = (errno.EACCES, errno.EAGAIN)
"""What a lock fails with that another process holds."""


class CacheUsers:
    """This process among those that use a cache file. (POSIX locks belong to a process: two caches
    in one process don't exclude each other.)"""

    def __init__(self, cache: Path) -> None:
        """Args:
        cache: the cache file.

        Raises:
            OSError: the file system has no locks, or the file can't be made.
        """
        if os.name != "posix":
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        self._file = open_private(cache.with_name(f"{cache.name}-users"), os.O_RDWR | os.O_CREAT)
        self._first = 0
        """The first of the bytes that stand for keys."""
        self.is_alone = False
        """Whether no other process used the cache at the last look."""
        try:
            self.is_alone = self._lock(0, KEYS + 1) and not self._are_others()
            if not self.is_alone:
                self.share(())
        except BaseException:
            os.close(self._file)
            raise

    def look(self, asked: Collection[str]) -> bool:
        """Look whether another process has come; if so, keep only what this one asks for. Return
        whether it is still alone.

        Args:
            asked: the keys that this process asks a model for.
        """
        if self.is_alone and self._are_others():
            self.share(asked)
        return self.is_alone

    def share(self, asked: Collection[str]) -> None:
        """Use the cache beside others.

        Args:
            asked: the keys that this process keeps.
        """
        self.is_alone = False
        until = time.monotonic() + ANNOUNCE_S
        while not self._lock(ANNOUNCED, 1, shared=True) and time.monotonic() < until:
            time.sleep(0.001)
        start = 0
        for place in sorted({place_of(key) for key in asked}):
            self._unlock(start, place - start)
            start = place + 1
        self._unlock(start, NO_KEY + 1 - start)

    def claim(self, key: str) -> bool:
        """Claim a key for this process; False: another one has claimed it."""
        return self._lock(self._first + place_of(key), 1)

    def pass_by(self) -> bool:
        """If another process still has all keys, claim others in their place from now on, and
        return True. It gives them up soon after this one has come, unless it was stopped."""
        is_blocked = self._first == 0 and not self._lock(NO_KEY, 1)
        if is_blocked:
            self._first = ANNOUNCED + 1
        else:
            self._unlock(NO_KEY, 1)
        return is_blocked

    def release(self, key: str) -> None:
        """Give up a claim."""
        self._unlock(self._first + place_of(key), 1)

    def close(self) -> None:
        """Give up everything."""
        os.close(self._file)

    def _are_others(self) -> bool:
        if not self._lock(ANNOUNCED, 1):
            return True
        self._unlock(ANNOUNCED, 1)
        return False

    def _lock(self, start: int, length: int, *, shared: bool = False) -> bool:
        from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, lockf

        try:
            lockf(self._file, (LOCK_SH if shared else LOCK_EX) | LOCK_NB, length, start)
        except OSError as error:
            if error.errno in REFUSED:
                return False
            raise
        return True

    def _unlock(self, start: int, length: int) -> None:
        from fcntl import LOCK_UN, lockf

        if length:  # none would mean: up to the end
            with suppress(OSError):
                lockf(self._file, LOCK_UN, length, start)


def place_of(key: str) -> int:
    """Return the byte that stands for a key. (Two keys with the same one only wait for each
    other.)"""
    return int(key[:16], 16) % KEYS
