"""How much of unfinished answers is held at once, over all connections of a transport."""

from __future__ import annotations

import asyncio
from typing import Protocol

LARGEST_TOGETHER = 32 * 1024 * 1024
"""Bytes beyond which answers arrive one after the other: a hundred connections that each get the
largest answer would take 3 GB."""


class Holder(Protocol):
    """Somebody to whom a body arrives."""

    def pause(self) -> None:
        """Read no more for now."""
        ...

    def resume(self) -> None:
        """Go on reading."""
        ...


class HeldBytes:
    """The bodies that are arriving. When they are too many, the one that began first goes on, and
    those that grow beside it wait until it has ended; so one always gets on."""

    def __init__(self) -> None:
        self._sizes: dict[Holder, int] = {}
        self._total = 0
        self._paused: set[Holder] = set()

    def hold(self, holder: Holder, size: int) -> None:
        """Say how many bytes somebody has by now; they may be paused for it."""
        self._total += size - self._sizes.get(holder, 0)
        self._sizes[holder] = size
        if self._total > LARGEST_TOGETHER and holder is not next(iter(self._sizes)):
            self._paused.add(holder)
            holder.pause()

    def release(self, holder: Holder) -> None:
        """Say that somebody's body has ended, well or badly."""
        self._total -= self._sizes.pop(holder, 0)
        self._resume(holder)
        if self._total <= LARGEST_TOGETHER:
            for waiting in list(self._paused):
                self._resume(waiting)
        elif self._sizes:
            self._resume(next(iter(self._sizes)))

    def _resume(self, holder: Holder) -> None:
        if holder in self._paused:
            self._paused.discard(holder)
            holder.resume()


class Waiter:
    """A holder that waits in a coroutine."""

    def __init__(self) -> None:
        self._may_go_on = asyncio.Event()
        self._may_go_on.set()

    def pause(self) -> None:
        """Have `wait` wait."""
        self._may_go_on.clear()

    def resume(self) -> None:
        """Let `wait` return."""
        self._may_go_on.set()

    async def wait(self) -> None:
        """Return when it isn't paused."""
        await self._may_go_on.wait()
