"""One batch: its requests, its status, and its answers."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from typing import IO

from lve.extensions.batch.api import BatchApi, BatchStatus
from lve.extensions.batch.log import Submission

MEMORY_BYTES = 16_000_000
"""A larger batch is kept in a temporary file, not in memory."""


class Batch:
    """A batch that collects requests, is submitted, or is over."""

    def __init__(self, earlier: Submission | None = None) -> None:
        self.earlier = earlier
        """The submission, if an earlier run of the session has submitted it."""
        self.token = earlier.token if earlier else secrets.token_hex(16)
        self.names: list[str] = [*earlier.names] if earlier else []
        self.lines = _temporary_file()
        self.answers = _temporary_file()
        self.places: dict[str, tuple[int, int]] = {}
        """Name of a request -> offset and length of its answer in `answers`."""
        self.status: BatchStatus | None = None
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.task: asyncio.Task[None] | None = None
        self.last_at = 0.0
        self.reported_tenths = 0
        """Progress that was reported to the user, in tenths."""

    def find_answers(self, api: BatchApi) -> None:
        """Set `places` from the fetched answers. If a request has several, the first one counts."""
        names, offset = set(self.names), 0
        self.places = {}
        self.answers.seek(0)
        while line := self.answers.readline():
            name = api.name_of(line)
            if name in names and name is not None:
                self.places.setdefault(name, (offset, len(line)))
            offset += len(line)

    def answer(self, name: str) -> bytes | None:
        """Return the line with the answer to a request, once the batch is over; None if there is
        none."""
        place = self.places.get(name)
        if place is None:
            return None
        self.answers.seek(place[0])
        return self.answers.read(place[1])


def _temporary_file() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(MEMORY_BYTES)
