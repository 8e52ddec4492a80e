"""The interface to a provider's batch API: many requests in one file, answered within a day at a
lower price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any, Protocol, runtime_checkable

from lve.errors import ModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.named_tuples import NamedTuple

UNDECIDED = "undecided"
"""Kind of a `TransientModelError`: the question can be decided once some batch has ended."""


class BatchStatus(NamedTuple):
    """The state of a batch at the provider."""

    id: str
    is_over: bool = False
    """Whether the batch has ended, so that its answers can be fetched."""
    answered: int = 0
    """Number of requests with an answer or an error."""
    problem: ModelError | None = None
    """Why requests are unanswered, if the batch failed, expired or was cancelled."""
    took_s: float = 0.0
    """Seconds from submission to end."""
    files: tuple[str, ...] = ()
    """Ids of the files that can be fetched."""


class BatchApi(Protocol):
    """Submits batches of requests to one model and fetches the answers. Each call is one
    attempt."""

    max_requests: int
    max_bytes: int

    def write(self, request: ChatRequest) -> Any:
        """Return the request in the server's format, adjusted to what the model refused so far.

        Raises:
            PermanentModelError: the request can't be part of a batch.
        """
        ...

    def line(self, name: str, written: Any, token: str) -> bytes:
        """Return the request's line in the batch's file.

        Args:
            name: identifies the request within the batch.
            written: the result of `write`.
            token: identifies the batch.
        """
        ...

    def kind(self, written: Any) -> str:
        """Return a key; a batch may hold only requests with the same key."""
        ...

    async def submit(self, lines: IO[bytes], kind: str, token: str) -> str:
        """Submit a batch and return its id.

        Args:
            lines: the batch's file, made of `line`.
            kind: the `kind` of its requests.
            token: submitted along, so that `find` finds the batch.

        Raises:
            ModelError: the batch was refused, or the outcome is unknown.
        """
        ...

    async def find(self, token: str, requests: int) -> str | None:
        """Return the id of the batch that was submitted with `token`, None if there is none.

        Args:
            token: identifies the batch.
            requests: the number of its requests.

        Raises:
            TransientModelError: a later call may find out.
            ModelError: the search failed.
        """
        ...

    async def status(self, batch: str) -> BatchStatus:
        """Return the state of the batch with this id.

        Raises:
            ModelError: the request failed.
        """
        ...

    async def fetch(self, status: BatchStatus, into: IO[bytes]) -> None:
        """Write the answers of a batch that has ended to `into`, a line each.

        Raises:
            ModelError: the download failed.
        """
        ...

    def name_of(self, line: bytes) -> str | None:
        """Return the name of the request that `line` answers, None if it isn't an answer."""
        ...

    def read(
        self, line: bytes, request: ChatRequest, written: object, *, latency_s: float
    ) -> Completion:
        """Return the completion in an answer's line.

        Raises:
            ModelError: the line reports a failure.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


@runtime_checkable
class BatchModel(Protocol):
    """A model that also has a batch API."""

    identity: Mapping[str, Any]

    def batch_api(self) -> BatchApi:
        """Return the batch API.

        Raises:
            UsageError: the server has none at this address.
        """
        ...
