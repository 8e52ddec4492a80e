"""The parent's side of a process in which a checker judges. It can be killed at any time."""

from __future__ import annotations

from collections.abc import Mapping

from lve.checkers.contract import Verdict
from lve.checkers.processes.wire import verdict_from_json
from lve.checkers.valid_verdict import MAX_REASON
from lve.child.answers import SHORT, AnswerLimits
from lve.child.child_process import ChildEndedError
from lve.child.helper import (
    MAX_CRASHES,
    CrashCounter,
    CrashedTooOftenError,
    Helper,
    HelperGroup,
    HelperStoppedError,
)
from lve.errors import CheckerError, MissingExtraError
from lve.escape import excerpt
from lve.settings.trusted_file import CodeRights

START_LIMIT_S = 120.0
"""Seconds for running the file and making the checker; some load models."""
CHECKERS = HelperGroup()
"""All processes in which checkers judge."""


def stop_checkers() -> None:
    """Kill all processes. Safe to call from a signal handler."""
    CHECKERS.stop()


def check_installed(answer: Mapping[str, object]) -> None:
    """Check the process' answer to a request that makes a checker.

    Raises:
        MissingExtraError: the checker needs a package or a model that is not installed.
    """
    if answer.get("missing"):
        raise MissingExtraError(excerpt(answer["missing"], MAX_REASON))


class JudgingProcess(Helper):
    """A helper in which a checker judges.

    Attributes:
        name: the name in messages.
    """

    def __init__(
        self,
        name: str,
        *,
        module: str,
        load: Mapping[str, object],
        limit_s: float,
        rights: CodeRights,
    ) -> None:
        """Args:
        name: the name in messages.
        module: the module whose `main` answers requests in the process.
        load: the first request to every new process; it loads the checker.
        limit_s: seconds for one judgement.
        rights: what the process may do.
        """
        super().__init__(
            module,
            load=load,
            limit_s=limit_s,
            start_limit_s=START_LIMIT_S,
            rights=rights,
            group=CHECKERS,
        )
        self.name = name

    def loaded(self, answer: Mapping[str, object]) -> None:
        """Look at the answer to the `load` request.

        Raises:
            CheckerError: the checker can't be loaded.
            MissingExtraError: a package is not installed.
        """
        self._raise_error(answer)

    def hint_for(self, why: str) -> str:
        """Return a hint about a process that has ended, in brackets; an empty text for none."""
        return ""

    def with_hint(self, error: str) -> str:
        """Return the checker's error message, followed by a hint if there is one."""
        return error

    def ask(
        self,
        request: Mapping[str, object] | None = None,
        *,
        limit_s: float | None = None,
        limits: AnswerLimits = SHORT,
        crashes: CrashCounter | None = None,
    ) -> dict[str, object]:
        """Return the process' answer to a request, as `Helper.request` does.

        Raises:
            CheckerError: the checker crashed, took too long, or ended its process.
            MissingExtraError: a package is not installed.
        """
        try:
            answer = self.request(request, limit_s=limit_s, limits=limits, crashes=crashes)
        except HelperStoppedError as error:
            raise CheckerError(f"{self.name}: stopped", code="stopped") from error
        except CrashedTooOftenError as error:
            raise CheckerError(
                f"{self.name}: not run any more, its process ended {MAX_CRASHES} times in a row",
                code="checker_process",
            ) from error
        except ChildEndedError as error:
            raise CheckerError(
                f"{self.name} {error}{self.hint_for(str(error))}", code="checker_process"
            ) from error
        except OSError as error:
            raise CheckerError(
                f"{self.name}: its process can't be started: {error}", code="checker_process"
            ) from error
        self._raise_error(answer)
        return answer

    def _raise_error(self, answer: Mapping[str, object]) -> None:
        if "error" in answer:
            raise CheckerError(
                self.with_hint(excerpt(answer["error"], MAX_REASON)), code="checker_code"
            )

    def verdict_in(self, answer: Mapping[str, object]) -> Verdict:
        """Return the verdict in `answer`, an answer of the process.

        Raises:
            CheckerError: the answer has no valid verdict.
        """
        try:
            return verdict_from_json(answer.get("verdict"))
        except ValueError as error:
            raise CheckerError(f"{self.name}: gave {error}", code="checker_code") from error
