"""Describes a session's tests in its folder, so that reports need no test files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lve.escape import head
from lve.limits.problems import MAX_PROBLEMS
from lve.sessions.session_info import SessionInfo, UnfinishedInfo
from lve.sessions.session_tests import MAX_TEXT, SessionTest, TestKey
from lve.spec.spec import Spec
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

if TYPE_CHECKING:
    from lve.sessions.join_parts import Part


def described(spec: Spec, tally: Tally) -> SessionTest:
    """Return the description of a test that runs.

    Args:
        spec: the test, from `for_model`.
        tally: the tally of its results.
    """
    errors = tally.calibration.errors
    return SessionTest(
        test=spec.path,
        model=tally.model,
        document=f"{spec.folder_path}/{spec.file.name}" if spec.path else spec.file.name,
        description=head(spec.description, MAX_TEXT),
        author=spec.author,
        category=spec.category,
        tags=tuple((tag.name, tag.value) for tag in spec.tags),
        parameters=spec.parameters,
        expect=spec.expect,
        is_sequential=tally.is_sequential,
        has_failures_only=tally.coverage.has_failures_only,
        column=tally.numbers.column,
        by=spec.by,
        groups=spec.groups,
        metric=tally.numbers.metric,
        errors=errors and errors.to_json(),
    )


def part_of(summary: Summary, info: SessionInfo) -> Part:
    """Return what one of several processes says of the tests that it has run.

    Args:
        summary: the summary of these tests.
        info: what it knows of the fields of `session.json`.
    """
    from lve.sessions.join_parts import Part  # late: few sessions have parts

    tests: dict[TestKey, SessionTest] = {
        (test, model): SessionTest(
            test,
            model,
            expect=tally.expect,
            is_sequential=tally.is_sequential,
            not_recorded=tally.coverage.not_recorded.count,
            repeats_not_recorded=tally.coverage.not_recorded.repeats,
        )
        for (test, model), tally in summary.tallies.items()
    }
    places: dict[TestKey, Sequence[str]] = {
        (test, model): tally.coverage.not_recorded.places
        for (test, model), tally in summary.tallies.items()
    }
    return Part([], info, tests, places)


def unfinished_of(summary: Summary) -> list[UnfinishedInfo]:
    """Return the field `unfinished` of `session.json`."""
    return [
        {"test": tally.test, "model": tally.model}
        for tally in summary.tallies.values()
        if not tally.coverage.is_complete
    ]


def gaps(summary: Summary) -> Iterator[SessionTest]:
    """Yield what the session lacks of its tests, by test and model."""
    for (test, model), tally in summary.tallies.items():
        missing = tally.coverage.not_recorded
        lacks = SessionTest(
            test,
            model,
            not_recorded=missing.count,
            repeats_not_recorded=missing.repeats,
            left=None if tally.coverage.is_complete else tally.coverage.left,
            overall=tally.numbers.overall,
        )
        if lacks.is_about_gaps:
            yield lacks
    for (test, model), missing in summary.unrecorded.items():  # other shards may have answers
        yield SessionTest(
            test, model, not_recorded=missing.count, repeats_not_recorded=missing.repeats
        )


def refused(summary: Summary) -> Iterator[SessionTest]:
    """Yield the descriptions of skipped and of invalid tests, and what others lack."""
    yield from gaps(summary)
    for test, why in summary.skipped.items():
        yield SessionTest(test, skipped=why, is_unavailable=test in summary.unavailable)
    for test, problems in summary.invalid.items():
        yield SessionTest(
            test, problems=tuple(head(text, MAX_TEXT) for text in problems[:MAX_PROBLEMS])
        )
