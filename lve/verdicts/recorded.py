"""Reads a session from its folder, with its verdicts. The tests' documents aren't needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from lve.checkers.contract import Outcome
from lve.errors import with_code
from lve.results.index import Pair, ResultIndex
from lve.results.listing import KILLED, listed_status
from lve.results.records import InstanceResult
from lve.results.session import SessionFolder
from lve.results.session_tests import SessionTest, read_tests
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.rates.corrected import JudgeErrors
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally


class _Ended(NamedTuple):
    """Which tests of a session have ended."""

    is_known: bool
    unfinished: frozenset[Pair]

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> _Ended:
        unfinished, status = info.get("unfinished"), info["status"]
        is_known = status != "running" and (unfinished is not None or status == "complete")
        return cls(is_known, frozenset((one["test"], one["model"]) for one in unfinished or ()))

    def has(self, pair: Pair) -> bool:
        return self.is_known and pair not in self.unfinished


@dataclass(slots=True)
class RecordedSession:
    """A session as it was when it was read. A context manager, because it keeps journals open."""

    folder: SessionFolder
    info: Mapping[str, Any]
    """The content of `session.json`."""
    status: str
    """As in `session.json`, or `killed` if that says `running` but no process runs it."""
    tests: Mapping[Pair, SessionTest]
    """The tests that have a model, by test and model. The others are in `summary.skipped` and
    `summary.invalid`."""
    summary: Summary
    index: ResultIndex

    @classmethod
    def of(
        cls, folder: SessionFolder, *, warn: Callable[[str], None] | None = None
    ) -> RecordedSession:
        """Read a session. Memory grows with its tests and by a few bytes per result.

        Args:
            folder: of the session. Its `redact` is applied to results once more.
            warn: called with messages about what can't be read.

        Raises:
            SessionError: it can't be read, is from a newer lve, or is damaged.
        """
        info = folder.info()
        known, summary = read_tests(folder.path, warn=warn), Summary()
        for test in known.values():
            _announce(summary, test)
        index = ResultIndex(folder, on_result=summary.add, warn=warn)
        ended = _Ended.of(info)
        for pair, tally in summary.tallies.items():
            if ended.has(pair):
                tally.complete()
        unknown = {test for test, model in summary.tallies if (test, model) not in known}
        if unknown and warn is not None:
            message = (
                f"session {folder.id} doesn't say what {len(unknown):,} of its tests expect (an "
                "older lve wrote it): they are reported as if all instances had to pass"
            )
            warn(with_code(message, "other_version"))
        _drop_empty(summary, known)
        tests = {pair: known.get(pair) or SessionTest(pair[0], pair[1]) for pair in summary.tallies}
        return cls(folder, info, listed_status(folder, info), tests, summary, index)

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


def add_refused(summary: Summary, test: SessionTest) -> bool:
    """Add a test to the summary if its session skipped or refused it. Return whether it did."""
    if test.skipped is not None:
        summary.skipped[test.test] = test.skipped
        if test.is_unavailable:
            summary.unavailable.add(test.test)
    elif test.problems:
        summary.invalid[test.test] = test.problems
    return test.skipped is not None or bool(test.problems)


def note_gaps(tally: Tally, test: SessionTest) -> None:
    """Record what a session lacks of a test, as its folder says."""
    missing = tally.not_recorded
    missing.count, missing.repeats = test.not_recorded, test.repeats_not_recorded
    missing.folder = test.test
    tally.left = test.left


def _announce(summary: Summary, test: SessionTest) -> None:
    if not add_refused(summary, test) and test.model is not None:
        tally = summary.expect(
            test.test,
            test.model,
            test.expect,
            numbers=Breakdown(test.column, test.metric),
            sequential=test.is_sequential,
            failures_only=test.has_failures_only,
            errors=_errors(test.errors),
        )
        note_gaps(tally, test)


def _errors(known: Mapping[str, Any] | None) -> JudgeErrors | None:
    if known is None:
        return None
    return JudgeErrors(**{**known, "served": frozenset(known.get("served", ()))})


def _drop_empty(summary: Summary, known: Mapping[tuple[str, str | None], SessionTest]) -> None:
    """Remove tests that started but then turned out to be invalid or skipped, without results."""
    for test, model in [*summary.tallies]:
        refused = test in summary.invalid or test in summary.skipped
        if refused and not summary.tallies[test, model].total and (test, model) in known:
            summary.drop(test, model)
