"""The interfaces of stores of completions, as completers use them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from asyncio import Future
from typing import Protocol

from lve.messages import Completion


class Claims(ABC):
    """Claims of keys: for each key, one machine or process claims it and asks the model; the others
    wait for its answer."""

    @abstractmethod
    async def claim(self, key: str, patience_s: float) -> Completion | None:
        """Return the completion under a key. None: the key is claimed for the caller, who must ask
        the model, `put` the answer and, even if that fails, `release` the key.

        Args:
            key: see `request_key`.
            patience_s: seconds to wait for another one that has claimed the key and may hang.

        Raises:
            SessionError: the server can't be reached, or refuses.
            Stopped: the session was stopped.
        """

    @abstractmethod
    def release(self, key: str) -> None:
        """Give up the claim on a key, if it is still held, so that others may ask."""


class CompletionStore(Protocol):
    """A cache of completions."""

    asking: dict[str, list[Future[None]]]
    """The keys that a model is being asked for here -> what rows with the same request wait for.
    Set by callers. (Calls of methods would cost each row.)"""

    @property
    def claims(self) -> Claims | None:
        """The claims of keys; None while nobody else uses this cache."""
        ...

    def get(self, key: str) -> Completion | None:
        """Return the completion stored under a key, or None."""
        ...

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; it is durable when this returns."""
        ...


class ClaimingStore(Claims):
    """A cache that several machines share, and in which all keys are claimed."""

    def __init__(self) -> None:
        self.asking: dict[str, list[Future[None]]] = {}

    @property
    def claims(self) -> Claims:
        """This store."""
        return self

    def get(self, key: str) -> Completion | None:
        """Return None: only `claim` looks completions up."""
        return None

    @abstractmethod
    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        """Store a completion; it is durable when this returns."""

    @abstractmethod
    def cancel(self) -> None:
        """Let `aclose` take no longer than a moment."""

    @abstractmethod
    async def aclose(self) -> None:
        """Write what isn't written yet, give up all claims, and close the connection."""
