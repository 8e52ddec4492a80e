"""The interface of reporters, and the summary that they get at the end of a session."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from lve.results.prompt_changes import PromptChange
from lve.results.records import InstanceResult
from lve.spec.model import Expectation
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.pipeline.result import RunResult

Detail = Literal["quiet", "normal", "verbose"]
NOTHING_SELECTED = (
    "nothing was selected: give a path to a test folder, `lve list` shows what is there"
)


@dataclass(frozen=True, slots=True)
class SessionReport:
    """The outcome of a session."""

    summary: Summary
    status: str
    """`complete`, `interrupted`, `budget` or `failed`."""
    exit_code: int
    session: str | None = None
    """Its id; None if it isn't kept."""
    folder: str | None = None
    """Its folder, as the user would name it."""
    seconds: float = 0.0
    """Wall time."""
    requests: int = 0
    """Number of attempts."""
    failed_attempts: dict[str, int] = field(default_factory=dict)
    """Error kind -> number of attempts that failed, even if a later attempt succeeded."""
    stopped_by: str | None = None
    """Why it ended early, in a sentence."""
    prompt_changes: tuple[PromptChange, ...] = ()
    """Tests whose prompt object has changed since the session in which they last ran."""
    left: int = 0
    """Estimated number of instances (times repeats) that were not run because it ended early."""
    why_empty: str = NOTHING_SELECTED
    """The report if there are no results."""
    found_with: str = ""
    """Further arguments that `--resume` needs to find the session from the current folder."""

    @classmethod
    def of(
        cls,
        result: RunResult,
        *,
        strict: bool = False,
        found_with: str = "",
        why_empty: str = NOTHING_SELECTED,
    ) -> SessionReport:
        """Return the report of a run.

        Args:
            result: the run's result.
            strict: whether an inconclusive test changes the exit code.
            found_with: see the field.
            why_empty: see the field.
        """
        return cls(
            summary=result.summary,
            status=result.status,
            exit_code=result.exit_code(strict=strict),
            session=result.session,
            folder=display_path(result.folder.path).as_posix() if result.folder else None,
            seconds=result.seconds,
            requests=result.requests,
            failed_attempts=result.failed_attempts,
            stopped_by=result.stopped_by,
            prompt_changes=result.prompt_changes,
            left=result.left,
            found_with=found_with,
            why_empty=why_empty,
        )


class Reporter(Protocol):
    """Writes results while a session runs."""

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Report one instance (and repeat) of a test with this expectation."""
        ...

    def on_tally(self, tally: Tally) -> None:
        """Report a test that has finished with one model."""
        ...

    def finish(self, report: SessionReport) -> None:
        """Report the end of the session."""
        ...
