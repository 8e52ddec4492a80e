"""Runs tools that are Python code of a test folder, each file in a process of its own, which starts
with the first call and ends with the session."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lve.child.answers import LONG
from lve.child.child_process import Child, ChildEndedError
from lve.escape import excerpt, head
from lve.prompts.tools.code import function_of
from lve.prompts.tools.mocks import error_of
from lve.settings.trusted_file import CodeRights

LIMIT_S = 30.0
"""Most seconds for one call, and for running the file."""
MAX_DEATHS = 3
"""A file isn't run any more after its process has ended so often in a row."""
MAX_RUNNING = 16
"""Most processes at the same time. If another one has to start, the one that was idle longest
ends."""
LONGEST_RESULT = 1_000_000
"""Most characters of a result; the rest is cut off."""
LONGEST_ERROR = 2_000
"""Most characters of an error message."""


class ToolProcess:
    """The process of one file. It answers one call at a time."""

    def __init__(
        self,
        file: Path,
        source: bytes,
        rights: CodeRights,
        limit_s: float,
        make_room: Callable[[], None],
    ) -> None:
        """Args:
        file: the file, which must be trusted.
        source: its content. Exactly this runs, even if the file changes meanwhile.
        rights: what the code may do.
        limit_s: most seconds of one call.
        make_room: called before the process starts, to end others.
        """
        self._make_room = make_room
        self._load = {"do": "load", "file": str(file), "source": source.decode("latin-1")}
        self._rights = rights
        self._limit_s = limit_s
        from concurrent.futures import ThreadPoolExecutor  # late: few tests have code

        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lve-tool")
        self._child: Child | None = None
        self._deaths = 0
        self._closed = threading.Event()
        self._calls = 0
        self.last_used = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether the process runs and has no call to answer."""
        return self._child is not None and not self._calls

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Return the result of a call as text; if the call fails, an error message for the
        model."""
        request = {"do": "call", "function": function_of(tool), "arguments": arguments}
        if self._child is None:
            self._make_room()
        self._calls += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._answer, request)
        finally:
            self._calls -= 1

    def _answer(self, request: Mapping[str, Any]) -> str:
        if self._deaths >= MAX_DEATHS:
            return error_of("the tool isn't run any more, its process ended too often").text
        self.last_used = time.monotonic()
        try:
            answer = self._asked({**request, "most": LONGEST_RESULT})
        except ChildEndedError as error:
            self._child = None
            self._deaths += 1
            return error_of(f"the tool {error}").text
        except OSError as error:
            return error_of(f"the tool's process can't be started: {error.strerror}").text
        self._deaths = 0
        text = answer.get("text")
        if isinstance(text, str):
            return head(text, LONGEST_RESULT)
        return error_of(excerpt(answer.get("error", "no result"), LONGEST_ERROR)).text

    def _asked(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if self._child is None:
            if self._closed.is_set():
                raise ChildEndedError("was stopped")
            child = Child(
                "lve.execution.tools.tool_code_child",
                self._rights.env,
                shortest_s=self._limit_s,
                sandbox=self._rights.sandbox,
                memory_bytes=self._rights.memory_bytes,
            )
            self._child = child
            if self._closed.is_set():  # `close` came while the process started
                child.kill()
            loaded = child.ask(self._load, timeout_s=self._limit_s, limits=LONG)
            if "error" in loaded:
                self.end()
                return loaded
        return self._child.ask(request, timeout_s=self._limit_s, limits=LONG)

    def end(self) -> None:
        """End the process. It starts again on demand."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def close(self) -> None:
        """End the process for good, even in the middle of a call."""
        self._closed.set()
        if (child := self._child) is not None:
            child.kill()
        self._thread.shutdown(wait=True, cancel_futures=True)
        self.end()


class ToolProcesses:
    """The processes of a session, one per file and content."""

    def __init__(self) -> None:
        self._all: dict[tuple[Path, bytes, float], ToolProcess] = {}

    def of(
        self, file: Path, source: bytes, rights: CodeRights, limit_s: float | None
    ) -> ToolProcess:
        """Return the process of a file. It starts with its first call.

        Args:
            file, source, rights: as for `ToolProcess`.
            limit_s: most seconds of one call; None: `LIMIT_S`.
        """
        key = (file, source, limit_s or LIMIT_S)
        if key not in self._all:
            self._all[key] = ToolProcess(file, source, rights, limit_s or LIMIT_S, self._make_room)
        return self._all[key]

    def _make_room(self) -> None:
        idle = sorted(
            (one for one in self._all.values() if one.is_idle), key=lambda one: one.last_used
        )
        for one in idle[: max(0, len(idle) + 1 - MAX_RUNNING)]:
            one.end()

    def close(self) -> None:
        """End all processes."""
        for one in self._all.values():
            one.close()
