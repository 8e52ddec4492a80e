"""Reads a session from its folder, with its verdicts. The tests' documents aren't needed."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

from lve.checkers.contract import Outcome
from lve.data_classes import dataclass
from lve.errors import with_code
from lve.extension_table import extension_part
from lve.sessions.instance_result import InstanceResult
from lve.sessions.listing import KILLED, listed_status
from lve.sessions.result_index import ResultIndex
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import Pair, SessionInfo, Unfinished
from lve.sessions.session_tests import SessionTest, TestKey, read_tests
from lve.spec.spec import Expectation
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.rates.corrected import JudgeErrors
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally


@dataclass(slots=True)
class SummedSession:
    """A session as it was when it was read, without its results."""

    folder: SessionFolder
    info: SessionInfo
    """The content of `session.json`."""
    status: str
    """As in `session.json`, or `killed` if that says `running` but no process runs it."""
    tests: Mapping[Pair, SessionTest]
    """The tests that have a model, by test and model. The others are in `summary.skipped` and
    `summary.invalid`."""
    summary: Summary

    @property
    def id(self) -> str:
        """Id of the session."""
        return self.folder.id

    @property
    def is_running(self) -> bool:
        """Whether a process is running it."""
        return self.status == "running"

    @property
    def was_cut_short(self) -> bool:
        """Whether it ended before all its instances had run."""
        return self.status in ("interrupted", "budget", "stopped", "failed", KILLED)

    @property
    def tallies(self) -> list[Tally]:
        """The tallies of its tests, sorted by test and model."""
        return [tally for _, tally in sorted(self.summary.tallies.items())]

    @property
    def cost(self) -> float | None:
        """Cost of all its runs in US dollars; None if a model has no price."""
        cost = self.summary.cost()
        spent = (self.info.get("spent") or {}).get("cost")
        return cost if cost is None or spent is None else max(cost, float(spent))


@dataclass(slots=True)
class RecordedSession(SummedSession):
    """A session with its results. A context manager, because it keeps journals open."""

    index: ResultIndex

    @classmethod
    def of(
        cls,
        folder: SessionFolder,
        *,
        only: Container[str] | None = None,
        by: Sequence[str] = (),
        on_result: Callable[[InstanceResult, Expectation], object] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> RecordedSession:
        """Read a session. Memory grows with its tests and by a few bytes per result.

        Args:
            folder: of the session. Its `redact` is applied to results once more.
            only: the tests to sum up and describe; None: all.
            by: columns and tags by whose values to count; none: as the session says.
            on_result: called with each result of these, as it is read, and what its test expects.
            warn: called with messages about what can't be read.

        Raises:
            SessionError: it can't be read, is from a newer lve, or is damaged.
        """
        info = folder.info()
        recorded_tests = read_tests(folder.path, warn=warn)
        if only is not None:
            recorded_tests = {
                key: test for key, test in recorded_tests.items() if test.test in only
            }
        if by:
            recorded_tests = {k: test._replace(by=tuple(by)) for k, test in recorded_tests.items()}
        summary = _begun(recorded_tests)

        def add(result: InstanceResult) -> None:
            if only is None or result.test in only:
                summary.add(result)
                if on_result is not None:
                    on_result(result, summary.tallies[result.test, result.model].expect)

        index = ResultIndex(folder, on_result=add, warn=warn)
        end_finished(summary, info)
        warn_of_undescribed(folder.id, summary, recorded_tests, warn)
        tests = {
            pair: recorded_tests.get(pair) or SessionTest(pair[0], pair[1])
            for pair in summary.tallies
        }
        return cls(folder, info, listed_status(folder, info), tests, summary, index)

    def _repr_html_(self) -> str:
        """Return what a notebook shows of it."""
        html: str = extension_part("results in a notebook")(self.summary, self.id)
        return html

    def results(
        self, pair: Pair | None = None, *, without: Outcome | None = None
    ) -> Iterator[InstanceResult]:
        """Yield its results; arguments, order and errors as in `ResultIndex.results`."""
        return self.index.results(pair, without=without)

    def close(self) -> None:
        """Close the journals."""
        self.index.close()

    def __enter__(self) -> RecordedSession:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def summary_of(folder: SessionFolder, info: SessionInfo) -> Summary:
    """Return the summary of the results that a session has now.

    Args:
        folder: of the session.
        info: the content of its `session.json`.

    Raises:
        SessionError: its files can't be read.
    """
    recorded_tests = read_tests(folder.path)
    summary = _begun(recorded_tests)
    for result in folder.results():
        summary.add(result)
    end_finished(summary, info)
    return summary


def _begun(recorded_tests: Mapping[TestKey, SessionTest]) -> Summary:
    summary = Summary()
    for test in recorded_tests.values():
        announce(summary, test)
    return summary


def warn_of_undescribed(
    name: str, summary: Summary, tests: Container[TestKey], warn: Callable[[str], None] | None
) -> None:
    """Warn if a session has results of tests that its `tests.jsonl` doesn't describe."""
    unknown = {test for test, model in summary.tallies if (test, model) not in tests}
    if unknown and warn is not None:
        message = (
            f"session {name} doesn't say what {len(unknown):,} of its tests expect (an "
            "older lve wrote it): they are reported as if all rows had to pass"
        )
        warn(with_code(message, "other_version"))


def end_finished(summary: Summary, info: SessionInfo) -> None:
    """Complete the tests that have finished, and remove those that started but then turned out to
    be invalid or skipped, without results."""
    unfinished = Unfinished.of(info)
    for (test, model), tally in summary.tallies.items():
        if not unfinished.has(test, model):
            tally.coverage.complete()
    drop_refused(summary)


def add_refused(summary: Summary, test: SessionTest) -> bool:
    """Add a test to the summary if its session skipped or refused it. Return whether it did."""
    if test.skipped is not None:
        summary.skipped[test.test] = test.skipped
        if test.is_unavailable:
            summary.unavailable.add(test.test)
    elif test.problems:
        summary.invalid[test.test] = test.problems
    return test.skipped is not None or bool(test.problems)


def drop_refused(summary: Summary) -> None:
    """Remove the tests without results that the session skipped or refused: they count as such, so
    they must not count as tests without a verdict as well."""
    for (test, model), tally in [*summary.tallies.items()]:
        if not tally.total and (test in summary.invalid or test in summary.skipped):
            summary.drop(test, model)


def note_gaps(tally: Tally, test: SessionTest) -> None:
    """Record what a session lacks of a test, as its folder says."""
    missing = tally.coverage.not_recorded
    missing.count, missing.repeats = test.not_recorded, test.repeats_not_recorded
    missing.folder = test.test
    tally.coverage.left = test.left
    tally.numbers.overall = test.overall


def announce(summary: Summary, test: SessionTest) -> None:
    """Add a test to a summary as its session describes it, unless it is there."""
    if not add_refused(summary, test) and test.model is not None:
        tally = summary.expect(
            test.test,
            test.model,
            test.expect,
            numbers=_numbers(test),
            sequential=test.is_sequential,
            failures_only=test.has_failures_only,
            errors=_errors(test.errors),
        )
        note_gaps(tally, test)


def _numbers(test: SessionTest) -> Breakdown:
    tags = dict(test.tags)
    by = {name: tags.get(name) for name in test.by}
    return Breakdown(test.column, test.metric, by=by, member_of=test.groups)


def _errors(rates: Mapping[str, Any] | None) -> JudgeErrors | None:
    if rates is None:
        return None
    return JudgeErrors(**{**rates, "served": frozenset(rates.get("served", ()))})
