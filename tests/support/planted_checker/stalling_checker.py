"""A checker that does, without paying, what an answer says: a hole in what lve has bounded."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lve.checkers.base import CheckContext, Verdict
from lve.checkers.builtin_checker import PerRunChecker, judged
from lve.errors import MissingExtraError


def stall() -> None:
    """Never return from one call into C, which keeps the interpreter's lock: no signal handler and
    no other thread runs. A mutex that is locked twice costs no processor time."""
    if os.name == "posix":
        lock = ctypes.create_string_buffer(256)  # zeros: a new mutex, where it is one
        libc = ctypes.PyDLL(None)
        libc.pthread_mutex_lock(lock)
        libc.pthread_mutex_lock(lock)
    None in range(10**15)  # noqa: B015


@dataclass(frozen=True, slots=True)
class StallingChecker(PerRunChecker):
    """Stalls in one call into C, takes all memory, or ends its process, as the answer says."""

    limit_s: ClassVar[float] = 600.0

    marker: str
    """A file that is made when judging begins."""

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        Path(self.marker).touch()
        if response == "stall":
            stall()
        if response == "memory":
            len(bytearray(10**11))
        if response == "exit":
            os._exit(3)
        return judged(True, "nothing to say against it")


@dataclass(frozen=True, slots=True)
class ImpatientChecker(StallingChecker):
    """The same with a deadline of half a second."""

    limit_s: ClassVar[float] = 0.5


@dataclass(frozen=True, slots=True)
class ModelChecker(ImpatientChecker):
    """The same with a model, which redacts."""

    needs_model: ClassVar[bool] = True

    def prepare(self) -> None:
        if self.marker == "":
            raise MissingExtraError("the model is not here")
        Path(f"{self.marker}.{os.getpid()}").touch()

    def postprocess_response(self, response: str) -> str:
        return response.replace("secret", "***")


@dataclass(frozen=True, slots=True)
class LoadingChecker(StallingChecker):
    """Takes for ever to load its model."""

    needs_model: ClassVar[bool] = True

    def prepare(self) -> None:
        Path(self.marker).touch()
        stall()


@dataclass(frozen=True, slots=True)
class LyingChecker(StallingChecker):
    """The same, and says that it takes but a moment: so lve judges with it in its own process."""

    def work(self, context: CheckContext) -> int:
        return 0
