"""Puts the content of files into requests, just before they are sent.

A session may have more images than fit into memory. So a file is read for one request and then
forgotten, and the bytes in flight are limited. A thread reads, hashes and encodes, so that other
requests go on meanwhile.
"""

from __future__ import annotations

import asyncio
from binascii import b2a_base64
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from lve.errors import PromptError
from lve.messages import Completion, Message, Part, file_name, names_file
from lve.models.chat_model import ChatRequest, Complete
from lve.prompts.addresses import check_addresses
from lve.prompts.attachments import MAX_TOGETHER_BYTES, TEXT, read_file, with_files
from lve.prompts.conversation import Conversation

if TYPE_CHECKING:
    from concurrent.futures import Executor

Result = TypeVar("Result")
MAX_IN_FLIGHT_BYTES = 4 * MAX_TOGETHER_BYTES
"""Most bytes of files whose requests are in flight. A file takes up to four times as much
memory."""
SMALL_BYTES = 100_000
"""The files of a request that are no larger together are read without the thread, which is
faster."""
FORMATS = {"audio/wav": "wav", "audio/mpeg": "mp3"}
"""Media type -> what OpenAI calls it."""


class Attachments:
    """Sends the files of a session's tests."""

    def __init__(self, most_bytes: int = MAX_IN_FLIGHT_BYTES) -> None:
        """Args:
        most_bytes: most bytes of files in flight. A single conversation may have more if no other
            is in flight.
        """
        self._most = most_bytes
        self._in_flight = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._thread: Executor | None = None

    async def described(
        self, conversations: Sequence[Conversation], document: Path
    ) -> Sequence[Conversation]:
        """Return `with_files(conversations, document)`, made in a thread if any message names a
        file; errors as there."""
        if not check_addresses(conversations):
            return conversations
        return await self._in_thread(partial(with_files, conversations, document))

    def sending(self, complete: Complete, folder: Path) -> Complete:
        """Return a `Complete` that puts the content of files into a request, and then calls
        `complete`.

        It raises what `complete` raises, and `PromptError` if a file can't be read any more or has
        changed.

        Args:
            complete: completes requests with the files' content.
            folder: the test's folder.
        """
        return partial(self._complete, complete, folder)

    async def _complete(self, complete: Complete, folder: Path, request: ChatRequest) -> Completion:
        size = sum(map(_bytes_of, request.messages))
        await self._take(size)
        try:
            make = partial(_with_content, request, folder)
            return await complete(make() if size <= SMALL_BYTES else await self._in_thread(make))
        finally:
            self._give_back(size)

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        """Run `work` in the thread. There is only one, so that one file at a time is being read."""
        if self._thread is None:
            from concurrent.futures import ThreadPoolExecutor

            self._thread = ThreadPoolExecutor(1, thread_name_prefix="lve-files")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _take(self, size: int) -> None:
        if not self._waiting and self._fits(size):
            self._in_flight += size
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(size)
            raise

    def _give_back(self, size: int) -> None:
        self._in_flight -= size
        while self._waiting:
            size, turn = self._waiting[0]
            if not turn.cancelled():
                if not self._fits(size):
                    return
                self._in_flight += size
                turn.set_result(None)
            self._waiting.popleft()

    def _fits(self, size: int) -> bool:
        return not self._in_flight or self._in_flight + size <= self._most


def _bytes_of(message: Message) -> int:
    content = message.content
    if content is None or isinstance(content, str):
        return 0
    return sum(part.get("bytes", 0) for part in content if names_file(part))


def _with_content(request: ChatRequest, folder: Path) -> ChatRequest:
    messages = tuple([_sent(message, folder) for message in request.messages])
    return replace(request, messages=messages)


def _sent(message: Message, folder: Path) -> Message:
    """Return a message with its files' content, in OpenAI's shape."""
    content = message.content
    if content is None or isinstance(content, str) or not any(map(names_file, content)):
        return message
    return replace(message, content=tuple([_sent_part(part, folder) for part in content]))


def _sent_part(part: Part, folder: Path) -> Part:
    name = file_name(part)
    if name is None:
        return part
    kind = str(part["type"])
    media_type, content = read_file(folder, kind, name)
    if sha256(content).hexdigest() != part.get("sha256"):
        raise PromptError(
            f"`{kind}: {name}` has changed while it was used; run it again", code="changed_file"
        )
    if media_type == TEXT:
        return {"type": "text", "text": content.decode("utf-8-sig")}
    data = b2a_base64(content, newline=False).decode("ascii")
    if kind == "image":
        return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}
    if kind == "audio":
        return {"type": "input_audio", "input_audio": {"data": data, "format": FORMATS[media_type]}}
    return {
        "type": "file",
        "file": {
            "filename": PurePosixPath(name).name,
            "file_data": f"data:{media_type};base64,{data}",
        },
    }
