"""The interface of reporters, and what they get at the end of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from lve.escape import one_line
from lve.results.records import InstanceResult
from lve.spec.model import Expectation
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.pipeline.result import RunResult

Detail = Literal["quiet", "normal", "failures", "verbose", "whole"]
"""What a report shows of instances: nothing, and nothing of tests either; the first failures of
each test; all that isn't as expected, with transcripts; all, with the transcripts of those; all
with transcripts."""
NOTHING_SELECTED = (
    "nothing was selected: give a path to a test folder, `lve list` shows what is there"
)


class SessionReport(NamedTuple):
    """The outcome of a session, as it is reported."""

    result: RunResult
    found_with: str = ""
    """Further arguments that `--resume` needs to find the session from the current folder."""
    shown_with: str = ""
    """Further arguments that `lve show` needs to find the session from the current folder."""
    why_empty: str = NOTHING_SELECTED
    """The report if there are no results."""

    @property
    def shown_as(self) -> str:
        """What `lve show` needs to show the session again."""
        return f"{self.result.session} {one_line(self.shown_with)}".rstrip()

    @property
    def summary(self) -> Summary:
        """The session's numbers."""
        return self.result.summary

    @property
    def cost(self) -> float | None:
        """What the session took in US dollars; None if that isn't known."""
        return self.summary.cost() if self.result.cost is None else self.result.cost

    @property
    def exit_code(self) -> int:
        """The exit code of the verb."""
        return self.result.exit_code()

    @property
    def folder(self) -> str | None:
        """The session's folder, as the user would name it; None if it isn't kept."""
        return display_path(self.result.folder.path).as_posix() if self.result.folder else None


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
