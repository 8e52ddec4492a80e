"""What a completer needs of a store of completions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Protocol

from lve.messages import Completion


class CompletionStore(Protocol):
    """The cache that a completer needs."""

    def get(self, key: str) -> Completion | None:
        """Return the completion stored under a key, or None."""
        ...

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; it is durable when this returns."""
        ...


class ClaimingStore(ABC):
    """A store that several machines share: one asks, the others wait for its answer."""

    @abstractmethod
    async def claim(self, key: str, pause: Callable[[float], Awaitable[None]]) -> Completion | None:
        """Return the completion under a key; None if the caller is the one to ask for it, who must
        then `put` it and, whatever happened, `release` the key.

        Args:
            key: see `request_key`.
            pause: sleeps between two looks while somebody else asks.

        Raises:
            SessionError: the server stayed away.
        """

    @abstractmethod
    def release(self, key: str) -> None:
        """Let others ask, if the claim on a key is still held."""

    def get(self, key: str) -> Completion | None:
        """Return None: only `claim` knows."""
        return None

    @abstractmethod
    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; it is durable when this returns."""
