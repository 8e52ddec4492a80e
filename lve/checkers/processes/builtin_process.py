"""The process of a built-in checker, as the rest of lve sees it."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.processes.judging_process import START_LIMIT_S, JudgingProcess
from lve.checkers.processes.wire import packed

MEMORY_BYTES = 2_000_000_000
"""Memory for judging, on top of what the process uses when it begins."""


class BuiltinProcess(JudgingProcess):
    """A process for checkers of one class."""

    module = "lve.checkers.builtin_child"

    def __init__(self, kind: type[BuiltinChecker], config: str | None = None) -> None:
        """Args:
        kind: the class.
        config: of the only checker, whose memory is limited once it is made; None for several that
            share a model, which has to find room.
        """
        super().__init__(limit_s=kind.limit_s)
        self._config = config

    @property
    def name(self) -> str:
        """The name in messages; a verdict names the checker itself."""
        return "judging this answer"

    def ask_to(self, do: str, config: str, what: Any = None) -> dict[str, Any]:
        """Return the answer to a request about a checker.

        Args:
            do: `make`, `check` or `redact`.
            config: of the checker.
            what: a context to check, or a text to redact.

        Raises:
            CheckerError: as in `ask`; or `what` can't be sent.
        """
        limit_s = START_LIMIT_S if do == "make" else None
        return self.ask({"do": do, "config": config, "what": packed(what)}, limit_s=limit_s)

    def load_request(self) -> dict[str, Any]:
        """Return the request that makes the only checker and limits the memory."""
        return {"do": "begin", "config": self._config, "memory": MEMORY_BYTES}

    def loaded(self, answer: Mapping[str, Any]) -> None:
        """Do nothing: the answer says nothing of interest."""

    def advice(self, why: str) -> str:
        """Return no advice: a test can change nothing about it."""
        return ""


_SHARED: weakref.WeakValueDictionary[type[BuiltinChecker], BuiltinProcess] = (
    weakref.WeakValueDictionary()
)
"""Processes that hold a model. All tests that use the class share one."""


def process_for(kind: type[BuiltinChecker], config: str) -> BuiltinProcess:
    """Return a process for a checker, not started yet.

    Args:
        kind: the checker's class.
        config: the class's name, the arguments and the test's folder, packed.
    """
    if not kind.needs_model:
        return BuiltinProcess(kind, config)
    process = _SHARED.get(kind)
    if process is None or process.is_stopped:
        process = _SHARED[kind] = BuiltinProcess(kind)
    return process
