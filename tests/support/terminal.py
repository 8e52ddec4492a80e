"""`lve` on a real terminal of 80 columns."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pexpect
from support.forked import python

PATIENCE_S = 60
"""Seconds until a question comes: a busy machine takes its time."""
_MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A process on a terminal, and what it has shown."""

    def __init__(self, *words: str, cwd: Path, env: Mapping[str, str] | None = None) -> None:
        """Args:
        words: the verb and what follows it.
        cwd: where one stands.
        env: variables beside the usual ones.
        """
        command, *more = python()
        self.child = pexpect.spawn(
            command,
            [*more, "-m", "lve", *words],
            cwd=str(cwd),
            env={**os.environ, "TERM": "dumb", "INPUTRC": os.devnull, **(env or {})},
            dimensions=(24, 80),
            timeout=PATIENCE_S,
            encoding="utf-8",
        )
        self.shown = ""

    def answer(self, question: str, line: str) -> str:
        """Wait for a question, and type a line; return what was shown before it."""
        before = self.wait_for(question)
        self.child.sendline(line)
        return before

    def wait_for(self, text: str) -> str:
        """Wait until a text is shown; return what was shown before it."""
        self.child.expect_exact(text)
        self.shown += self.child.before + text
        return str(self.child.before)

    def press(self, key: str) -> None:
        """Press Ctrl and a key."""
        self.child.sendcontrol(key)

    def interrupt(self) -> int:
        """Press Ctrl-C until the process ends; return its exit code. readline, which reads a line,
        loses a signal that comes between its prompt and its wait for a key."""
        for _ in range(PATIENCE_S // 5):
            self.press("c")
            if self.child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=5) == 0:
                break
        return self._ended()

    def end(self) -> int:
        """Wait for the end of the process; return its exit code."""
        self.child.expect(pexpect.EOF)
        return self._ended()

    def _ended(self) -> int:
        self.shown += self.child.before
        self.child.close()
        return int(self.child.exitstatus if self.child.exitstatus is not None else -1)

    @property
    def lines(self) -> list[str]:
        """The lines on the screen, without what moves the cursor."""
        return _MOVES.sub("", self.shown).replace("\r", "").split("\n")
