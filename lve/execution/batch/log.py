"""`batches.jsonl` in a session's folder: which requests were submitted in which batch.

A line is on the disk before what it announces happens. So a session that was killed at any moment
finds its batches again, and submits none of them twice. Its lines are as
`schemas/batches.schema.json` says.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lve.documents.json_text import decode_written
from lve.documents.schema import is_valid
from lve.errors import SessionError
from lve.files.private import open_private, read_private

FILE = "batches.jsonl"
MOST_BYTES = 1_000_000_000


@dataclass(slots=True)
class Submission:
    """A batch that was submitted, or was about to be."""

    token: str
    """Its name, chosen by lve before it has an id."""
    model: str
    names: tuple[str, ...]
    """Names of its requests."""
    id: str | None = None
    """The provider's name for it; None if nobody knows whether it was submitted."""


class BatchLog:
    """An open `batches.jsonl`, or one that isn't kept."""

    def __init__(self, folder: Path | None) -> None:
        """Args:
        folder: of the session; None if nothing is kept.

        Raises:
            SessionError: the file can't be read or written.
        """
        self.earlier: list[Submission] = []
        """What earlier runs of the session have submitted."""
        self._handle: int | None = None
        if folder is None:
            return
        self._path = folder / FILE
        try:
            self._handle = open_private(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            content = read_private(self._path, MOST_BYTES)
            if content and not content.endswith(b"\n"):  # cut short by a loss of power
                os.write(self._handle, b"\n")
        except OSError as error:
            self.close()
            raise SessionError(
                f"{self._path} can't be used: {error.strerror}", code="session_unreadable"
            ) from error
        self.earlier = _submissions(content)

    @property
    def is_kept(self) -> bool:
        """Whether the record outlives this process."""
        return self._handle is not None

    def begin(self, token: str, model: str, names: Sequence[str]) -> None:
        """Note that a batch is about to be submitted.

        Raises:
            SessionError: it can't be written; the batch must not be submitted.
        """
        self._write({"token": token, "model": model, "requests": list(names)})

    def submitted(self, token: str, batch: str) -> None:
        """Note the id of a batch.

        Raises:
            SessionError: it can't be written. The batch is found by its token.
        """
        self._write({"token": token, "batch": batch})

    def close(self) -> None:
        """Close the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _write(self, line: Mapping[str, Any]) -> None:
        from lve.documents.json_lines import json_line

        if self._handle is None:
            return
        try:
            rest = f"{json_line(dict(line))}\n".encode()
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            os.fsync(self._handle)
        except OSError as error:
            raise SessionError(
                f"{self._path} can't be written: {error.strerror}", code="session_unwritable"
            ) from error


def _submissions(content: bytes) -> list[Submission]:
    """Return what the lines say. What isn't as lve writes it is ignored: the file may have come
    with somebody's archive, and a line may be cut short."""
    found: dict[str, Submission] = {}
    for line in content.split(b"\n"):
        try:
            data = decode_written(line.decode("utf-8"))
            _add(found, data)
        except (ValueError, KeyError, RecursionError):
            continue
    return list(found.values())


def _add(found: dict[str, Submission], data: Any) -> None:
    if not is_valid(data, "batches"):
        raise ValueError("not as lve writes it")
    token = data["token"]
    if "batch" in data:
        found[token].id = data["batch"]
    else:
        found.setdefault(token, Submission(token, data["model"], tuple(data["requests"])))
