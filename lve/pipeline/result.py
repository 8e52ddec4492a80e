"""What came out of a run, for Python and for reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lve.exit_code import ExitCode
from lve.pipeline.choosing.loading import InvalidTest
from lve.results.prompt_changes import PromptChange
from lve.results.records import InstanceResult
from lve.results.session import SessionFolder, Status
from lve.verdicts.summary import Summary

if TYPE_CHECKING:
    from lve.pipeline.gate import Gated


@dataclass(slots=True, repr=False)
class RunResult:
    """What came out of a run. Printed, it is a line with the numbers."""

    summary: Summary
    status: Status
    folder: SessionFolder | None = None
    """Where it is recorded; None if it isn't."""
    invalid: tuple[InvalidTest, ...] = ()
    """Tests that couldn't be run, or not wholly."""
    stopped_by: str | None = None
    """Why it ended early, in a sentence."""
    seconds: float = 0.0
    """Wall time."""
    requests: int = 0
    """Attempts that were sent."""
    failed_attempts: dict[str, int] = field(default_factory=dict)
    """Error kind -> attempts that failed with it, later successes included."""
    cost: float | None = None
    """US dollars that all runs of the session took, with what its results don't account for. None
    if no model has a price, or it isn't known."""
    unpriced: tuple[str, ...] = ()
    """Models that took tokens and have no price: what they cost isn't known."""
    left: int = 0
    """About how many instances (times repeats) of a stopped session were not run."""
    prompt_changes: tuple[PromptChange, ...] = ()
    """Tests whose prompt object, when the session began, wasn't the one they had last run with."""
    allow_inconclusive: bool = False
    """Whether a test that could not be decided leaves the exit code as it is."""
    gated: Gated | None = None
    """How it compares with the baseline, if there is one."""
    kept: tuple[InstanceResult, ...] | None = None
    """All results, if they were asked for."""

    def __repr__(self) -> str:
        summary, session = self.summary, self.session
        parts = [summary.tests_text(), summary.instances_text()]
        parts += [f"stopped early: {self.stopped_by or self.status}"] * (self.status != "complete")
        parts += [f"exit code {self.exit_code()}"]
        parts += [f"session {session}"] if session else []
        return f"<RunResult: {'; '.join(parts)}>"

    @property
    def session(self) -> str | None:
        """Id of the session."""
        return self.folder.id if self.folder else None

    @property
    def results(self) -> Sequence[InstanceResult]:
        """The results, read back from the journal where they weren't kept."""
        return self.kept if self.kept is not None else tuple(self.iter_results())

    @property
    def passed(self) -> bool:
        """Whether everything is as the tests expect."""
        return self.exit_code() == 0

    def iter_results(self) -> Iterator[InstanceResult]:
        """Yield the results one at a time, in the order in which they finished."""
        if self.kept is not None:
            yield from self.kept
        elif self.folder is not None:
            yield from self.folder.results()

    def exit_code(self) -> int:
        """Return the exit code of `lve run` (docs/cli.md)."""
        summary = self.summary
        verdicts, instances = summary.verdicts(), summary.instances()
        return exit_code(
            interrupted=self.status == "interrupted",
            budget_reached=self.status == "budget",
            invalid_tests=len(summary.invalid) + bool(self.gated and self.gated.problem),
            errors=instances["error"],
            failed_tests=verdicts["failed"] + bool(self.gated and self.gated.has_regressed),
            inconclusive_tests=0 if self.allow_inconclusive else verdicts["inconclusive"],
            done=sum(instances.values()),
            # A session in which nothing could run must not look like a success.
            skipped_tests=len(summary.skipped) - len(summary.unavailable),
        )


def exit_code(
    *,
    interrupted: bool = False,
    budget_reached: bool = False,
    invalid_tests: int = 0,
    errors: int = 0,
    failed_tests: int = 0,
    inconclusive_tests: int = 0,
    done: int = 0,
    skipped_tests: int = 0,
) -> int:
    """Return the exit code of a session, the worst thing that happened: 130 > 6 > 2 > 3 > 1 > 5 >
    4 > 0.

    What cut the session short comes first, because everything else is only partly known then; then
    what was never run, what has no verdict, what failed, that nothing was selected, and what could
    not be decided.

    Args:
        interrupted: whether the user stopped it.
        budget_reached: whether its budget did.
        invalid_tests: tests that can't be used.
        errors: instances that ended in an error.
        failed_tests: tests that failed.
        inconclusive_tests: tests that could not be decided, unless that is allowed.
        done: instances with any result.
        skipped_tests: tests that say `skip`.
    """
    ranked = (
        (interrupted, ExitCode.interrupted),
        (budget_reached, ExitCode.budget),
        (invalid_tests, ExitCode.invalid),
        (errors, ExitCode.errors),
        (failed_tests, ExitCode.failed),
        (not (done or skipped_tests), ExitCode.nothing_selected),
        (inconclusive_tests, ExitCode.inconclusive),
    )
    return int(next((code for applies, code in ranked if applies), ExitCode.as_expected))
