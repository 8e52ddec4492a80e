"""The result of a run, for Python and for reports, and what its exit code follows from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lve.data_classes import dataclass, field
from lve.exit_code import exit_code_of
from lve.extension_table import extension_part
from lve.pipeline.choosing.loading import InvalidTest
from lve.sessions.instance_result import InstanceResult
from lve.sessions.prompt_changes import PromptChange
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import Status
from lve.verdicts.summary import Summary

if TYPE_CHECKING:
    from pandas import DataFrame

    from lve.pipeline.gate import Gated


@dataclass(slots=True, repr=False)
class RunResult:
    """The result of a run. Its `repr` is one line with the numbers."""

    summary: Summary
    status: Status
    folder: SessionFolder | None = None
    """The session's folder; None if it isn't kept."""
    invalid: tuple[InvalidTest, ...] = ()
    """Tests that couldn't run, or not all of their instances."""
    stopped_by: str | None = None
    """Why it ended early, in a sentence."""
    spent_role: str | None = None
    """The role, such as `judge`, whose budget ended it early."""
    seconds: float = 0.0
    """Wall time."""
    requests: int = 0
    """Number of requests that were sent, retries included."""
    requests_before: int = 0
    """Number of requests that earlier runs of the session sent."""
    failed_attempts: dict[str, int] = field(default_factory=dict)
    """Error kind -> number of requests that failed with it, even if a retry succeeded."""
    cost: float | None = None
    """US dollars for all runs of the session, failed requests and judges included. None if no model
    has a price, or the cost isn't known."""
    unpriced: tuple[str, ...] = ()
    """Models that used tokens and have no price, so that their cost isn't known."""
    left: int = 0
    """About how many results of a stopped session are missing."""
    prompt_changes: tuple[PromptChange, ...] = ()
    """Tests whose prompt object, when the session began, wasn't the one that they last ran with."""
    allow_inconclusive: bool = False
    """Whether tests that could not be decided leave the exit code at 0."""
    gated: Gated | None = None
    """The comparison with the baseline, if there is one."""
    results_in_memory: tuple[InstanceResult, ...] | None = None
    """All results, if `keep_results` asked for them."""

    def __repr__(self) -> str:
        summary, session = self.summary, self.session
        parts = [summary.tests_text(), summary.results_text()]
        parts += [f"stopped early: {self.stopped_by or self.status}"] * (self.status != "complete")
        parts += [f"exit code {self.exit_code()}"]
        parts += [f"session {session}"] if session else []
        return f"<RunResult: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the numbers, the tests and the first failures of each."""
        html: str = extension_part("results in a notebook")(self.summary, self.session)
        return html

    def to_pandas(self) -> DataFrame:
        """Return the results as a data frame: a row each, and a column `args.NAME` per arg.

        Raises:
            MissingExtraError: pandas isn't installed (`lve[pandas]`).
        """
        return extension_part("results in pandas")(self.iter_results())

    @property
    def session(self) -> str | None:
        """The session's id; None if it isn't kept."""
        return self.folder.id if self.folder else None

    @property
    def results(self) -> Sequence[InstanceResult]:
        """All results, read from the journal unless they are in memory."""
        return (
            self.results_in_memory
            if self.results_in_memory is not None
            else tuple(self.iter_results())
        )

    @property
    def passed(self) -> bool:
        """Whether everything came out as the tests expect: the exit code is 0."""
        return self.exit_code() == 0

    def iter_results(self) -> Iterator[InstanceResult]:
        """Yield the results one at a time, in the order in which they finished."""
        if self.results_in_memory is not None:
            yield from self.results_in_memory
        elif self.folder is not None:
            yield from self.folder.results()

    def _gate_says(self, verdict: str) -> bool:
        return self.gated is not None and self.gated.says(verdict)

    def exit_code(self) -> int:
        """Return the exit code of `lve run` (docs/cli.md)."""
        summary = self.summary
        verdicts, results = summary.verdicts(), summary.results()
        return exit_code_of(
            interrupted=self.status == "interrupted",
            budget_reached=self.status == "budget",
            invalid_tests=len(summary.invalid) + bool(self.gated and self.gated.problem),
            errors=summary.binding_errors() + self._gate_says("unjudged"),
            failed_tests=verdicts["failed"] + self._gate_says("regressed"),
            inconclusive_tests=0
            if self.allow_inconclusive
            else verdicts["inconclusive"] + self._gate_says("undecided"),
            done=sum(results.values()),
            # A session in which nothing could run must not look like a success.
            skipped_tests=len(summary.skipped) - len(summary.unavailable),
        )
