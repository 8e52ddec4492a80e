"""A built-in checker in another process, as the rest of lve sees it."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.processes.judging_process import START_LIMIT_S, Deaths, JudgingProcess
from lve.checkers.processes.wire import packed
from lve.errors import MissingExtraError

MEMORY_BYTES = 2_000_000_000
"""That judging may take besides what there is in the process when it begins."""


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
        """What messages call it; a verdict names the checker itself."""
        return "judging this answer"

    def load_request(self) -> dict[str, Any]:
        """Have the only checker made and the memory limited."""
        return {"do": "begin", "config": self._config, "memory": MEMORY_BYTES}

    def loaded(self, answer: Mapping[str, Any]) -> None:
        """There is nothing to take note of."""

    def advice(self, why: str) -> str:
        """Nothing that a test could set."""
        return ""


class BuiltinSide:
    """One checker of one test, in a process."""

    def __init__(self, kind: type[BuiltinChecker], args: Mapping[str, Any], folder: Path) -> None:
        """Args:
        kind: the checker's class.
        args: as the test document has them.
        folder: the test's.
        """
        self._config = packed((kind.__name__, dict(args), folder))
        self.process = _process_for(kind, self._config)
        self._deaths = Deaths(self.process.name)

    def prepare(self) -> None:
        """As `Aside.prepare`."""
        answer = self.process.ask(self._request("make"), limit_s=START_LIMIT_S)
        if answer.get("missing"):
            raise MissingExtraError(str(answer["missing"]))

    def check(self, context: CheckContext) -> Verdict:
        """As `Aside.check`."""
        return self.process.verdict_in(self._ask(self._request("check", _plain(context))))

    def redact(self, text: str) -> str:
        """As `Aside.redact`."""
        return str(self._ask(self._request("redact", text))["text"])

    def _request(self, do: str, what: Any = None) -> dict[str, Any]:
        return {"do": do, "config": self._config, "what": packed(what)}

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        with self._deaths.counted():
            return self.process.ask(request)


_SHARED: weakref.WeakValueDictionary[type[BuiltinChecker], BuiltinProcess] = (
    weakref.WeakValueDictionary()
)
"""Processes that hold a model: one is enough for all tests that use the class."""


def _process_for(kind: type[BuiltinChecker], config: str) -> BuiltinProcess:
    if not kind.needs_model:
        return BuiltinProcess(kind, config)
    process = _SHARED.get(kind)
    if process is None or process.is_stopped:
        process = _SHARED[kind] = BuiltinProcess(kind)
    return process


def _plain(context: CheckContext) -> CheckContext:
    """A context whose mappings are dicts: not every mapping can be sent."""
    return replace(context, parameters=dict(context.parameters), args=dict(context.args))
