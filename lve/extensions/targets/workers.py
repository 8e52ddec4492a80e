"""Processes that answer for a target, each one request at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lve.child.answers import AnswerLimits
from lve.child.child_process import ChildEndedError
from lve.child.helper import CrashCounter, Helper, HelperStoppedError
from lve.documents.json_text import decode_written
from lve.errors import TransientModelError
from lve.escape import head, last_lines
from lve.extensions.targets.process_child import LINES, ONCE
from lve.extensions.targets.reply import failed, too_slow
from lve.models.http.failures import printable
from lve.named_tuples import NamedTuple
from lve.settings.trusted_file import CodeRights

MAX_OUTPUT_BYTES = 8 * 1024 * 1024
"""Most bytes of one answer of a command."""
ANSWER = AnswerLimits(12 * MAX_OUTPUT_BYTES, values=20, levels=3)
"""Limits of what its process says: the command's output is one text in it."""
SHORTEST_S = 1.0
START_S = 60.0
MAX_SESSIONS = 100_000
"""Conversations whose process is known: more are in progress at no time."""
TRY_LATER = 75
"""The exit code by which a command says that a later try may succeed (EX_TEMPFAIL)."""


class Command(NamedTuple):
    """A command that answers for a target."""

    words: Sequence[str]
    """The program and its arguments."""
    folder: Path
    """The folder in which it runs."""
    rights: CodeRights
    is_long_lived: bool = False
    """Whether it stays, and answers each line with a line."""
    greets: bool = False
    """Whether its first line says that it is ready, or why it can't be."""
    start_s: float = START_S
    """Seconds that starting it may take, if it greets."""


class Workers:
    """Runs a command in several processes, which start when they are needed."""

    def __init__(self, command: Command, count: int, who: str) -> None:
        """Args:
        command: the command.
        count: how many run at once.
        who: how messages call it: `the command`.
        """
        self._command = command
        self._who = who
        self._helpers = {helper_of(command) for _ in range(count)}
        self._idle = list(self._helpers)
        self._homes: dict[str, Helper] = {}
        """Session of a conversation -> the process that may remember it."""
        self._waiting: deque[tuple[asyncio.Future[Helper], Helper | None]] = deque()
        """Who waits for a process, and for which; None: for any."""
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="lve-target")

    async def ask(
        self,
        text: str,
        timeout_s: float,
        *,
        session: str | None = None,
        words: Sequence[str] | None = None,
    ) -> str:
        """Return what the command answers to a text. The time begins when a process is free.

        Args:
            text: what it gets on stdin.
            timeout_s: seconds that it may take.
            session: the conversation, which stays with one process of a command that stays.
            words: the command with arguments of this request; None: as it is.

        Raises:
            ModelError: it gave no answer.
        """
        helper = await self._free(session if self._command.is_long_lived else None)
        loop = asyncio.get_running_loop()
        try:
            answer = await loop.run_in_executor(
                self._threads, _ask, helper, self._who, text, timeout_s, words
            )
        except asyncio.CancelledError:
            helper.stop()  # its late answer must not be that of the next request
            self._helpers.discard(helper)
            helper = helper_of(self._command)
            self._helpers.add(helper)
            raise
        finally:
            self._give_back(helper)
        return _output(answer, self._who)

    async def close(self) -> None:
        """End all processes, even in the middle of a request."""
        helpers = [*self._helpers]
        for helper in helpers:
            helper.stop()
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)
        for helper in helpers:
            await asyncio.to_thread(helper.close)

    async def _free(self, session: str | None) -> Helper:
        """Return a process when it is free: that of the session, if it is still there."""
        home = self._homes.get(session or "")
        home = home if home in self._helpers else None
        if home is None and self._idle:
            helper = self._idle.pop()
        elif home is not None and home in self._idle:
            self._idle.remove(home)
            helper = home
        else:
            helper = await self._waited_for(home)
        if session is not None:
            self._homes[session] = helper
            if len(self._homes) > MAX_SESSIONS:
                del self._homes[next(iter(self._homes))]
        return helper

    async def _waited_for(self, home: Helper | None) -> Helper:
        future: asyncio.Future[Helper] = asyncio.get_running_loop().create_future()
        self._waiting.append((future, home))
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._give_back(future.result())
            raise

    def _give_back(self, helper: Helper) -> None:
        """Pass a process on to who waits for it, or for one that isn't there any more."""
        for waiter in self._waiting:
            future, home = waiter
            if not future.done() and (home in (None, helper) or home not in self._helpers):
                self._waiting.remove(waiter)
                future.set_result(helper)
                return
        self._idle.append(helper)


