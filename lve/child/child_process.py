"""Child processes, which answer requests with lve's modules, without keys and with a time limit.

Work that may take any time (a checker's code, a chat template, a Parquet file) runs in a child
process. It is in a process group of its own, so that Ctrl-C reaches only lve. The code of the
child's side is in `lve.child.child_side`. `lve.sandbox` restricts what it may do.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from lve.child.answers import SHORT, AnswerLimits, UnreadableAnswerError, exchange, parse_answer
from lve.child.child_command import child_environment
from lve.child.started_process import Started
from lve.escape import last_lines

if TYPE_CHECKING:  # late: most runs start no process, or none with code of a test
    from lve.sandbox.rights import Sandbox
    from lve.sandbox.watch import Watch

MAX_OUTPUT_BYTES = 4096
"""How many bytes of a child's latest output are kept."""


class ChildEndedError(Exception):
    """The process has ended, or was ended because it can't be used any more."""


class Child:
    """A running child process. A request is a line of JSON, and so is its answer."""

    def __init__(
        self,
        module: str,
        variables: Iterable[str] = (),
        *,
        shortest_s: float,
        sandbox: Sandbox | None = None,
        memory_bytes: int | None = None,
    ) -> None:
        """Start the process.

        Args:
            module: the module whose `main` answers requests in the process.
            variables: names of environment variables that it gets in addition to the usual ones.
            shortest_s: minimum time limit of a request, in seconds.
            sandbox: the sandbox that it enters; None: no sandbox.
            memory_bytes: the most memory beyond what it starts with, on Linux; None: no limit.

        Raises:
            OSError: the process can't be started.
        """
        self._watch: Watch | None = None
        environment = child_environment(os.environ, variables)
        try:
            if sandbox is not None:
                from lve.sandbox.watch import Watch

                self._watch = Watch(memory_bytes)
                environment.update(self._watch.variables)
            self._started = Started(module, environment, supervised=sandbox is not None)
        except BaseException:
            if self._watch is not None:
                self._watch.close()
            raise
        self._process = self._started.process
        self._output = bytearray()
        self._is_cut = False
        """Whether the child printed more than `_output`."""
        self._shortest_s = shortest_s
        self._deadline: float | None = None
        self._is_late = self._is_killed = False
        self._excess: str | None = None
        """Why the sandbox's watch ended the process; None if it didn't."""
        self._begin(sandbox, memory_bytes)
        self._has_ended = threading.Event()
        self._reader = threading.Thread(target=self._keep_output, daemon=True)
        self._reader.start()
        threading.Thread(target=self._keep_time, daemon=True).start()

    def _begin(self, sandbox: Sandbox | None, memory_bytes: int | None) -> None:
        """Send the process its sandbox, before any request."""
        assert self._process.stdin is not None
        begin = {
            "sandbox": None if sandbox is None else sandbox.to_json(),
            "temporary": None if self._watch is None else self._watch.folder,
            "memory": memory_bytes,
            "is_supervised": self._started.is_supervised,
        }
        with suppress(OSError):  # if the process has ended, the first request reports it
            self._process.stdin.write(json.dumps(begin).encode() + b"\n")
            self._process.stdin.flush()
            if os.name == "posix":
                os.set_blocking(self._process.stdin.fileno(), False)

    def ask(
        self, request: Mapping[str, object], *, timeout_s: float, limits: AnswerLimits = SHORT
    ) -> dict[str, object]:
        """Return the answer to a request. There must be only one request at a time.

        Args:
            request: JSON values; other values are sent as texts.
            timeout_s: seconds after which the process is ended, at least `shortest_s`.
            limits: how large the answer may be.

        Raises:
            ChildEndedError: there is no usable answer, and the process has ended; the message says
                why.
        """
        line = json.dumps(request, default=str).encode() + b"\n"
        self._deadline = deadline = time.monotonic() + timeout_s
        value: dict[str, object] | None = None
        unusable = None
        try:
            answer = self._exchange(line, limits, deadline)
            if answer.endswith(b"\n"):
                value = parse_answer(answer, limits)
        except UnreadableAnswerError as error:
            unusable = str(error)
        except BaseException:  # also KeyboardInterrupt: a late answer would go to a later request
            self.end()
            raise
        finally:
            self._deadline = None
        if value is None and time.monotonic() >= deadline:
            self._is_late = True  # the thread that sees to it may be busy counting
        if self._is_late or self._excess or self._is_killed or value is None:
            raise ChildEndedError(self._why_ended(unusable, timeout_s))
        return value

    def _exchange(self, line: bytes, limits: AnswerLimits, deadline: float) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            to, back = self._process.stdin.fileno(), self._process.stdout.fileno()
        except ValueError:  # closed: the process has ended
            return b""
        return exchange(to, back, line, limits=limits, deadline=deadline)

    def _keep_time(self) -> None:
        """End the process when the deadline of its request has passed.

        One thread does this for all requests, because a thread per request would take longer than
        judging. It isn't notified of new requests, so it wakes up at least as often as the shortest
        time limit."""
        longest = (
            self._shortest_s
            if self._watch is None
            else min(self._shortest_s, self._watch.interval_s)
        )
        pause = longest
        while not self._has_ended.wait(pause):
            deadline, now = self._deadline, time.monotonic()
            self._is_late = deadline is not None and now >= deadline
            if self._watch is not None and not self._is_late:
                self._excess = self._watch.exceeded_limit(self._process.pid, self._started.group)
            if self._is_late or self._excess:
                self.kill()
                return
            # The next request may have less time than this one: starting may take minutes.
            pause = longest if deadline is None else min(longest, deadline - now)

    def _why_ended(self, unusable: str | None, timeout_s: float) -> str:
        if unusable is not None and not (self._is_late or self._excess or self._is_killed):
            self.end()
            return unusable
        if not self._is_late:
            self._started.wait_by_itself(1.0)
        self.end()
        output = self._last_output()
        if self._is_late:
            return f"took longer than {timeout_s:g} s and was stopped{output}"
        if self._excess:
            return f"{self._excess} and was stopped{output}"
        code = self._started.exit_code
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"ended its process ({how}){output}"

    def _keep_output(self) -> None:
        assert self._process.stderr is not None
        with suppress(OSError, ValueError):
            while chunk := os.read(self._process.stderr.fileno(), 65_536):
                self._output += chunk
                self._is_cut |= len(self._output) > MAX_OUTPUT_BYTES
                del self._output[:-MAX_OUTPUT_BYTES]

    def _last_output(self) -> str:
        last = last_lines(self._output.decode("utf-8", "replace"), is_cut=self._is_cut, most=300)
        printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in last)
        return f"; it printed last: {printable}" if printable else ""

    def kill(self) -> None:
        """Kill the process and all processes that it started. Safe to call from another thread or a
        signal handler."""
        self._is_killed = True  # it may still answer
        self._started.kill()

    def end(self) -> None:
        """Kill the process, and free its pipes and threads.

        Its temporary folder is removed as soon as everything that it started has surely ended. If
        the system can't end it, the folder stays, with a warning.
        """
        self._has_ended.set()
        self.kill()
        self._started.wait()
        self._reader.join(1)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if not self._reader.is_alive() and self._process.stderr is not None:
            self._process.stderr.close()
        if self._watch is not None:
            self._watch.close(remove=self._started.has_all_ended)
