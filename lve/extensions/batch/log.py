"""One batch: its requests, its status, its answers; and `batches.jsonl` in a session's folder."""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from lve.data_classes import dataclass
from lve.documents.json_lines import file_json
from lve.documents.json_text import decode_written
from lve.documents.validation.schema import is_valid
from lve.errors import SessionError
from lve.extensions.batch.api import BatchApi, BatchStatus
from lve.files.file_text import file_text
from lve.files.owner_only import open_private, read_private
from lve.json_types import JsonObject

FILE = "batches.jsonl"
MAX_BYTES = 1_000_000_000


@dataclass(slots=True)
class Submission:
    """A batch that was submitted, or was about to be."""

    token: str
    """The name that lve gives it, before it has an id."""
    model: str
    names: tuple[str, ...]
    """Names of its requests."""
    id: str | None = None
    """The provider's id for it; None if it may or may not have been submitted."""


class BatchLog:
    """An open `batches.jsonl`, or a log that isn't kept."""

    def __init__(self, folder: Path | None) -> None:
        """Args:
        folder: the session's folder; None if the session isn't kept.

        Raises:
            SessionError: the file can't be read or written.
        """
        self.earlier: list[Submission] = []
        """The batches that earlier runs of the session have submitted."""
        self._handle: int | None = None
        if folder is None:
            return
        self._path = folder / FILE
        try:
            self._handle = open_private(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            content = read_private(self._path, MAX_BYTES)
            if content and not content.endswith(b"\n"):  # cut short by a power loss
                os.write(self._handle, b"\n")
        except OSError as error:
            self.close()
            raise SessionError(
                f"{self._path} can't be used: {error.strerror}", code="session_unreadable"
            ) from error
        self.earlier = _submissions(content)

    def earlier_of(self, model: str) -> list[Submission]:
        """Return the batches that earlier runs have submitted to a model."""
        logged_model = file_text(model)
        return [submission for submission in self.earlier if submission.model == logged_model]

    @property
    def is_kept(self) -> bool:
        """Whether the log is written to the disk."""
        return self._handle is not None

    def begin(self, token: str, model: str, names: Sequence[str]) -> None:
        """Write that a batch is about to be submitted.

        Raises:
            SessionError: it can't be written; the batch must not be submitted.
        """
        self._write({"token": token, "model": model, "requests": list(names)})

    def submitted(self, token: str, batch: str) -> None:
        """Write the id of a submitted batch.

        Raises:
            SessionError: it can't be written. The batch is found by its token.
        """
        self._write({"token": token, "batch": batch})

    def close(self) -> None:
        """Close the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _write(self, line: JsonObject) -> None:
        if self._handle is None:
            return
        try:
            rest = f"{file_json(dict(line))}\n".encode()
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            os.fsync(self._handle)
        except OSError as error:
            raise SessionError(
                f"{self._path} can't be written: {error.strerror}", code="session_unwritable"
            ) from error


def _submissions(content: bytes) -> list[Submission]:
    """Return the batches in the lines of a log. Invalid lines are ignored: the file may come from
    somebody else, and a line may be cut short."""
    submissions: dict[str, Submission] = {}
    for line in content.split(b"\n"):
        try:
            data = decode_written(line.decode("utf-8"))
            _add(submissions, data)
        except (ValueError, KeyError, RecursionError):
            continue
    return list(submissions.values())


def _add(submissions: dict[str, Submission], data: Any) -> None:
    if not is_valid(data, "batches"):
        raise ValueError("not as lve writes it")
    token = data["token"]
    if "batch" in data:
        submissions[token].id = data["batch"]
    else:
        submissions.setdefault(token, Submission(token, data["model"], tuple(data["requests"])))


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