def printed_by(command: Command, who: str, timeout_s: float) -> str:
    """Run a command once, and return its output. Blocks until then.

    Raises:
        ModelError: it gave none.
    """
    helper = helper_of(command)
    try:
        return _output(_ask(helper, who, "", timeout_s), who)
    finally:
        helper.close()


def helper_of(command: Command) -> Helper:
    """Return a process that runs a command. It starts when it is first asked."""
    load = {
        "do": "load",
        "command": list(command.words),
        "folder": str(command.folder),
        "how": LINES if command.is_long_lived else ONCE,
        "greets": command.greets,
        "max_bytes": MAX_OUTPUT_BYTES,
    }
    return _Loaded(
        "lve.extensions.targets.process_child",
        load=load,
        limit_s=SHORTEST_S,
        start_limit_s=command.start_s,
        rights=command.rights,
    )


def _ask(
    helper: Helper, who: str, text: str, timeout_s: float, words: Sequence[str] | None = None
) -> dict[str, Any]:
    """Ask a process, in a thread.

    Raises:
        ModelError: the process ended.
    """
    request: dict[str, Any] = {"do": "ask", "input": text}
    if words is not None:
        request["command"] = words
    try:
        return helper.request(request, limit_s=timeout_s, limits=ANSWER, crashes=CrashCounter())
    except HelperStoppedError:
        raise failed(f"{who} was stopped") from None
    except ChildEndedError as error:
        if "took longer than" in str(error):
            raise too_slow(who, timeout_s) from None
        raise failed(printable(f"{who} {error}")) from None
    except NotReadyError as error:
        raise failed(f"{who} can't be used: {_failure(error.answer) or error}") from None
    except OSError as error:
        raise failed(f"the process of {who} can't be started: {error.strerror}") from None


def _output(answer: Mapping[str, Any], who: str) -> str:
    """Return the command's output.

    Raises:
        ModelError: it ended with an error, or wrote too much.
    """
    if why := _failure(answer):
        message = f"{who} {why}"
        if answer.get("code") == TRY_LATER:
            raise TransientModelError(message, kind="server_error")
        raise failed(message)
    return str(answer["output"])


MOST_PRINTED = 5_000
"""Characters that are shown of what a command printed last; little more than is kept of it."""


def _failure(answer: Mapping[str, Any]) -> str | None:
    """Return how the command has failed; None if it answered."""
    why, code = answer.get("error"), answer.get("code")
    if why is None:
        if code is None:
            return None
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        why = f"ended with {how}" if answer.get("output") else f"ended without an answer ({how})"
    printed, is_cut = str(answer.get("stderr", "")), bool(answer.get("is_cut"))
    last = last_lines(printed, is_cut=is_cut, most=MOST_PRINTED)
    return printable(head(str(why), 500) + (f"; it printed last: {last}" if last else ""))


class NotReadyError(Exception):
    """A command that greets didn't become ready.

    Attributes:
        answer: what its process said.
    """

    def __init__(self, message: str, answer: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.answer = answer


class _Loaded(Helper):
    """A process whose command may have to become ready."""

    def loaded(self, answer: Mapping[str, object]) -> None:
        """Look at the first line of a command that greets; see `Helper.loaded`."""
        if not self._load["greets"]:
            return
        try:
            greeting = decode_written(str(answer.get("output", "")))
        except ValueError:
            greeting = None
        if not isinstance(greeting, Mapping) or greeting.get("ready") is not True:
            why = greeting.get("error") if isinstance(greeting, Mapping) else None
            raise NotReadyError(str(why or "gave no sign that it is ready"), answer)
