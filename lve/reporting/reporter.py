"""The interface of reporters, and the report of a session that they get at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from lve.escape import one_line
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.pipeline.result import RunResult

Detail = Literal["quiet", "normal", "failures", "verbose", "whole"]
"""How much a report shows.

`quiet`: only the summary. `normal`: tests, and the first failures of each. `failures`: also every
unexpected instance with its transcript. `verbose`: also all other instances, and all statistics.
`whole`: the transcripts of all instances, too."""
NOTHING_SELECTED = "nothing was selected: give a path to a test folder; `lve list` shows the tests"


def is_verbose(detail: Detail) -> bool:
    """Whether a report has all statistics, rather than each test's verdict, count and rate."""
    return detail in ("verbose", "whole")


class SessionReport(NamedTuple):
    """The outcome of a session, for a reporter."""

    result: RunResult
    resume_args: str = ""
    """Arguments, besides the ID, with which `lve run --resume` continues the session."""
    location_args: str = ""
    """Arguments, besides the ID, with which `lve show` finds the session from the current
    folder."""
    why_empty: str = NOTHING_SELECTED
    """The message if there are no results."""

    @property
    def session_args(self) -> str:
        """All arguments with which `lve show` shows the session again."""
        return f"{self.result.session} {one_line(self.location_args)}".rstrip()

    @property
    def summary(self) -> Summary:
        """The session's numbers."""
        return self.result.summary

    @property
    def cost(self) -> float | None:
        """The session's cost in US dollars; None if it isn't known."""
        return self.summary.cost() if self.result.cost is None else self.result.cost

    @property
    def exit_code(self) -> int:
        """The exit code for the session."""
        return self.result.exit_code()

    @property
    def folder(self) -> str | None:
        """The session's folder, relative to the current one if it lies below; None if the session
        isn't kept."""
        return display_path(self.result.folder.path).as_posix() if self.result.folder else None


class Reporter(Protocol):
    """Writes results while a session runs."""

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Report the result of one instance and repeat. `expect` is the expectation of its test."""
        ...

    def on_tally(self, tally: Tally) -> None:
        """Report a test and model whose last result has arrived."""
        ...

    def finish(self, report: SessionReport) -> None:
        """Report the end of the session."""
        ...
