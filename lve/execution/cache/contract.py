"""What a completer needs of a store of completions."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
    async def claim(self, key: str, patience_s: float) -> Completion | None:
        """Return the completion under a key; None if the caller is the one to ask for it, who must
        then `put` it and, whatever happened, `release` the key.

        Args:
            key: see `request_key`.
            patience_s: how long to wait for a machine that asks: it may hang.

        Raises:
            SessionError: the server stayed away, or refuses.
            Stopped: the session is stopped.
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

    @abstractmethod
    def cancel(self) -> None:
        """Let closing take no longer than a moment."""

    @abstractmethod
    async def aclose(self) -> None:
        """Write what is left, give up all claims, and end the connection."""
