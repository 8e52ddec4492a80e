"""What a reporter is told, and by whom."""

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
    """A session at its end."""

    summary: Summary
    status: str
    """`complete`, `interrupted`, `budget` or `failed`."""
    exit_code: int
    session: str | None = None
    """Its id; None when it isn't kept."""
    folder: str | None = None
    """Where it is kept, as the user would name it."""
    seconds: float = 0.0
    """Wall time."""
    requests: int = 0
    """Attempts that were sent."""
    failed_attempts: dict[str, int] = field(default_factory=dict)
    """Error kind -> attempts that failed with it, later successes included."""
    stopped_by: str | None = None
    """Why it ended early, in a sentence."""
    prompt_changes: tuple[PromptChange, ...] = ()
    """Tests whose prompt object, when the session began, wasn't the one they had last run with.
    People are told then."""
    left: int = 0
    """About how many instances (times repeats) were not run because it ended early."""
    why_empty: str = NOTHING_SELECTED
    """Why there is nothing to report, where there is nothing."""
    found_with: str = ""
    """What else `--resume` needs on the command line to find the session, from where one stands."""

    @classmethod
    def of(
        cls,
        result: RunResult,
        *,
        strict: bool = False,
        found_with: str = "",
        why_empty: str = NOTHING_SELECTED,
    ) -> SessionReport:
        """Return what a report says of a run.

        Args:
            result: what came out of it.
            strict: whether an inconclusive test counts in the exit code.
            found_with: as the field.
            why_empty: as the field.
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
    """Writes what a session finds out, while it does."""

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """An instance (and repeat) is done, of a test with this expectation."""
        ...

    def on_tally(self, tally: Tally) -> None:
        """A test is through with a model."""
        ...

    def finish(self, report: SessionReport) -> None:
        """The session is over."""
        ...
