"""Connections to MCP servers whose messages are limited before the SDK parses them.

The SDK collects a line or a body of any size. 250 MB of small objects would take gigabytes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from lve.child.answers import (
    AnswerLimits,
    BoundedLines,
    UnreadableAnswerError,
    check_structure,
    too_long,
)
from lve.escape import excerpt, last_lines, one_line
from lve.extensions.mcp.sdk_types import Streams

MESSAGE = AnswerLimits(16_000_000, values=200_000, levels=100)
"""Limits of a message."""
END_S = 2.0
"""Seconds in which a program should end when its input ends, and again after SIGTERM."""
POLL_S = 0.01
WATCH_S = 0.05
"""Seconds between two looks at whether a program still runs."""
EXIT_S = 0.5
"""Seconds in which a program that has closed its output should end."""
INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The variables that the SDK lets programs inherit."""


class ProgramStreams:
    """A server that is a program, and what it sends and gets.

    Attributes:
        problem: why nothing is read from it any more; None if that isn't so.
        stray: the first line that was no message; None if there was none.
        errors: the last lines that it wrote to its stderr.
        exit_code: its exit code; negative: the signal that ended it; None while it runs.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Args:
        command: the program and its arguments.
        environment: its environment variables, beside those that every program needs.
        """
        self.problem: str | None = None
        self.stray: str | None = None
        self.errors = LastLines()
        self.exit_code: int | None = None
        self._command = command
        self._environment = environment

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Streams]:
        """Start the program; yield the streams for a session of the SDK. End the program.

        Raises:
            OSError: it can't be started.
        """
        import anyio

        if sys.platform == "win32":  # the SDK knows how to start and end programs there
            async with self._of_the_sdk() as streams:
                yield streams
            return
        process = await anyio.open_process(
            list(self._command),
            env={**_inherited(), **self._environment},
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        received, messages = anyio.create_memory_object_stream[object](0)
        to_send, sent = anyio.create_memory_object_stream[object](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, process, received)
            tasks.start_soon(_write, process, sent)
            tasks.start_soon(self._read_errors, process)
            tasks.start_soon(self._watch, process, received)
            try:
                yield messages, to_send
            finally:
                with anyio.CancelScope(shield=True):
                    for stream in (messages, to_send):
                        stream.close()
                    await _end(process)
                tasks.cancel_scope.cancel()

    @asynccontextmanager
    async def _of_the_sdk(self) -> AsyncIterator[Streams]:
        from mcp.client.stdio import StdioServerParameters, stdio_client

        program, *arguments = self._command
        parameters = StdioServerParameters(
            command=program, args=arguments, env=dict(self._environment)
        )
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123, ASYNC230
            async with stdio_client(parameters, errlog=nowhere) as streams:
                yield streams

    async def _read(self, process: Any, received: Any) -> None:
        """Pass on the messages of the program, until it ends or sends too much. Lines that are no
        messages are left out: some programs print there."""
        import anyio

        lines = BoundedLines(MESSAGE.max_bytes)
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            async with received:
                try:
                    async for block in process.stdout:
                        for line in lines.feed(block):
                            check_structure(line, MESSAGE)
                            if (message := _message(line)) is not None:
                                await received.send(message)
                            elif self.stray is None and line.strip():
                                self.stray = excerpt(line.decode("utf-8", "replace").strip())
                except UnreadableAnswerError as error:
                    self.problem = str(error)
                else:  # it is ending, or has closed its output
                    with anyio.move_on_after(EXIT_S):
                        await self._noted_end(process)

    async def _read_errors(self, process: Any) -> None:
        import anyio

        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            async for block in process.stderr:
                self.errors.feed(block)

    async def _watch(self, process: Any, received: Any) -> None:
        """Close the stream of messages once the program has failed. What it has started may keep
        its pipes open. (A launcher that ends with 0 may leave a server behind.)"""
        await self._noted_end(process)
        if self.exit_code:
            received.close()

    async def _noted_end(self, process: Any) -> None:
        import anyio

        while process.returncode is None:  # noqa: ASYNC110 (no event)
            await anyio.sleep(WATCH_S)
        await anyio.sleep(WATCH_S)  # its last lines are on their way
        self.exit_code = process.returncode


def _inherited() -> dict[str, str]:
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


def _message(line: bytes) -> object:
    """Return the message in a line for a session of the SDK; None if it is none."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return None


async def _write(process: Any, sent: Any) -> None:
    import anyio

    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async with sent:
            async for message in sent:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")


async def _end(process: Any) -> None:
    """End a program as the protocol says: close its input, wait, then end all that it started."""
    import anyio

    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdin.aclose()
    await _wait(process)
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, how)
        await _wait(process)
    with anyio.move_on_after(END_S), suppress(OSError, anyio.BrokenResourceError):
        await process.aclose()  # waits for the end of its pipe, which something may keep open


async def _wait(process: Any) -> None:
    """Wait up to `END_S`. (`process.wait` would wait for the end of its pipe, too.)"""
    import anyio

    until = anyio.current_time() + END_S
    while process.returncode is None and anyio.current_time() < until:  # noqa: ASYNC110 (no event)
        await anyio.sleep(POLL_S)


NOT_COMPRESSED = {"Accept-Encoding": "identity"}
"""Headers of a request whose answer `check_response` can bound."""


async def check_response(response: Any) -> None:
    """Have the body of a response of httpx2, or each event of its stream, checked before it is
    passed on. (A hook and no transport: httpx2 ignores proxies where there is one.)

    Raises:
        TransportError: it is compressed.
    """
    from httpx2 import AsyncByteStream, TransportError

    class Checked(AsyncByteStream):
        def __init__(self, stream: Any, *, of_events: bool) -> None:
            self._stream = stream
            self._of_events = of_events

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for part in checked_parts(self._stream, of_events=self._of_events):
                    yield part
            except UnreadableAnswerError as error:
                raise TransportError(f"it {error}") from error

        async def aclose(self) -> None:
            await self._stream.aclose()

    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise TransportError("it gave a compressed answer, which wasn't asked for")
    of_events = response.headers.get("Content-Type", "").startswith("text/event-stream")
    response.stream = Checked(response.stream, of_events=of_events)


async def checked_parts(blocks: AsyncIterator[bytes], *, of_events: bool) -> AsyncIterator[bytes]:
    """Yield a body when all of it is there, or its events as they come, each within the limits.

    Raises:
        UnreadableAnswerError: one isn't.
    """
    held = bytearray()
    async for block in blocks:
        held += block
        end = _end_of_events(held, len(block)) if of_events else 0
        if len(held) - end > MESSAGE.max_bytes:
            raise too_long(MESSAGE.max_bytes)
        if end:
            check_structure(bytes(held[:end]), MESSAGE)
            yield bytes(held[:end])
            del held[:end]
    check_structure(bytes(held), MESSAGE)
    yield bytes(held)


def _end_of_events(held: bytearray, new: int) -> int:
    """Return the offset after the last blank line in the latest `new` bytes; 0 if there is none."""
    start = max(0, len(held) - new - 3)
    ends = [held.rfind(mark, start) + len(mark) for mark in (b"\n\n", b"\r\n\r\n", b"\r\r")
            if held.rfind(mark, start) >= 0]  # fmt: skip
    return max(ends, default=0)


KEPT_BYTES = 16_384
SHOWN_CHARACTERS = 600
"""Most characters of all lines together."""


class LastLines:
    """Keeps the end of what a program writes."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._is_cut = False

    def feed(self, block: bytes) -> None:
        """Add what the program has written."""
        self._held += block
        if len(self._held) > 2 * KEPT_BYTES:
            self._is_cut = True
            del self._held[:-KEPT_BYTES]

    def shown(self) -> str:
        """Return the last lines, escaped and without secrets, joined; empty if there is
        none."""
        text = self._held.decode("utf-8", "replace")
        return one_line(last_lines(text, is_cut=self._is_cut, most=SHOWN_CHARACTERS))
