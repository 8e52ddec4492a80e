"""The interface to a provider's batch API: many requests in one file, answered within a day, for
less."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any, NamedTuple, Protocol, runtime_checkable

from lve.errors import ModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest

UNDECIDED = "undecided"
"""Kind of a `TransientModelError`: what is asked for is known when some batch is over."""


class BatchStatus(NamedTuple):
    """What a provider says of a batch."""

    id: str
    is_over: bool = False
    """Whether nothing more comes; what was answered can be fetched."""
    answered: int = 0
    """Requests that have an answer or an error."""
    problem: ModelError | None = None
    """Why requests have no answer, where the batch failed, expired or was cancelled."""
    took_s: float = 0.0
    """Seconds from its submission to its end."""
    files: tuple[str, ...] = ()
    """Names of what can be fetched."""


class BatchApi(Protocol):
    """Submits batches of requests to one model and gets their answers. Each call is one attempt."""

    most_requests: int
    most_bytes: int

    def write(self, request: ChatRequest) -> Any:
        """Return a request as the model takes it now.

        Raises:
            PermanentModelError: it can't be part of a batch.
        """
        ...

    def line(self, name: str, written: Any, token: str) -> bytes:
        """Return a request's line in the file of a batch.

        Args:
            name: of the request.
            written: the request.
            token: of the batch.
        """
        ...

    def kind(self, written: Any) -> str:
        """Return what all requests of one batch have in common."""
        ...

    async def submit(self, lines: IO[bytes], kind: str, token: str) -> str:
        """Submit a batch and return its id.

        Args:
            lines: of its requests.
            kind: of them.
            token: goes along, for `find`.

        Raises:
            ModelError: it wasn't taken, or nobody knows.
        """
        ...

    async def find(self, token: str, requests: int) -> str | None:
        """Return the id of the batch that was submitted with a token; None if there is none.

        Args:
            token: of the batch.
            requests: how many it has.

        Raises:
            TransientModelError: that can't be found out now.
            ModelError: that can't be found out.
        """
        ...

    async def status(self, batch: str) -> BatchStatus:
        """Return how far a batch is.

        Raises:
            ModelError: that can't be found out.
        """
        ...

    async def fetch(self, status: BatchStatus, into: IO[bytes]) -> None:
        """Write the answers of a batch that is over, a line each.

        Raises:
            ModelError: they can't be had.
        """
        ...

    def name_of(self, line: bytes) -> str | None:
        """Return the name of the request that a line answers; None if it is no answer."""
        ...

    def read(
        self, line: bytes, request: ChatRequest, written: Any, *, latency_s: float
    ) -> Completion:
        """Return the completion in a line.

        Raises:
            ModelError: it is a failure.
        """
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...


@runtime_checkable
class BatchModel(Protocol):
    """A model that can also be asked by a batch API."""

    identity: Mapping[str, Any]

    def batch_api(self) -> BatchApi:
        """Return its batch API.

        Raises:
            UsageError: its server has none at this address.
        """
        ...
