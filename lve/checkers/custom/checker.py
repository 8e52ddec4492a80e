"""The parent's side of a custom checker, which judges in another process.

Tests that use the same class with the same arguments share a process. It starts on demand, restarts
after a crash, and ends with the last test that uses it.
"""

from __future__ import annotations

import json
import os
import re
import weakref
from collections.abc import Mapping
from pathlib import Path

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.custom.find import CustomChecker
from lve.checkers.processes.judging_process import START_LIMIT_S, JudgingProcess, check_installed
from lve.checkers.processes.wire import context_to_json
from lve.child.answers import limits_for_text
from lve.child.child_command import child_environment
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.settings.trusted_file import CodeRights

LIMIT_S = 60.0
"""Seconds for one judgement if the test has no `timeout_s`."""


class CheckerProcess(JudgingProcess):
    """The process of one custom checker class with one set of arguments.

    Attributes:
        postprocesses: whether the class may change answers before they are written. True until the
            process has started.
    """

    def __init__(self, custom: CustomChecker, *, limit_s: float, rights: CodeRights) -> None:
        """Args:
        custom: the class. It must be trusted.
        limit_s: seconds for one judgement.
        rights: what the process may do.
        """
        source = custom.source.decode("latin-1")  # bytes as text, one to one
        load = {"do": "load", "file": str(custom.file), "name": custom.name, "source": source}
        name, module = f"{custom.file}: {custom.name}", "lve.checkers.custom.child_main"
        super().__init__(name, module=module, load=load, limit_s=limit_s, rights=rights)
        self.postprocesses = True

    def loaded(self, answer: Mapping[str, object]) -> None:
        """Set `postprocesses` from the answer to the `load` request.

        Raises:
            CheckerError: the file can't be run.
            MissingExtraError: the file needs a package that is not installed.
        """
        super().loaded(answer)
        check_installed(answer)
        self.postprocesses = bool(answer.get("postprocesses"))

    def hint_for(self, why: str) -> str:
        """Return a hint about a process that was killed after the time limit, or has ended."""
        if why.startswith("took longer"):
            return " (a test's `timeout_s` sets the limit)"
        if why.startswith("ended"):
            return " (a checker returns a verdict or raises; it must not end Python)"
        return ""

    def start(self, args: Mapping[str, object] | None) -> None:
        """Start the process, run the checker's file, and make the checker unless `args` is None.

        Raises:
            CheckerError: the file or the checker's constructor fails.
            MissingExtraError: the checker needs a package that is not installed.
        """
        request = None if args is None else {"do": "make", "args": args}
        check_installed(self.ask(request, limit_s=START_LIMIT_S))

    def check(self, args: Mapping[str, object], context: CheckContext) -> Verdict:
        """Return the verdict on an instance.

        Raises:
            CheckerError: the checker crashed, took too long, or ended its process.
        """
        request = {"do": "check", "args": args, "context": context_to_json(context)}
        return self.verdict_in(self.ask(request))

    def postprocess(self, args: Mapping[str, object], text: str) -> str:
        """Return `text` as the checker lets it be written.

        Raises:
            CheckerError: as for `check`, or the result is no text.
        """
        request = {"do": "postprocess", "args": args, "text": text}
        answer = self.ask(request, limits=limits_for_text(len(text))).get("text")
        if not isinstance(answer, str):
            raise CheckerError(f"{self.name}: redaction gave no text", code="checker_code")
        return answer

    def with_hint(self, error: str) -> str:
        """Add a hint to an error that names an environment variable hidden from checkers."""
        names = set(re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", error))
        hidden = sorted(
            (names & os.environ.keys()) - child_environment(os.environ, self._rights.env).keys()
        )
        if not hidden:
            return error
        return (
            f"{error} (custom checkers don't see {hidden[0]}; to show it to this one, add"
            f" `env: [{hidden[0]}]` to the file's entry under `trust` in the settings)"
        )


@dataclass(frozen=True, slots=True)
class ChildChecker:
    """A custom checker with its arguments, with the same interface as built-in checkers."""

    process: CheckerProcess
    args: Mapping[str, object]

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict.

        Raises:
            CheckerError: as for `CheckerProcess.check`.
        """
        return self.process.check(self.args, context)

    def work(self, context: CheckContext) -> None:
        """Return None: the work of a custom checker has no bound."""

    def prepare(self) -> None:
        """Do nothing: the process has already been started."""

    def postprocess_response(self, response: str) -> str:
        """Return the response as the checker lets it be written.

        Raises:
            CheckerError: as for `CheckerProcess.postprocess`.
        """
        return (
            self.process.postprocess(self.args, response)
            if self.process.postprocesses
            else response
        )


_Key = tuple[Path, str, bytes, str, float, CodeRights]
_PROCESSES: weakref.WeakValueDictionary[_Key, CheckerProcess] = weakref.WeakValueDictionary()


def checker_process(
    custom: CustomChecker,
    args: Mapping[str, object],
    *,
    limit_s: float | None = None,
    rights: CodeRights,
) -> CheckerProcess:
    """Return the process for a class and a test's arguments for it, not started yet.

    Args:
        custom: the class. It must be trusted.
        args: the arguments, as the test has them.
        limit_s: seconds for one judgement; None for `LIMIT_S`.
        rights: what the process may do.
    """
    limit_s = limit_s or LIMIT_S
    written = json.dumps(args, default=str)
    key = (custom.file, custom.name, custom.source, written, limit_s, rights)
    process = _PROCESSES.get(key)
    if process is None or process.is_stopped:
        process = _PROCESSES[key] = CheckerProcess(custom, limit_s=limit_s, rights=rights)
    return process
