"""The program of a target's process: runs the target's command, once per request or for as long as
it answers line by line.

It is between lve and the command, so that the command is in the sandbox, and everything that the
command has started ends with it.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from lve.child.child_side import serve

BLOCK_BYTES = 65_536
TAIL_BYTES = 4_096
"""Bytes of what a command prints on stderr that are kept: the last ones."""
LOOK_S = 0.05
"""Seconds between two looks whether the command has ended, while nothing arrives."""
LINES, ONCE = "lines", "once"


def main(lifeline: int) -> None:
    """Answer requests.

    Args:
        lifeline: a pipe whose other end only the parent has; -1 if there is none.
    """
    serve(lifeline, _Host().answer)


class _Running:
    """A running command."""

    def __init__(self, command: Sequence[str], folder: str, max_bytes: int) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        self._max_bytes = max_bytes
        self._output, self._tail = bytearray(), bytearray()
        self.is_too_long = False
        """Whether the command wrote more than `max_bytes`."""
        self.is_cut = False
        """Whether it printed more on stderr than is kept."""

    @property
    def stderr(self) -> str:
        """The end of what the command printed on stderr."""
        return self._tail.decode("utf-8", "replace")

    def exchange(self, data: bytes, *, until_line: bool) -> bytes:
        """Write to the command, and return what it answers.

        Args:
            data: what it gets on stdin.
            until_line: whether a line is its answer, so that its input stays open. Otherwise
                everything is that it writes until it ends.
        """
        process, waiting = self._process, memoryview(data)
        with selectors.DefaultSelector() as selector:
            for pipe in (process.stdout, process.stderr):
                assert pipe is not None
                if not pipe.closed:
                    selector.register(pipe, selectors.EVENT_READ)
            assert process.stdin is not None
            selector.register(process.stdin, selectors.EVENT_WRITE)
            while selector.get_map() and not self.is_too_long:
                if until_line and b"\n" in self._output:
                    break
                events = selector.select(LOOK_S)
                for key, _ in events:
                    if key.fileobj is process.stdin:
                        waiting = self._write(selector, waiting, until_line)
                    else:
                        self._read(selector, key.fileobj)
                if not events and process.poll() is not None:
                    break  # something that it started may still hold its pipes
        return self._taken(until_line=until_line)

    def _write(self, selector: Any, waiting: memoryview, until_line: bool) -> memoryview:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            waiting = waiting[os.write(stdin.fileno(), waiting[:BLOCK_BYTES]) :]
        except BlockingIOError:
            return waiting
        except OSError:  # it reads nothing
            waiting = waiting[:0]
        if not waiting:
            selector.unregister(stdin)
            if not until_line:
                with suppress(OSError):
                    stdin.close()
        return waiting

    def _read(self, selector: Any, pipe: Any) -> None:
        try:
            block = os.read(pipe.fileno(), BLOCK_BYTES)
        except BlockingIOError:
            return
        if not block:
            selector.unregister(pipe)
        elif pipe is self._process.stdout:
            self._output += block
            self.is_too_long = len(self._output) > self._max_bytes
        else:
            self._tail += block
            self.is_cut |= len(self._tail) > TAIL_BYTES
            del self._tail[:-TAIL_BYTES]

    def _taken(self, *, until_line: bool) -> bytes:
        end = self._output.find(b"\n") + 1 if until_line else len(self._output)
        taken = bytes(self._output[:end])
        del self._output[:end]
        return taken

    def end(self) -> int:
        """End the command if it runs, and return its exit code."""
        process = self._process
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        deadline = time.monotonic() + 1.0
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        if process.poll() is None:
            process.kill()
        return process.wait()


class _Host:
    """Runs one command."""

    def __init__(self) -> None:
        self._settings: Mapping[str, Any] = {}
        self._running: _Running | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request: `output` of the command, or an `error`, with what it
        printed on stderr."""
        try:
            if request["do"] == "load":
                self._settings = request
                return self._line(None) if request["greets"] else {}
            text = request["input"].encode()
            return self._line(text) if self._settings["how"] == LINES else self._once(request)
        except OSError as error:
            return {"error": f"can't be started: {error.strerror}: {error.filename}", "stderr": ""}

    def _start(self, command: Sequence[str] | None = None) -> _Running:
        settings = self._settings
        return _Running(command or settings["command"], settings["folder"], settings["max_bytes"])

    def _once(self, request: Mapping[str, Any]) -> dict[str, Any]:
        running = self._start(request.get("command"))
        output = running.exchange(request["input"].encode(), until_line=False)
        code = running.end()
        return self._result(running, output, None if code == 0 else code)

    def _line(self, text: bytes | None) -> dict[str, Any]:
        """Return the line that answers a line; that which the command begins with for None."""
        if self._running is None:
            self._running = self._start()
            if text is not None and self._settings["greets"]:
                self._running.exchange(b"", until_line=True)
        running = self._running
        output = running.exchange(b"" if text is None else text + b"\n", until_line=True)
        code = None
        if not output:
            self._running = None
            code = running.end()
        return self._result(running, output, code)

    def _result(self, running: _Running, output: bytes, code: int | None) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "stderr": running.stderr,
            "is_cut": running.is_cut,
            "code": code,
        }
        if running.is_too_long:
            self._running = None
            return {**fields, "error": f"wrote more than {self._settings['max_bytes']:,} bytes"}
        try:
            return {**fields, "output": output.decode()}
        except UnicodeDecodeError as error:
            what = f"the byte 0x{output[error.start]:02x} at {error.start:,}"
            return {**fields, "error": f"wrote what is no UTF-8: {what}"}
